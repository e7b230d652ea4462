// SuiteSparse:GraphBLAS, C = A' with A and C stored by row: GrB_transpose, then GrB_wait, which
// sorts the rows of C if the library's method has left them unsorted. A is a matrix of the library
// (64-bit indices before version 10); a pattern is a matrix with one shared value. The library
// allocates C, and chooses its method by size, degree and threads (GB_transpose_method.c). A
// GraphBLAS matrix has no duplicates; a matrix with duplicates is refused.
#include "formats/statistics/duplicates.hpp"
#include "peers/available.hpp"
#include "peers/graphblas.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/host_run.hpp"

#ifdef SPARSEREPRO_HAS_GRAPHBLAS

namespace sparserepro {
namespace {

template <class Offset, class Value>
class GraphblasTranspose final : public Run<TransposeProblem> {
 public:
  GraphblasTranspose(const Csr<Offset, Value>& a, const Params& params)
      : rows_(a.rows),
        cols_(a.cols),
        bytes_(graphblas_bytes(a.view())),
        threads_(params.threads()),
        a_(graphblas_matrix(a.view())) {}

  void discard() override { c_ = {}; }
  void poison() override { c_ = GrbMatrix(graphblas_type<Value>(), cols_ + 1, rows_ + 1); }
  void execute() override {
    graphblas_use_threads(threads_);
    c_ = GrbMatrix(graphblas_type<Value>(), cols_, rows_);
    GRB_CHECK(GrB_transpose(c_.get(), nullptr, nullptr, a_.get(), nullptr));
    c_.wait();
  }
  AnyCsr result() override { return csr_from_graphblas<Offset, Value>(c_); }
  /// Bytes of the library's copy of A. Memory that it allocates during the transposition is unknown
  /// and not counted.
  std::int64_t workspace_bytes() const override { return bytes_; }

 private:
  std::int64_t rows_, cols_, bytes_;
  int threads_;
  GrbMatrix a_, c_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TransposeProblem> transpose_graphblas_transpose() {
  return {
      .name = "graphblas_transpose",
      .summary = "SuiteSparse:GraphBLAS, GrB_transpose and GrB_wait",
      .source = graphblas_library.title() + ", GrB_transpose",
      .backend = Backend::omp,
      .peer = true,
      .unavailable = [] { return graphblas_library.unavailable(); },
      .refusal = [](const TransposeProblem& problem, const Params&) -> std::string {
        return std::visit([](const auto& a) { return has_duplicates(a.view()); }, problem.matrix())
                   ? "GraphBLAS has no matrix with duplicates"
                   : "";
      },
#ifdef SPARSEREPRO_HAS_GRAPHBLAS
      .prepare = prepare_transpose<GraphblasTranspose>
#endif
  };
}

}  // namespace sparserepro
