// Own product on the device, Y = A X with K columns, A in CSR. README.md beside this file is its
// page: picture, thresholds, kernels, bound.
//
//   Y[i, :] = sum over entries p of row i of values[p] X[col_idx[p], :]
//
// A team of lanes x slots threads of a warp takes a row: lane l has columns of X, slot s the
// entries s, s + slots, ... of the row. The analysis (preprocessing) counts the lengths and the
// columns of the rows; the plan makes the teams, and chooses the order of the rows, the path:
//
//   natural   rows as they are
//   binned    rows by length, rounded up to a power of two
//   grouped   up to three successive rows with the same columns share loads of columns and of X
//   streamed  a team takes consecutive rows with about as many entries as every other team
//   flat      K = 1: a warp takes a fixed number of entries, across rows
//   uncut     natural, and no row is cut; only where the parameter `path` says so
//
// But in paths flat and uncut, rows longer than a segment are cut into segments; a second kernel
// adds up their sums. No floating-point atomics: matrix and K alone fix the order of every sum.
//
// Sources: row groups as in the register blocking of Im, Yelick, Vuduc (IJHPCA 2004), without a
// change of format; segments as in RoDe (Pang et al., PPoPP'24); teams as in GE-SpMM (Huang et al.,
// SC'20); the segmented sum of path flat of Blelloch, Heroux, Zagha (CMU-CS-93-173, 1993), with a
// bit per entry as in yaSpMV (Yan et al., PPoPP'14).
#include <optional>
#include <string>

#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/cuda_csr_balanced/host.hpp"

namespace sparserepro {
namespace {

/// The order that `path` forces; none for `auto`.
std::optional<RowOrder> forced_order(const Params& params) {
  const std::string& path = params.text("path");
  for (const auto& [name, order] : {std::pair{"natural", RowOrder::natural},
                                    {"binned", RowOrder::binned},
                                    {"grouped", RowOrder::grouped},
                                    {"streamed", RowOrder::streamed},
                                    {"flat", RowOrder::flat},
                                    {"uncut", RowOrder::uncut}}) {
    if (path == name) {
      return order;
    }
  }
  return std::nullopt;
}

}  // namespace
}  // namespace sparserepro

#ifdef SPARSEREPRO_HAS_CUDA

#include "cuda/stream.hpp"
#include "spmm/cuda_csr_balanced/multiply.cuh"
#include "spmm/cuda_run.cuh"

namespace sparserepro {
namespace {

template <class Offset>
class CudaCsrBalanced final : public CudaCsrSpmmRun<Offset> {
 public:
  CudaCsrBalanced(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : CudaCsrSpmmRun<Offset>(problem, a),
        product_(this->a(), problem.k(), this->stream(), forced_order(params)) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override { product_.analyse(); }
  void execute() override { product_.multiply(1.0, this->x(), 0.0, this->y()); }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(product_.workspace_bytes());
  }
  Measures measures() const override {
    const BalancedPlan& plan = product_.plan();
    return {{"row_groups", plan.order == RowOrder::grouped ? 1.0 : 0.0},
            {"row_bins", plan.order == RowOrder::binned ? 1.0 : 0.0},
            {"row_stream", plan.order == RowOrder::streamed ? 1.0 : 0.0},
            {"row_flat", plan.order == RowOrder::flat ? 1.0 : 0.0},
            {"columns_at_once", static_cast<double>(plan.column_block)},
            {"segments", static_cast<double>(product_.statistics().segments)}};
  }

 private:
  balanced::BalancedCsr<Offset> product_;
};

}  // namespace

template <class Offset>
void multiply_csr_balanced(const Csr<Offset, double>& a, double alpha, const Dense& x, double beta,
                           Dense& y, std::optional<RowOrder> forced) {
  const Stream stream;
  const cudaStream_t s = stream.get();
  const DeviceBuffer<Offset> row_ptr(a.row_ptr, s);
  const DeviceBuffer<index_t> col_idx(a.col_idx, s);
  const DeviceBuffer<double> values(a.values, s), x_device(x.data, s);
  DeviceBuffer<double> y_device(y.data, s);
  balanced::BalancedCsr<Offset> product(
      {a.rows, a.cols, a.nnz(), row_ptr.data(), col_idx.data(), values.data()}, x.cols, s, forced);
  product.analyse();
  product.multiply(alpha, x_device.data(), beta, y_device.data());
  y_device.copy_to(y.data.data(), s);
  stream.synchronize();
}

template void multiply_csr_balanced(const Csr<std::int32_t, double>&, double, const Dense&, double,
                                    Dense&, std::optional<RowOrder>);
template void multiply_csr_balanced(const Csr<std::int64_t, double>&, double, const Dense&, double,
                                    Dense&, std::optional<RowOrder>);

}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_csr_balanced() {
  return {.name = "cuda_csr_balanced",
          .summary =
              "rows in groups of one pattern, in bins of one length or as a stream; long rows cut",
          .source = "own",
          .backend = Backend::cuda,
          .parameters = {{"path",
                          "auto",
                          {"auto", "natural", "binned", "grouped", "streamed", "flat", "uncut"},
                          "order of the rows; auto: by K and the lengths and columns of the rows; "
                          "uncut: natural, no row cut into segments"}},
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const SpmmProblem& problem, const Params& params) -> std::string {
            constexpr std::int64_t most_columns = std::int64_t{1} << 28;
            if (problem.k() > most_columns) {
              return std::to_string(problem.k()) + " columns; a row of X has at most " +
                     std::to_string(most_columns);
            }
            const std::optional<RowOrder> forced = forced_order(params);
            return forced ? order_refusal(*forced, problem.shape().stored, problem.k()) : "";
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_cuda_spmm<CudaCsrBalanced>
#endif
  };
}

}  // namespace sparserepro
