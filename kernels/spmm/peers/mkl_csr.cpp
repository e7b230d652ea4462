// oneMKL's inspector-executor product Y = op(A) X with X and Y row-major: mkl_sparse_d_mm, or
// mkl_sparse_d_mv for K = 1; mkl_sparse_s_... in fp32. The handle, the hints of K and of the number
// of calls, and mkl_sparse_optimize are preprocessing; one call has the handle alone.
#include "peers/available.hpp"
#include "peers/mkl.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/library_run.hpp"
#include "spmm/typed_run.hpp"

#ifdef SPARSEREPRO_HAS_MKL

namespace sparserepro {
namespace {

constexpr matrix_descr general{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL,
                               SPARSE_DIAG_NON_UNIT};

template <class Value>
class MklCsr final : public TypedSpmmRun<Value> {
 public:
  MklCsr(const SpmmProblem& problem, const CsrView<std::int32_t, Value>& a, const Params& params)
      : TypedSpmmRun<Value>(problem, params),
        source_(a),
        columns_(static_cast<MKL_INT>(problem.k())),
        calls_(hinted_calls(params)),
        op_(problem.op() == Operation::none ? SPARSE_OPERATION_NON_TRANSPOSE
                                            : SPARSE_OPERATION_TRANSPOSE) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    mkl_use_threads(this->threads_);
    a_ = mkl_matrix(source_);
    if (calls_ == 1) {
      return;
    }
    if (columns_ == 1) {
      MKL_CHECK(mkl_sparse_set_mv_hint(a_.get(), op_, general, calls_));
    } else {
      MKL_CHECK(mkl_sparse_set_mm_hint(a_.get(), op_, general, SPARSE_LAYOUT_ROW_MAJOR, columns_,
                                       calls_));
    }
    MKL_CHECK(mkl_sparse_optimize(a_.get()));
  }
  void execute() override {
    mkl_use_threads(this->threads_);
    const Value* const x = this->x();
    Value* const y = this->y();
    constexpr auto rows = SPARSE_LAYOUT_ROW_MAJOR;
    if constexpr (std::is_same_v<Value, double>) {
      if (columns_ == 1) {
        MKL_CHECK(mkl_sparse_d_mv(op_, 1.0, a_.get(), general, x, 0.0, y));
      } else {
        MKL_CHECK(mkl_sparse_d_mm(op_, 1.0, a_.get(), general, rows, x, columns_, columns_, 0.0, y,
                                  columns_));
      }
    } else if (columns_ == 1) {
      MKL_CHECK(mkl_sparse_s_mv(op_, 1.0f, a_.get(), general, x, 0.0f, y));
    } else {
      MKL_CHECK(mkl_sparse_s_mm(op_, 1.0f, a_.get(), general, rows, x, columns_, columns_, 0.0f, y,
                                columns_));
    }
  }

 private:
  CsrView<std::int32_t, Value> source_;
  MKL_INT columns_, calls_;
  sparse_operation_t op_;
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
          .parameters = {hint_parameter()},
          .unavailable = [] { return mkl_library.unavailable(); },
          .refusal = [](const SpmmProblem& problem, const Params&) -> std::string {
            const Shape shape = problem.shape();
            if (shape.rows == 0 || shape.cols == 0 || shape.stored == 0 || problem.k() == 0) {
              return "oneMKL has no matrix without rows, columns or entries";
            }
            return narrow_refusal(problem, "oneMKL");
          },
#ifdef SPARSEREPRO_HAS_MKL
          .prepare = prepare_typed_narrow_spmm<MklCsr>
#endif
  };
}

}  // namespace sparserepro
