// oneMKL's mkl_sparse_convert_csr with SPARSE_OPERATION_TRANSPOSE: from a handle to the arrays of A
// to a handle to a new CSR matrix, which the library allocates. The handle of A is made before the
// clock starts.
#include "formats/statistics/duplicates.hpp"
#include "peers/available.hpp"
#include "peers/mkl.hpp"
#include "transpose/algorithms.hpp"
#include "transpose/peers/library_run.hpp"

#ifdef SPARSEREPRO_HAS_MKL

namespace sparserepro {
namespace {

sparse_status_t export_csr(sparse_matrix_t matrix, MKL_INT* size, MKL_INT** arrays,
                           double** values) {
  sparse_index_base_t base{};
  return mkl_sparse_d_export_csr(matrix, &base, &size[0], &size[1], &arrays[0], &arrays[1],
                                 &arrays[2], values);
}
sparse_status_t export_csr(sparse_matrix_t matrix, MKL_INT* size, MKL_INT** arrays,
                           float** values) {
  sparse_index_base_t base{};
  return mkl_sparse_s_export_csr(matrix, &base, &size[0], &size[1], &arrays[0], &arrays[1],
                                 &arrays[2], values);
}

template <class Value>
class MklConvertCsr final : public Run<TransposeProblem> {
 public:
  MklConvertCsr(const Csr<std::int32_t, Value>& a, const Params& params)
      : threads_(params.threads()), a_(mkl_matrix(a.view())) {}

  void discard() override { transposed_.reset(); }
  void poison() override { transposed_.reset(); }
  void execute() override {
    mkl_use_threads(threads_);
    MKL_CHECK(mkl_sparse_convert_csr(a_.get(), SPARSE_OPERATION_TRANSPOSE, transposed_.out()));
  }
  AnyCsr result() override {
    if (transposed_.get() == nullptr) {
      return Csr<std::int32_t, Value>();
    }
    MKL_INT size[2] = {};
    MKL_INT* arrays[3] = {};  // begins of the rows, ends of the rows, columns
    Value* values = nullptr;
    MKL_CHECK(export_csr(transposed_.get(), size, arrays, &values));
    const MKL_INT nnz = size[0] == 0 ? 0 : arrays[1][size[0] - 1];
    Csr<std::int32_t, Value> out(size[0], size[1], nnz);
    out.row_ptr[0] = 0;
    std::copy_n(arrays[1], size[0], out.row_ptr.begin() + 1);
    std::copy_n(arrays[2], nnz, out.col_idx.begin());
    std::copy_n(values, nnz, out.values.begin());
    return out;
  }
  /// Memory that the library allocates during the conversion is unknown and not counted.
  std::int64_t workspace_bytes() const override { return 0; }

 private:
  int threads_;
  MklMatrix a_, transposed_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TransposeProblem> transpose_mkl_convert_csr() {
  return {.name = "mkl_convert_csr",
          .summary = "oneMKL's conversion to CSR, transposing",
          .source = mkl_library.title() + ", mkl_sparse_convert_csr",
          .backend = Backend::omp,
          .peer = true,
          .unavailable = [] { return mkl_library.unavailable(); },
          .refusal = [](const TransposeProblem& problem, const Params&) -> std::string {
            const Shape shape = problem.shape();
            if (shape.rows == 0 || shape.cols == 0 || shape.stored == 0) {
              return "oneMKL has no matrix without rows, columns or entries";
            }
            const std::string reason = narrow_refusal(problem, "oneMKL");
            const bool repeats = std::visit([](const auto& a) { return has_duplicates(a.view()); },
                                            problem.matrix());
            return reason.empty() && repeats ? "oneMKL changes the order of duplicates" : reason;
          },
#ifdef SPARSEREPRO_HAS_MKL
          .prepare = prepare_narrow_transpose<MklConvertCsr>
#endif
  };
}

}  // namespace sparserepro
