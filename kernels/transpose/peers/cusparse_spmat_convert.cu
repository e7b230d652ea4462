// cuSPARSE's conversion between descriptors (cusparseSpMatConvert): from CSR of A to CSC of A,
// whose arrays are A^T in CSR, or to CSR of A^T by the operation of the call. The call is
// experimental and has no published documentation; cuSPARSE 12.9.4 has it, between CSR and CSC
// only.
//
// Handle, descriptors and buffer are made before the clock starts; the buffer is the workspace. The
// analysis, which the call requires, is preprocessing. A pattern is converted with
// CUSPARSE_ACTION_SYMBOLIC. A conversion of a matrix of one entry shows which targets, types and
// widths the library supports.
#include "cuda/peers/cusparse_version.hpp"
#include "transpose/algorithms.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "cuda/peers/cusparse.hpp"

#if SPARSEREPRO_CUSPARSE_EXPERIMENTAL

#include <map>
#include <tuple>

#include "transpose/cuda_run.cuh"

namespace sparserepro {
namespace {

/// The three calls of a conversion of A to its transpose, both in device memory.
template <class Offset, class Value>
class Conversion {
 public:
  /// `target` is "csc" of A or "csr" of A^T; its arrays are col_ptr [cols + 1], row_idx and values
  /// [nnz].
  Conversion(const std::string& target, const CsrView<Offset, Value>& a, Offset* col_ptr,
             index_t* row_idx, Value* values)
      : Conversion(target == "csc" ? CUSPARSE_OPERATION_NON_TRANSPOSE
                                   : CUSPARSE_OPERATION_TRANSPOSE) {
    CUSPARSE_CHECK(cusparseCreateConstCsr(&source_, a.rows, a.cols, a.nnz, a.row_ptr, a.col_idx,
                                          a.values, width, CUSPARSE_INDEX_32I,
                                          CUSPARSE_INDEX_BASE_ZERO, type));
    CUSPARSE_CHECK(
        target == "csc"
            ? cusparseCreateCsc(&target_, a.rows, a.cols, a.nnz, col_ptr, row_idx, values, width,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type)
            : cusparseCreateCsr(&target_, a.cols, a.rows, a.nnz, col_ptr, row_idx, values, width,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type));
    CUSPARSE_CHECK(CUSPARSE_LATE(cusparseSpMatConvertDescrCreate)(&state_));
  }
  ~Conversion() {
    if (state_ != nullptr) {
      CUSPARSE_LATE(cusparseSpMatConvertDescrDestroy)(state_);
    }
    cusparseDestroySpMat(target_);
    cusparseDestroySpMat(source_);
  }
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  cusparseStatus_t buffer_size(cusparseHandle_t handle, std::size_t& bytes) {
    return CUSPARSE_LATE(cusparseSpMatConvert_bufferSize)(handle, operation_, source_, target_,
                                                          action, algorithm, state_, &bytes);
  }
  cusparseStatus_t analyse(cusparseHandle_t handle, void* buffer) {
    return CUSPARSE_LATE(cusparseSpMatConvert_analysis)(handle, operation_, source_, target_,
                                                        action, algorithm, state_, buffer);
  }
  cusparseStatus_t convert(cusparseHandle_t handle, void* buffer) {
    return CUSPARSE_LATE(cusparseSpMatConvert)(handle, operation_, source_, target_, action,
                                               algorithm, state_, buffer);
  }

 private:
  /// Makes no descriptor. The other constructor delegates to it, so that the destructor releases
  /// its descriptors even if it throws.
  explicit Conversion(cusparseOperation_t operation) : operation_(operation) {}

  static constexpr cudaDataType type = std::is_same_v<Value, double> ? CUDA_R_64F : CUDA_R_32F;
  static constexpr cusparseIndexType_t width =
      sizeof(Offset) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
  static constexpr cusparseAction_t action =
      has_values<Value> ? CUSPARSE_ACTION_NUMERIC : CUSPARSE_ACTION_SYMBOLIC;
  static constexpr cusparseSpMatConvertAlg_t algorithm = CUSPARSE_SPMAT_CONVERT_ALG_DEFAULT;

