// ELLPACK without padding, threads over the elements of Y (both loops collapsed) in static chunks,
// X transposed.
// Source: SpMM seed, section 4.2, parallel_product_ellpack_no_zero_padding. The chunk is computed
// from the rows, though the loop has rows times K iterations, as the seed describes it.
#include "core/static_chunk.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/ellpack_formats.hpp"
#include "spmm/transposed_run.hpp"

namespace sparserepro {
namespace {

class OmpEllpackNoPadding final : public TransposedSpmmRun {
 public:
  OmpEllpackNoPadding(const SpmmProblem& problem, const Params& params)
      : TransposedSpmmRun(problem, params), a_(make_ellpack_no_padding(problem)) {}

  void execute() override {
    const index_t* const col_idx = a_.col_idx.data();
    const index_t* const row_length = a_.row_length.data();
    const std::int64_t* const row_offset = a_.row_offset.data();
    const double* const values = a_.values.data();
    const double* const xt = xt_.data();
    double* const y = y_.data.data();
    const std::int64_t rows = a_.rows;
    const std::int64_t k = x_.cols;
    const std::int64_t n = x_.rows;
    const std::int64_t chunk = static_chunk(rows, threads_);
#pragma omp parallel for collapse(2) schedule(static, chunk) num_threads(threads_)
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t z = 0; z < k; ++z) {
        const double* const column = xt + z * n;
        const std::int64_t begin = row_offset[i];
        const std::int64_t end = begin + row_length[i];
        double partial_sum = 0.0;
        for (std::int64_t p = begin; p < end; ++p) {
          partial_sum += values[p] * column[col_idx[p]];
        }
        y[i * k + z] = partial_sum;
      }
    }
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
