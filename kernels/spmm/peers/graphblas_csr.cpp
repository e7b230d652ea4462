// SuiteSparse:GraphBLAS, Y += op(A) X over (+, x) in fp64 with full X and Y stored by row, for
// which the library has a special kernel (GB_AxB_saxpy5.c, with AVX2 and AVX-512). Before each
// product the elements of Y are moved out of the library, set to 0 by all threads and moved back,
// without a copy; an assignment of the scalar 0 would make the library allocate them anew in every
// product. A, X and Y are matrices of the library (64-bit indices before version 10). The library
// refuses matrices with duplicates.
#include "formats/statistics/duplicates.hpp"
#include "peers/available.hpp"
#include "peers/graphblas.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/host_run.hpp"

#ifdef SPARSEREPRO_HAS_GRAPHBLAS

namespace sparserepro {
namespace {

template <class Offset>
class GraphblasCsr final : public Run<SpmmProblem> {
 public:
  GraphblasCsr(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : rows_(problem.y_rows()),
        k_(problem.k()),
        bytes_(graphblas_bytes(a.view()) +
               static_cast<std::int64_t>(problem.x().data.size() * sizeof(double))),
        threads_(params.threads()),
        descriptor_(problem.op() == Operation::none ? nullptr : GrB_DESC_T0),
        a_(graphblas_matrix(a.view())),
        x_(graphblas_full(problem.x().data.data(), problem.x().rows, k_)),
        y_(graphblas_full(nullptr, rows_, k_)) {}

  void poison() override {
    fill_full(y_, std::numeric_limits<double>::quiet_NaN(), rows_ * k_, threads_);
  }
  void execute() override {
    graphblas_use_threads(threads_);
    fill_full(y_, 0.0, rows_ * k_, threads_);
    GRB_CHECK(GrB_mxm(y_.get(), nullptr, GrB_PLUS_FP64, GrB_PLUS_TIMES_SEMIRING_FP64, a_.get(),
                      x_.get(), descriptor_));
    y_.wait();
  }
  Dense result() override {
    Dense y(rows_, k_);
    copy_full(y_, y.data.data(), rows_ * k_);
    return y;
  }
  /// Bytes of the library's copies of A and X.
  std::int64_t workspace_bytes() const override { return bytes_; }

 private:
  std::int64_t rows_, k_, bytes_;
  int threads_;
  GrB_Descriptor descriptor_;
  GrbMatrix a_, x_, y_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_graphblas_csr() {
  return {
      .name = "graphblas_csr",
      .summary = "SuiteSparse:GraphBLAS, Y += A X with full X and Y",
      .source = graphblas_library.title() + ", GrB_mxm",
      .backend = Backend::omp,
      .peer = true,
      .unavailable = [] { return graphblas_library.unavailable(); },
      .refusal = [](const SpmmProblem& problem, const Params&) -> std::string {
        const Shape shape = problem.shape();
        if (shape.rows == 0 || shape.cols == 0 || problem.k() == 0) {
          return "GraphBLAS has no matrix without rows or columns";
        }
        return std::visit([](const auto& a) { return has_duplicates(a.view()); }, problem.matrix())
                   ? "GraphBLAS has no matrix with duplicates"
                   : "";
      },
#ifdef SPARSEREPRO_HAS_GRAPHBLAS
      .prepare = prepare_csr_spmm<GraphblasCsr>
#endif
  };
}

}  // namespace sparserepro