  cusparseOperation_t operation_;
  cusparseConstSpMatDescr_t source_ = nullptr;
  cusparseSpMatDescr_t target_ = nullptr;
  cusparseSpMatConvertDescr_t state_ = nullptr;
};

template <class Offset, class Value>
class CusparseSpmatConvert final : public CudaTransposeRun<Offset, Value> {
 public:
  CusparseSpmatConvert(const Csr<Offset, Value>& a, const Params& params)
      : CudaTransposeRun<Offset, Value>(a), handle_(this->stream()) {
    if (a.col_idx.empty()) {
      return;
    }
    conversion_ = std::make_unique<Conversion<Offset, Value>>(
        params.text("target"), this->a(), this->col_ptr(), this->row_idx(), this->values());
    std::size_t bytes = 0;
    CUSPARSE_CHECK(conversion_->buffer_size(handle_.get(), bytes));
    buffer_ = DeviceBuffer<char>(bytes, this->stream());
  }

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    if (conversion_) {
      CUSPARSE_CHECK(conversion_->analyse(handle_.get(), buffer_.data()));
    }
  }
  void execute() override {
    if (!conversion_) {
      this->write_empty();
      return;
    }
    CUSPARSE_CHECK(conversion_->convert(handle_.get(), buffer_.data()));
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(buffer_.bytes());
  }

 private:
  CusparseHandle handle_;
  std::unique_ptr<Conversion<Offset, Value>> conversion_;  // null if A has no entry
  DeviceBuffer<char> buffer_;
};

/// "" or the library's error for a conversion of a matrix of one entry with these types.
template <class Offset, class Value>
std::string try_conversion(const std::string& target) {
  Csr<Offset, Value> one(1, 1, 1);
  one.row_ptr = {0, 1};
  one.col_idx = {0};
  try {
    CusparseSpmatConvert<Offset, Value> run(one, {{"target", target}});
    run.preprocess();
    run.execute();
    run.download();
  } catch (const CudaError& error) {
    return error.what();
  }
  return "";
}

/// "" or why the library cannot convert the matrix. try_conversion is called once for each target,
/// type and width.
std::string conversion_refusal(const TransposeProblem& problem, const Params& params) {
  if (!cusparse_experimental_unavailable().empty()) {
    return "";
  }
  const Shape shape = problem.shape();
  if (shape.stored > shape.rows * shape.cols) {
    return "cuSPARSE refuses more entries than the matrix has elements";
  }
  static std::map<std::pair<std::string, std::size_t>, std::string> answers;
  const std::pair key{params.text("target"), problem.matrix().index()};
  const auto known = answers.find(key);
  return known != answers.end()
             ? known->second
             : answers[key] = std::visit(
                   [&](const auto& a) {
                     using Matrix_ = std::decay_t<decltype(a)>;
                     return try_conversion<typename Matrix_::offset_type,
                                           typename Matrix_::value_type>(key.first);
                   },
                   problem.matrix());
}

}  // namespace
}  // namespace sparserepro

#endif
#endif

namespace sparserepro {

Algorithm<TransposeProblem> transpose_cusparse_spmat_convert() {
  return {
    .name = "cusparse_spmat_convert",
    .summary = "cuSPARSE's conversion of CSR to CSC by descriptors, with analysis",
    .source = cusparse_title() + ", cusparseSpMatConvert", .backend = Backend::cuda, .peer = true,
    .parameters =
        {{"target", "csc", {"csc", "csr"}, "form of the answer: A in CSC, or A^T in CSR"}},
    .unavailable = [] { return cusparse_experimental_unavailable(); },
#if defined(SPARSEREPRO_HAS_CUDA) && SPARSEREPRO_CUSPARSE_EXPERIMENTAL
    .refusal = conversion_refusal, .prepare = prepare_transpose<CusparseSpmatConvert>
#endif
  };
}

}  // namespace sparserepro
