// SuiteSparse:GraphBLAS, C = A' with C and A held by row: GrB_transpose, and the wait that sorts
// the rows of C where the library chose a method that leaves them out of order. A is resident in
// the library (indices of 64 bits before version 10); a pattern is a matrix with one shared value.
// The library allocates C itself, and picks its method by size, degree and threads
// (GB_transpose_method.c). A GraphBLAS matrix holds no duplicates; a matrix with some is refused.
#include "formats/duplicates.hpp"
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
  /// The library's own copy of A; what it allocates while it transposes is not known.
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
      .prepare = prepare_host_transpose<GraphblasTranspose>
#endif
  };
}

}  // namespace sparserepro
