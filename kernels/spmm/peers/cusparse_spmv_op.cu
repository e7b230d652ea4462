// cuSPARSE's product of a CSR matrix and a vector by a plan (cusparseSpMVOp), for K = 1 only, with
// each algorithm. The call is experimental; cuSPARSE 12.9.4 has it with these algorithms.
//
// z = alpha A x + beta y, with the default epilogue of the library. Descriptor and plan are made in
// preprocessing, buffer and vectors before the clock starts. y is a vector of zeros, since the
// library may read it even if beta = 0. Unlike the rest of the generic interface, the call takes
// 64-bit row pointers beside 32-bit column indices.
#include "cuda/peers/cusparse_version.hpp"
#include "spmm/algorithms.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "cuda/peers/cusparse.hpp"

#if SPARSEREPRO_CUSPARSE_EXPERIMENTAL

#include "spmm/cuda_run.cuh"
#include "spmm/peers/cusparse_operands.cuh"

namespace sparserepro {
namespace {

cusparseSpMVOpAlg_t algorithm_named(const std::string& name) {
  return name == "alg1"   ? CUSPARSE_SPMVOP_ALG1
         : name == "alg2" ? CUSPARSE_SPMVOP_ALG2
                          : CUSPARSE_SPMVOP_ALG_DEFAULT;
}

/// Descriptor and plan of one matrix.
class Plan {
 public:
  Plan() = default;
  ~Plan() { release(); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  void make(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnVecDescr_t x,
            cusparseDnVecDescr_t y, cusparseDnVecDescr_t z, cusparseSpMVOpAlg_t algorithm,
            void* buffer) {
    release();
    CUSPARSE_CHECK(CUSPARSE_LATE(cusparseSpMVOp_createDescr)(handle, &description_,
                                                             CUSPARSE_OPERATION_NON_TRANSPOSE, a, x,
                                                             y, z, CUDA_R_64F, algorithm, buffer));
    CUSPARSE_CHECK(
        CUSPARSE_LATE(cusparseSpMVOp_createPlan)(handle, description_, &plan_, nullptr, 0));
  }
  cusparseSpMVOpPlan_t get() const { return plan_; }

 private:
  void release() {
    if (plan_ != nullptr) {
      CUSPARSE_LATE(cusparseSpMVOp_destroyPlan)(std::exchange(plan_, nullptr));
    }
    if (description_ != nullptr) {
      CUSPARSE_LATE(cusparseSpMVOp_destroyDescr)(std::exchange(description_, nullptr));
    }
  }

  cusparseSpMVOpDescr_t description_ = nullptr;
  cusparseSpMVOpPlan_t plan_ = nullptr;
};

template <class Offset>
class CusparseSpmvOp final : public CudaCsrSpmmRun<Offset> {
 public:
  CusparseSpmvOp(const SpmmProblem& problem, const Csr<Offset, double>& matrix,
                 const Params& params)
      : CudaCsrSpmmRun<Offset>(problem, matrix),
        empty_(problem.shape().stored == 0),
        algorithm_(algorithm_named(params.text("alg"))),
        handle_(this->stream()) {
    if (empty_) {  // an error in the library
      return;
    }
    zeros_ = DeviceBuffer<double>(static_cast<std::size_t>(this->rows()), this->stream());
    zeros_.fill_bytes(0, this->stream());
    a_ = describe_csr(this->a());
    x_ = describe_vector(this->x(), this->cols());
    y_ = describe_vector(zeros_.data(), this->rows());
    z_ = describe_vector(this->y(), this->rows());
    std::size_t bytes = 0;
    CUSPARSE_CHECK(CUSPARSE_LATE(cusparseSpMVOp_bufferSize)(
        handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, a_.get(), x_.get(), y_.get(), z_.get(),
        CUDA_R_64F, algorithm_, &bytes));
    buffer_ = DeviceBuffer<char>(bytes, this->stream());
  }

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    if (!empty_) {
      plan_.make(handle_.get(), a_.get(), x_.get(), y_.get(), z_.get(), algorithm_, buffer_.data());
    }
  }
  void execute() override {
    if (empty_) {
      this->write_zeros();
      return;
    }
    CUSPARSE_CHECK(CUSPARSE_LATE(cusparseSpMVOp)(handle_.get(), plan_.get(), &one, &zero, x_.get(),
                                                 y_.get(), z_.get()));
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(buffer_.bytes() + zeros_.bytes());
  }

 private:
  static constexpr double one = 1.0;
  static constexpr double zero = 0.0;

  bool empty_;
  cusparseSpMVOpAlg_t algorithm_;
  CusparseHandle handle_;
  DeviceBuffer<double> zeros_;  // [rows]
  CusparseDescriptor<const cusparseSpMatDescr> a_;
  CusparseDescriptor<cusparseDnVecDescr> x_, y_, z_;
  DeviceBuffer<char> buffer_;
  Plan plan_;  // destroyed before the buffers and descriptors that it refers to
};

}  // namespace
}  // namespace sparserepro

#endif
#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cusparse_spmv_op() {
  return {
    .name = "cusparse_spmv_op",
    .summary = "cuSPARSE's product of a CSR matrix and a vector by a plan, for K = 1",
    .source = cusparse_title() + ", cusparseSpMVOp", .backend = Backend::cuda, .peer = true,
    .parameters =
        {{"alg", "default", {"default", "alg1", "alg2"}, "algorithm that the library uses"}},
    .applies = [](const SpmmProblem& problem) { return problem.k() == 1; },
    .unavailable = [] { return cusparse_experimental_unavailable(); },
    .refusal = [](const SpmmProblem& problem, const Params&) -> std::string {
      const Shape& shape = problem.shape();
      return shape.stored > shape.rows * shape.cols
                 ? "cuSPARSE refuses more entries than the matrix has elements"
                 : "";
    },
#if defined(SPARSEREPRO_HAS_CUDA) && SPARSEREPRO_CUSPARSE_EXPERIMENTAL
    .prepare = prepare_csr_spmm<CusparseSpmvOp>
#endif
  };
}

}  // namespace sparserepro
