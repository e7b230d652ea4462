// oneMKL's inspector-executor product Y = A X with X and Y row-major: mkl_sparse_d_mm, or
// mkl_sparse_d_mv for K = 1. The handle, the hints of K and of many calls, and mkl_sparse_optimize
// are preprocessing.
#include "peers/available.hpp"
#include "peers/mkl.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/library_run.hpp"

#ifdef SPARSEREPRO_HAS_MKL

namespace sparserepro {
namespace {

constexpr MKL_INT expected_calls = 1000;
constexpr matrix_descr general{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL,
                               SPARSE_DIAG_NON_UNIT};

class MklCsr final : public HostSpmmRun {
 public:
  MklCsr(const SpmmProblem& problem, const Csr<std::int32_t, double>& a, const Params& params)
      : HostSpmmRun(problem, params), source_(a), k_(static_cast<MKL_INT>(problem.k())) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    mkl_use_threads(threads_);
    a_ = mkl_matrix(source_.view());
    if (k_ == 1) {
      MKL_CHECK(mkl_sparse_set_mv_hint(a_.get(), SPARSE_OPERATION_NON_TRANSPOSE, general,
                                       expected_calls));
    } else {
      MKL_CHECK(mkl_sparse_set_mm_hint(a_.get(), SPARSE_OPERATION_NON_TRANSPOSE, general,
                                       SPARSE_LAYOUT_ROW_MAJOR, k_, expected_calls));
    }
    MKL_CHECK(mkl_sparse_optimize(a_.get()));
  }
  void execute() override {
    mkl_use_threads(threads_);
    const double* const x = x_.data.data();
    double* const y = y_.data.data();
    if (k_ == 1) {
      MKL_CHECK(mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1.0, a_.get(), general, x, 0.0, y));
    } else {
      MKL_CHECK(mkl_sparse_d_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1.0, a_.get(), general,
                                SPARSE_LAYOUT_ROW_MAJOR, x, k_, k_, 0.0, y, k_));
    }
  }

 private:
  const Csr<std::int32_t, double>& source_;
  MKL_INT k_;
  MklMatrix a_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_mkl_csr() {
  return {.name = "mkl_csr",
          .summary = "oneMKL's inspector-executor product",
          .source = mkl_library.title() + ", mkl_sparse_d_mm after mkl_sparse_optimize",
          .backend = Backend::omp,
          .peer = true,
          .unavailable = [] { return mkl_library.unavailable(); },
          .refusal = [](const SpmmProblem& problem, const Params&) -> std::string {
            const Shape shape = problem.shape();
            if (shape.rows == 0 || shape.cols == 0 || shape.stored == 0 || problem.k() == 0) {
              return "oneMKL has no matrix without rows, columns or entries";
            }
            return narrow_refusal(problem, "oneMKL");
          },
#ifdef SPARSEREPRO_HAS_MKL
          .prepare = prepare_narrow_spmm<MklCsr>
#endif
  };
}

}  // namespace sparserepro
