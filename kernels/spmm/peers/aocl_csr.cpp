// AOCL-Sparse's product Y = A X with X and Y row-major: aoclsparse_dcsrmm, or aoclsparse_dmv for
// K = 1. The handle, the hint of the number of calls, and aoclsparse_optimize are preprocessing;
// one call has the handle alone.
#include "peers/aocl.hpp"
#include "peers/available.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/library_run.hpp"

#ifdef SPARSEREPRO_HAS_AOCL

#include <omp.h>

namespace sparserepro {
namespace {

class AoclCsr final : public HostSpmmRun {
 public:
  AoclCsr(const SpmmProblem& problem, const Csr<std::int32_t, double>& a, const Params& params)
      : HostSpmmRun(problem, params),
        source_(a),
        k_(static_cast<aoclsparse_int>(problem.k())),
        calls_(hinted_calls(params)) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    omp_set_num_threads(threads_);
    a_.assign(source_.view());
    if (calls_ == 1) {
      return;
    }
    if (k_ == 1) {
      AOCL_CHECK(
          aoclsparse_set_mv_hint(a_.get(), aoclsparse_operation_none, general_.get(), calls_));
    } else {
      AOCL_CHECK(
          aoclsparse_set_mm_hint(a_.get(), aoclsparse_operation_none, general_.get(), calls_));
    }
    AOCL_CHECK(aoclsparse_optimize(a_.get()));
  }
  void execute() override {
    omp_set_num_threads(threads_);  // the library reads it at each call
    const double* const x = x_.data.data();
    double* const y = y_.data.data();
    const double one = 1.0, zero = 0.0;
    if (k_ == 1) {
      AOCL_CHECK(
          aoclsparse_dmv(aoclsparse_operation_none, &one, a_.get(), general_.get(), x, &zero, y));
    } else {
      AOCL_CHECK(aoclsparse_dcsrmm(aoclsparse_operation_none, one, a_.get(), general_.get(),
                                   aoclsparse_order_row, x, k_, k_, zero, y, k_));
    }
  }

 private:
  const Csr<std::int32_t, double>& source_;
  aoclsparse_int k_, calls_;
  AoclDescription general_;
  AoclMatrix a_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_aocl_csr() {
  return {.name = "aocl_csr",
          .summary = "AOCL-Sparse's product after its analysis",
          .source = aocl_library.title() + ", aoclsparse_dcsrmm after aoclsparse_optimize",
          .backend = Backend::omp,
          .peer = true,
          .parameters = {hint_parameter()},
          .unavailable = [] { return aocl_library.unavailable(); },
          .refusal = [](const SpmmProblem& problem, const Params&) -> std::string {
            const Shape shape = problem.shape();
            if (shape.rows == 0 || shape.cols == 0 || shape.stored == 0 || problem.k() == 0) {
              return "AOCL-Sparse has no matrix without rows, columns or entries";
            }
            return narrow_refusal(problem, "AOCL-Sparse");
          },
#ifdef SPARSEREPRO_HAS_AOCL
          .prepare = prepare_narrow_spmm<AoclCsr>
#endif
  };
}

}  // namespace sparserepro
