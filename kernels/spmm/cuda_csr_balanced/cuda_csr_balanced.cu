// Own product on the device. One look at the matrix (the preprocessing) decides how its rows are
// worked on, by teams of `lanes` x `slots` threads of a warp: lanes across the columns of X, slots
// along the entries of a row, meeting in a butterfly of shuffles.
//
//   groups    runs of rows with one list of columns, three at a time: a row of X and a column index
//             are loaded once for all three
//   bins      rows by length, rounded up to a power of two, when teams of one warp would wait for
//             its longest row
//   stream    rows of few entries: a team takes consecutive rows with as many entries as any other
//             team's, and gathers on across their ends
//   flat      with one column, uneven or long rows far from the diagonal: entries in tasks of one
//             length, whatever rows they are of
//   natural   rows as they are, otherwise
//   segments  but in flat order, rows beyond 32 to 2048 entries are cut; a second kernel adds the
//             parts in order
//
// The parameter `path` forces one of the orders; `uncut` is natural without segments.
//
// Bounds (H200): 12 bytes of A per entry and X, Y once from device memory at 4.2 TB/s; rows of X
// from L2 at 8.5 TB/s, that is 2.1 TFLOP/s, unless they are reused inside a multiprocessor, by
// groups or L1. No floating-point atomics: every sum has one order, fixed by matrix and K.
//
// Sources: row groups as in the register blocking of Im, Yelick, Vuduc (IJHPCA 2004), without a
// change of format; segments as in RoDe (Pang et al., PPoPP'24); the family of row mappings as in
// GE-SpMM (Huang et al., SC'20).
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
            {"columns_at_once", static_cast<double>(plan.tile)},
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
