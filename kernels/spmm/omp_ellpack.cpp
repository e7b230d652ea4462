// Padded ELLPACK, threads over the elements of Y (both loops collapsed) in static chunks, X
// transposed: a sum over the slots up to the first one of padding.
// Source: SpMM seed, section 4.2, parallel_product_ellpack. The chunk is computed from the rows,
// though the loop has rows times K iterations, as the seed describes it. Padding is told by
// row_length; the seed's test for equal neighbouring columns drops duplicate entries.
#include "core/static_chunk.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/ellpack_formats.hpp"
#include "spmm/transposed_run.hpp"

namespace sparserepro {
namespace {

class OmpEllpack final : public TransposedSpmmRun {
 public:
  OmpEllpack(const SpmmProblem& problem, const Params& params)
      : TransposedSpmmRun(problem, params),
        a_(make_ellpack(problem)),
        padding_factor_(padding_factor(a_.rows, a_.width, problem.shape().stored)) {}

  void execute() override {
    const index_t* const col_idx = a_.col_idx.data();
    const index_t* const row_length = a_.row_length.data();
    const double* const values = a_.values.data();
    const double* const xt = xt_.data();
    double* const y = y_.data.data();
    const std::int64_t width = a_.width;
    const std::int64_t rows = a_.rows;
    const std::int64_t k = x_.cols;
    const std::int64_t n = x_.rows;
    const std::int64_t chunk = static_chunk(rows, threads_);
#pragma omp parallel for collapse(2) schedule(static, chunk) num_threads(threads_)
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t z = 0; z < k; ++z) {
        const double* const column = xt + z * n;
        const std::int64_t begin = i * width;
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
  Measures measures() const override {
    return {{"padding_factor", padding_factor_}};
  }

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
