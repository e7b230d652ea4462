// cuSPARSE's product of a CSR matrix and a vector (cusparseSpMV), for K = 1 only, with each
// algorithm for CSR, with and without its analysis of A (cusparseSpMV_preprocess), which is
// preprocessing. Handle, descriptors and buffer are made before the clock starts; the buffer is the
// workspace.
#include "cuda/peers/cusparse_version.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/peers/cusparse_refusal.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/cuda_run.cuh"
#include "spmm/peers/cusparse_operands.cuh"

namespace sparserepro {
namespace {

cusparseSpMVAlg_t algorithm_named(const std::string& name) {
  return name == "alg1"   ? CUSPARSE_SPMV_CSR_ALG1
         : name == "alg2" ? CUSPARSE_SPMV_CSR_ALG2
                          : CUSPARSE_SPMV_ALG_DEFAULT;
}

class CusparseSpmv final : public CudaCsrSpmmRun<std::int32_t> {
 public:
  CusparseSpmv(const SpmmProblem& problem, const Params& params)
      : CudaCsrSpmmRun<std::int32_t>(problem, cusparse_matrix(problem)),
        analysed_(params.text("preprocess") == "yes"),
        empty_(problem.shape().stored == 0),
        algorithm_(algorithm_named(params.text("alg"))),
        handle_(stream()) {
    if (empty_) {
      return;
    }
    a_ = describe_csr(a());
    x_ = describe_vector(x(), cols());
    y_ = describe_vector(y(), rows());
    std::size_t bytes = 0;
    CUSPARSE_CHECK(cusparseSpMV_bufferSize(handle_.get(), op, &one, a_.get(), x_.get(), &zero,
                                           y_.get(), CUDA_R_64F, algorithm_, &bytes));
    buffer_ = DeviceBuffer<char>(bytes, stream());
  }

  bool has_preprocess() const override { return analysed_; }
  void preprocess() override {
    if (analysed_ && !empty_) {
      CUSPARSE_CHECK(cusparseSpMV_preprocess(handle_.get(), op, &one, a_.get(), x_.get(), &zero,
                                             y_.get(), CUDA_R_64F, algorithm_, buffer_.data()));
    }
  }
  void execute() override {
    if (empty_) {
      write_zeros();
      return;
    }
    CUSPARSE_CHECK(cusparseSpMV(handle_.get(), op, &one, a_.get(), x_.get(), &zero, y_.get(),
                                CUDA_R_64F, algorithm_, buffer_.data()));
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(buffer_.bytes());
  }

 private:
  static constexpr cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr double one = 1.0;
  static constexpr double zero = 0.0;

  bool analysed_, empty_;
  cusparseSpMVAlg_t algorithm_;
  CusparseHandle handle_;
  CusparseDescriptor<const cusparseSpMatDescr> a_;
  CusparseDescriptor<cusparseDnVecDescr> x_, y_;
  DeviceBuffer<char> buffer_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cusparse_spmv() {
  return {.name = "cusparse_spmv",
          .summary = "cuSPARSE's product of a CSR matrix and a vector, for K = 1",
          .source = cusparse_title() + ", cusparseSpMV",
          .backend = Backend::cuda,
          .peer = true,
          .parameters =
              {{"alg", "default", {"default", "alg1", "alg2"}, "algorithm that the library uses"},
               {"preprocess", "no", {"no", "yes"}, "whether the library analyses A first"}},
          .applies = [](const SpmmProblem& problem) { return problem.k() == 1; },
          .unavailable = [] { return cusparse_unavailable(); },
          .refusal = [](const SpmmProblem& problem,
                        const Params&) { return cusparse_refusal(problem); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CusparseSpmv, SpmmProblem>
#endif
  };
}

}  // namespace sparserepro
