// Eigen's assignment B = A of a row-major sparse matrix to a column-major one, on one thread. The
// CSC arrays of A are the CSR arrays of A^T. Eigen does a counting sort with a second array of
// positions.
#include "peers/available.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/peers/library_run.hpp"

#ifdef SPARSEREPRO_HAS_EIGEN

#include <Eigen/SparseCore>

namespace sparserepro {
namespace {

template <class Value>
class EigenTranspose final : public Run<TransposeProblem> {
 public:
  EigenTranspose(const Csr<std::int32_t, Value>& a, const Params&)
      : a_(a.rows, a.cols, a.nnz(), a.row_ptr.data(), a.col_idx.data(), a.values.data()) {}

  /// Releases the memory of `b_`, which an assignment would keep.
  void discard() override {
    Columns empty;
    b_.swap(empty);
  }
  void poison() override { b_ = Columns(a_.rows() + 1, a_.cols() + 1); }
  void execute() override { b_ = a_; }
  AnyCsr result() override {
    const auto rows = static_cast<index_t>(b_.cols());
    Csr<std::int32_t, Value> out(rows, static_cast<index_t>(b_.rows()),
                                 static_cast<std::int32_t>(b_.nonZeros()));
    std::copy_n(b_.outerIndexPtr(), rows + 1, out.row_ptr.begin());
    std::copy_n(b_.innerIndexPtr(), out.nnz(), out.col_idx.begin());
    std::copy_n(b_.valuePtr(), out.nnz(), out.values.begin());
    return out;
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(sizeof(std::int32_t)) * a_.cols();
  }

 private:
  using Rows = Eigen::SparseMatrix<Value, Eigen::RowMajor, std::int32_t>;
  using Columns = Eigen::SparseMatrix<Value, Eigen::ColMajor, std::int32_t>;

  Eigen::Map<const Rows> a_;
  Columns b_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TransposeProblem> transpose_eigen_transpose() {
  return {.name = "eigen_transpose",
          .summary = "Eigen's row-major to column-major assignment",
          .source = eigen_library.title() + ", SparseMatrix",
          .backend = Backend::serial,
          .peer = true,
          .unavailable = [] { return eigen_library.unavailable(); },
          .refusal = [](const TransposeProblem& problem, const Params&) -> std::string {
            return narrow_refusal(problem, "Eigen");
          },
#ifdef SPARSEREPRO_HAS_EIGEN
          .prepare = prepare_narrow_transpose<EigenTranspose>
#endif
  };
}

}  // namespace sparserepro
