// Padded ELLPACK, threads over the elements of Y (both loops collapsed) in static chunks, X
// transposed; a sum ends before the padding. Source: SpMM seed, section 4.2,
// parallel_product_ellpack. Corrected: row_length tells where the padding begins; the seed compares
// neighbouring columns, which drops duplicate entries.
#include "spmm/algorithms.hpp"
#include "spmm/papers/ellpack/ellpack_formats.hpp"
#include "spmm/papers/transposed_run.hpp"

namespace sparserepro {
namespace {

class OmpEllpack final : public EllpackTransposedRun {
 public:
  OmpEllpack(const SpmmProblem& problem, const Params& params)
      : EllpackTransposedRun(problem, params),
        a_(make_ellpack(problem)),
        padding_factor_(padding_factor(a_.rows, a_.width, problem.shape().stored)) {}

  void execute() override {
    multiply(a_, [width = std::int64_t{a_.width}](std::int64_t i) { return i * width; });
  }
  std::int64_t workspace_bytes() const override {
    return TransposedSpmmRun::workspace_bytes() + stored_bytes(a_);
  }
  Measures measures() const override { return {{"padding_factor", padding_factor_}}; }

 private:
  Ellpack a_;
  double padding_factor_;
};

}  // namespace

Algorithm<SpmmProblem> spmm_omp_ellpack() {
  return {.name = "omp_ellpack",
          .summary = "padded ELLPACK, static chunks of elements, X transposed",
          .source = "SpMM seed 4.2, parallel_product_ellpack",
          .backend = Backend::omp,
          .refusal = ellpack_refusal,
          .prepare = make_run<OmpEllpack, SpmmProblem>};
}

}  // namespace sparserepro
