// Eigen's product of a row-major sparse matrix and a dense matrix, Y.noalias() = A X or
// A.transpose() X, with X and Y row-major, or vectors for K = 1. Eigen reads A once and distributes
// rows to threads dynamically; A^T it takes by one thread.
#include "peers/available.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/library_run.hpp"
#include "spmm/typed_run.hpp"

#ifdef SPARSEREPRO_HAS_EIGEN

#include <Eigen/SparseCore>

namespace sparserepro {
namespace {

template <class Value>
class EigenCsr final : public TypedSpmmRun<Value> {
 public:
  EigenCsr(const SpmmProblem& problem, const CsrView<std::int32_t, Value>& a, const Params& params)
      : TypedSpmmRun<Value>(problem, params),
        a_(a.rows, a.cols, a.nnz, a.row_ptr, a.col_idx, a.values) {}

  void execute() override {
    Eigen::setNbThreads(this->threads_);
    if (this->is_transposed()) {
      multiply(a_.transpose());
    } else {
      multiply(a_);
    }
  }

 private:
  using Multivector = Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::Matrix<Value, Eigen::Dynamic, 1>;

  template <class Matrix>
  void multiply(const Matrix& a) {
    const std::int64_t k = this->k();
    if (k == 1) {
      Eigen::Map<Vector>(this->y(), this->y_rows()).noalias() =
          a * Eigen::Map<const Vector>(this->x(), this->x_rows());
    } else {
      Eigen::Map<Multivector>(this->y(), this->y_rows(), k).noalias() =
          a * Eigen::Map<const Multivector>(this->x(), this->x_rows(), k);
    }
  }

  Eigen::Map<const Eigen::SparseMatrix<Value, Eigen::RowMajor, std::int32_t>> a_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_eigen_csr() {
  return {.name = "eigen_csr",
          .summary = "Eigen, row-major sparse times row-major dense",
          .source = eigen_library.title() + ", SparseMatrix * Matrix",
          .backend = Backend::omp,
          .peer = true,
          .unavailable = [] { return eigen_library.unavailable(); },
          .refusal = [](const SpmmProblem& problem, const Params&) -> std::string {
            return narrow_refusal(problem, "Eigen");
          },
#ifdef SPARSEREPRO_HAS_EIGEN
          .prepare = prepare_typed_narrow_spmm<EigenCsr>
#endif
  };
}

}  // namespace sparserepro
