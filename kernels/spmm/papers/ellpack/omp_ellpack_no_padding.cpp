// ELLPACK without padding, threads over the elements of Y (both loops collapsed) in static chunks,
// X transposed.
// Source: SpMM seed, section 4.2, parallel_product_ellpack_no_zero_padding.
#include "spmm/algorithms.hpp"
#include "spmm/papers/ellpack/ellpack_formats.hpp"
#include "spmm/papers/transposed_run.hpp"

namespace sparserepro {
namespace {

class OmpEllpackNoPadding final : public EllpackTransposedRun {
 public:
  OmpEllpackNoPadding(const SpmmProblem& problem, const Params& params)
      : EllpackTransposedRun(problem, params), a_(make_ellpack_no_padding(problem)) {}

  void execute() override {
    multiply(a_, [offset = a_.row_offset.data()](std::int64_t i) { return offset[i]; });
  }
  std::int64_t workspace_bytes() const override {
    return TransposedSpmmRun::workspace_bytes() + stored_bytes(a_);
  }

 private:
  EllpackNoPadding a_;
};

}  // namespace

Algorithm<SpmmProblem> spmm_omp_ellpack_no_padding() {
  return {.name = "omp_ellpack_no_padding",
          .summary = "unpadded ELLPACK, static chunks of elements, X transposed",
          .source = "SpMM seed 4.2, parallel_product_ellpack_no_zero_padding",
          .backend = Backend::omp,
          .prepare = make_run<OmpEllpackNoPadding, SpmmProblem>};
}

}  // namespace sparserepro
