// CSR, threads over rows in static chunks, X transposed; each element of Y has a private sum.
// Source: SpMM seed, sections 3.2 and 4.2, parallel_product_CSR. Corrected: the seed lacks the
// final row pointer and treats the last row apart, where it reads values that a pattern does not
// have.
#include "formats/static_chunk.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/papers/transposed_run.hpp"

namespace sparserepro {
namespace {

template <class Offset>
class OmpCsr final : public TransposedSpmmRun {
 public:
  OmpCsr(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : TransposedSpmmRun(problem, params), a_(a.view()) {}

  void execute() override {
    const CsrView<Offset, double> a = a_;
    const double* const xt = xt_.data();
    double* const y = y_.data.data();
    const std::int64_t k = x_.cols;
    const std::int64_t n = x_.rows;
    const std::int64_t chunk = static_chunk(a.rows, threads_);
#pragma omp parallel for schedule(static, chunk) num_threads(threads_)
    for (index_t i = 0; i < a.rows; ++i) {
      const Offset begin = a.row_ptr[i];
      const Offset end = a.row_ptr[i + 1];
      for (std::int64_t z = 0; z < k; ++z) {
        const double* const column = xt + z * n;
        double partial_sum = 0.0;
        for (Offset p = begin; p < end; ++p) {
          partial_sum += a.values[p] * column[a.col_idx[p]];
        }
        y[i * k + z] = partial_sum;
      }
    }
  }

 private:
  CsrView<Offset, double> a_;
};

}  // namespace

Algorithm<SpmmProblem> spmm_omp_csr() {
  return {.name = "omp_csr",
          .summary = "CSR, static chunks of rows, X transposed",
          .source = "SpMM seed 3.2, parallel_product_CSR",
          .backend = Backend::omp,
          .prepare = prepare_csr_spmm<OmpCsr>};
}

}  // namespace sparserepro
