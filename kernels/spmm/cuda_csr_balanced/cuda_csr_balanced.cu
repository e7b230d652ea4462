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
//   grouped   up to four successive rows with the same columns share loads of columns and of X
//   packed    rows as they are, teams without idle lanes between them
//   flat      K = 1: a warp or a block takes whole rows with about as many entries, across lanes
//   merged    K = 1: a block takes as many rows and entries as every other, without statistics
//   uncut     natural, and no row is cut; only where the parameter `path` says so
//
// But in paths flat, merged and uncut, rows longer than a segment are cut into segments, and a
// second kernel adds up their sums; at small K blocks take such rows, if none is very long. No
// floating-point atomics: matrix and K alone fix the order of every sum.
//
// Sources: row groups as in the register blocking of Im, Yelick, Vuduc (IJHPCA 2004), without a
// change of format; segments as in RoDe (Pang et al., PPoPP'24); teams as in GE-SpMM (Huang et al.,
// SC'20); the segmented sum of path flat of Blelloch, Heroux, Zagha (CMU-CS-93-173, 1993), with a
// bit per entry as in yaSpMV (Yan et al., PPoPP'14); tasks of path merged of Merrill and Garland
// (SC'16), their products in shared memory as in CSR-Stream (Greathouse and Daga, SC'14).
#include <string>

#include "cuda/device_info.hpp"
#include "formats/check_arrays.hpp"
#include "sparserepro/device/spmm.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"

namespace sparserepro {
namespace {

device::SpmmPath path_named(const std::string& name) {
  using device::SpmmPath;
  for (const SpmmPath path : {SpmmPath::natural, SpmmPath::binned, SpmmPath::grouped,
                              SpmmPath::packed, SpmmPath::staged, SpmmPath::blocks, SpmmPath::flat,
                              SpmmPath::merged, SpmmPath::uncut, SpmmPath::short_rows}) {
    if (name == to_string(path)) {
      return path;
    }
  }
  return SpmmPath::automatic;
}

}  // namespace
}  // namespace sparserepro

#ifdef SPARSEREPRO_HAS_CUDA

#include "formats/public_views.hpp"
#include "spmm/cuda_run.cuh"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class CudaCsrBalanced final : public CudaCsrSpmmRun<Offset, Value> {
 public:
  CudaCsrBalanced(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : CudaCsrSpmmRun<Offset, Value>(problem, a),
        plan_(public_view(this->a()), problem.k(),
              {.path = path_named(params.text("path")),
               .operation = problem.op(),
               .calls = params.integer("calls")}),
        analysis_(plan_.analysis_bytes(), this->stream()) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    plan_.analyse(analysis_.data(), analysis_.size(), this->stream());
    if (product_.size() != plan_.product_bytes()) {
      product_ = DeviceBuffer<char>(plan_.product_bytes(), this->stream());
    }
  }
  void execute() override {
    plan_(1.0, {this->x_rows(), this->k(), this->k(), this->x()}, 0.0,
          {this->y_rows(), this->k(), this->k(), this->y()}, product_.data(), product_.size(),
          this->stream());
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(analysis_.bytes() + product_.bytes());
  }
  Measures measures() const override { return plan_.facts(); }

 private:
  device::SpmmPlan plan_;
  DeviceBuffer<char> analysis_, product_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_csr_balanced() {
  return {
      .name = "cuda_csr_balanced",
      .summary = "rows in groups, bins or packs, or equal shares of entries; long rows cut",
      .source = "own",
      .backend = Backend::cuda,
      .parameters =
          {{"path",
            "auto",
            {"auto", "natural", "binned", "grouped", "packed", "staged", "blocks", "flat", "merged",
             "uncut", "short_rows"},
            "order of the rows; auto: chosen by K and by the lengths and columns of "
            "the rows; uncut: natural order, and no row is cut into segments"},
           {"calls", std::int64_t{0}, {}, "products that will follow the preparation; 0: many", 0}},
      .unavailable = [] { return cuda_unavailable(); },
      .refusal = [](const SpmmProblem& problem, const Params& params) -> std::string {
        if (problem.k() > most_columns_of_x) {
          return std::to_string(problem.k()) + " columns; a row of X has at most " +
                 std::to_string(most_columns_of_x);
        }
        return order_refusal(path_named(params.text("path")), problem.shape().stored, problem.k(),
                             bytes_of(problem.value_type()));
      },
#ifdef SPARSEREPRO_HAS_CUDA
      .prepare = prepare_typed_cuda_spmm<CudaCsrBalanced>
#endif
  };
}

}  // namespace sparserepro
