// Eigen's product of a row-major sparse matrix and a dense matrix, Y.noalias() = A X, with X and Y
// row-major, or vectors for K = 1. Eigen reads A once and distributes rows to threads dynamically.
#include "peers/available.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/library_run.hpp"

#ifdef SPARSEREPRO_HAS_EIGEN

#include <Eigen/SparseCore>

namespace sparserepro {
namespace {

class EigenCsr final : public HostSpmmRun {
 public:
  EigenCsr(const SpmmProblem& problem, const Csr<std::int32_t, double>& a, const Params& params)
      : HostSpmmRun(problem, params),
        a_(a.rows, a.cols, a.nnz(), a.row_ptr.data(), a.col_idx.data(), a.values.data()) {}

  void execute() override {
    Eigen::setNbThreads(threads_);
    if (x_.cols == 1) {
      Eigen::Map<Eigen::VectorXd>(y_.data.data(), y_.rows).noalias() =
          a_ * Eigen::Map<const Eigen::VectorXd>(x_.data.data(), x_.rows);
    } else {
      Eigen::Map<Multivector>(y_.data.data(), y_.rows, y_.cols).noalias() =
          a_ * Eigen::Map<const Multivector>(x_.data.data(), x_.rows, x_.cols);
    }
  }

 private:
  using Multivector = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>> a_;
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
          .prepare = prepare_narrow_spmm<EigenCsr>
#endif
  };
}

}  // namespace sparserepro
