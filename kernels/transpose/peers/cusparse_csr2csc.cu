// cuSPARSE's conversion of CSR to CSC, with each algorithm of the toolkit. The library takes 32-bit
// row pointers and counts only. Handle and buffer are made before the clock starts; the buffer is
// the workspace. A pattern is converted with CUSPARSE_ACTION_SYMBOLIC.
#include "cuda/peers/cusparse_version.hpp"
#include "transpose/algorithms.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "cuda/peers/cusparse.hpp"
#include "transpose/cuda_run.cuh"

namespace sparserepro {
namespace {

struct NamedAlgorithm {
  const char* name;
  cusparseCsr2CscAlg_t value;
};

// Version 12 of the library has no second algorithm.
constexpr NamedAlgorithm cusparse_algorithms[] = {
#if CUSPARSE_VERSION >= 12000
    {"default", CUSPARSE_CSR2CSC_ALG_DEFAULT},
    {"alg1", CUSPARSE_CSR2CSC_ALG1},
#else
    {"alg1", CUSPARSE_CSR2CSC_ALG1},
    {"alg2", CUSPARSE_CSR2CSC_ALG2},
#endif
};

template <class Offset, class Value>
class CusparseCsr2csc final : public CudaTransposeRun<Offset, Value> {
 public:
  CusparseCsr2csc(const Csr<Offset, Value>& a, const Params& params)
      : CudaTransposeRun<Offset, Value>(a), handle_(this->stream()) {
    for (const NamedAlgorithm& each : cusparse_algorithms) {
      if (params.text("alg") == each.name) {
        algorithm_ = each.value;
      }
    }
    const auto in = this->a();
    if (in.nnz == 0) {  // an error in the library
      return;
    }
    std::size_t bytes = 0;
    CUSPARSE_CHECK(cusparseCsr2cscEx2_bufferSize(
        handle_.get(), in.rows, in.cols, static_cast<int>(in.nnz), in.values, row_ptr(), in.col_idx,
        this->values(), col_ptr(), this->row_idx(), type, action, CUSPARSE_INDEX_BASE_ZERO,
        algorithm_, &bytes));
    buffer_ = DeviceBuffer<char>(bytes, this->stream());
  }

  void execute() override {
    const auto in = this->a();
    if (in.nnz == 0) {
      this->write_empty();
      return;
    }
    CUSPARSE_CHECK(cusparseCsr2cscEx2(handle_.get(), in.rows, in.cols, static_cast<int>(in.nnz),
                                      in.values, row_ptr(), in.col_idx, this->values(), col_ptr(),
                                      this->row_idx(), type, action, CUSPARSE_INDEX_BASE_ZERO,
                                      algorithm_, buffer_.data()));
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(buffer_.bytes());
  }

 private:
  static constexpr cudaDataType type = std::is_same_v<Value, double> ? CUDA_R_64F : CUDA_R_32F;
  static constexpr cusparseAction_t action =
      has_values<Value> ? CUSPARSE_ACTION_NUMERIC : CUSPARSE_ACTION_SYMBOLIC;

  // The cast is valid: the algorithm refuses 64-bit row pointers.
  const int* row_ptr() const { return reinterpret_cast<const int*>(this->a().row_ptr); }
  int* col_ptr() { return reinterpret_cast<int*>(CudaTransposeRun<Offset, Value>::col_ptr()); }

  CusparseHandle handle_;
  cusparseCsr2CscAlg_t algorithm_ = cusparse_algorithms[0].value;
  DeviceBuffer<char> buffer_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TransposeProblem> transpose_cusparse_csr2csc() {
#ifdef SPARSEREPRO_HAS_CUDA
  std::vector<ParamValue> algorithms;
  for (const NamedAlgorithm& each : cusparse_algorithms) {
    algorithms.emplace_back(each.name);
  }
#else
  const std::vector<ParamValue> algorithms{"default"};
#endif
  return {
      .name = "cusparse_csr2csc",
      .summary = "cuSPARSE's conversion of CSR to CSC",
      .source = cusparse_title() + ", cusparseCsr2cscEx2",
      .backend = Backend::cuda,
      .peer = true,
      .parameters = {{"alg", algorithms.front(), algorithms, "algorithm that the library uses"}},
      .unavailable = [] { return cusparse_unavailable(); },
      .refusal = [](const TransposeProblem& problem, const Params&) -> std::string {
        const bool wide = std::visit(
                              [](const auto& a) {
                                return sizeof(typename std::decay_t<decltype(a)>::offset_type);
                              },
                              problem.matrix()) == 8;
        return wide ? "cuSPARSE's csr2csc takes 32-bit row pointers only" : "";
      },
#ifdef SPARSEREPRO_HAS_CUDA
      .prepare = prepare_transpose<CusparseCsr2csc>
#endif
  };
}

}  // namespace sparserepro
