// cuSPARSE's product with A^T as its users have it who want it fast and the same in each run: A^T
// in CSR, made once by cusparseCsr2cscEx2 and kept beside A, then cusparseSpMM as for any matrix.
//
// The conversion and the library's analysis of A^T are preprocessing. It applies to op = transpose.
#include "cuda/peers/cusparse_version.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/cusparse_refusal.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/peers/cusparse_product.cuh"

namespace sparserepro {
namespace {

template <class Value>
class CusparseCsrKept final : public TypedCusparseProduct<Value> {
 public:
  CusparseCsrKept(const SpmmProblem& problem, const Params& params)
      : TypedCusparseProduct<Value>(problem, params, cusparse_csr_algorithm(params.text("alg"))),
        analysed_(params.text("preprocess") == "yes") {
    if (this->empty()) {
      return;
    }
    const auto a = this->a();
    const auto nnz = static_cast<std::size_t>(a.nnz);
    row_ptr_ = DeviceBuffer<int>(static_cast<std::size_t>(a.cols) + 1, this->stream());
    col_idx_ = DeviceBuffer<int>(nnz, this->stream());
    values_ = DeviceBuffer<Value>(nnz, this->stream());
    std::size_t bytes = 0;
    CUSPARSE_CHECK(cusparseCsr2cscEx2_bufferSize(
        this->handle().get(), a.rows, a.cols, a.nnz, a.values, a.row_ptr, a.col_idx, values_.data(),
        row_ptr_.data(), col_idx_.data(), cusparse_type<Value>, CUSPARSE_ACTION_NUMERIC,
        CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, &bytes));
    conversion_ = DeviceBuffer<char>(bytes, this->stream());
    convert();  // the library looks at row pointers for the size of its buffer
    this->set_matrix(describe_csr(CsrView<std::int32_t, Value>{
        a.cols, a.rows, a.nnz, row_ptr_.data(), col_idx_.data(), values_.data()}));
  }

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    if (!this->empty()) {
      convert();
      if (analysed_) {
        this->analyse();
      }
    }
  }
  std::int64_t workspace_bytes() const override {
    return TypedCusparseProduct<Value>::workspace_bytes() +
           static_cast<std::int64_t>(row_ptr_.bytes() + col_idx_.bytes() + values_.bytes() +
                                     conversion_.bytes());
  }

 private:
  void convert() {
    const auto a = this->a();
    CUSPARSE_CHECK(cusparseCsr2cscEx2(
        this->handle().get(), a.rows, a.cols, a.nnz, a.values, a.row_ptr, a.col_idx, values_.data(),
        row_ptr_.data(), col_idx_.data(), cusparse_type<Value>, CUSPARSE_ACTION_NUMERIC,
        CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, conversion_.data()));
  }

  bool analysed_;
  DeviceBuffer<int> row_ptr_, col_idx_;  // of A^T
  DeviceBuffer<Value> values_;
  DeviceBuffer<char> conversion_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cusparse_csr_kept() {
  return {
      .name = "cusparse_csr_kept",
      .summary = "cuSPARSE's product of A^T, converted once and kept, and a dense matrix",
      .source = cusparse_title() + ", cusparseCsr2cscEx2 and cusparseSpMM",
      .backend = Backend::cuda,
      .peer = true,
      .parameters = {{"alg",
                      "default",
                      {"default", "alg1", "alg2", "alg3"},
                      "algorithm that the library uses"},
                     cusparse_layout(),
                     {"preprocess", "no", {"no", "yes"}, "whether the library analyses A^T first"}},
      .applies = [](const SpmmProblem& problem) { return problem.op() == Operation::transpose; },
      .unavailable = [] { return cusparse_unavailable(); },
      .refusal = [](const SpmmProblem& problem, const Params& params) -> std::string {
        const std::string& alg = params.text("alg");
        if (params.text("preprocess") == "yes" && alg != "alg1" && alg != "alg3") {
          return "cusparseSpMM_preprocess has no effect on " + alg;
        }
        return cusparse_refusal(problem);
      },
#ifdef SPARSEREPRO_HAS_CUDA
      .prepare = prepare_typed_cusparse<CusparseCsrKept>
#endif
  };
}

}  // namespace sparserepro
