// CSR-Vector: one warp an element of Y, X transposed; a tree in shared memory adds the partial
// sums.
// Source: SpMM seed, section 3.3, CSR_Vector. Corrected: the seed counts threads with 32 bits,
// which 32 M K exceeds from M K = 2^27 on, and reduces in volatile memory without barriers, which
// is a race since compute capability 7.0.
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/papers/cuda_parameters.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/papers/csr/columns_run.cuh"
#include "spmm/papers/cuda_sub_warp.cuh"

namespace sparserepro {
namespace {

template <class Offset>
class CsrVector final : public CudaColumnsSpmmRun<Offset> {
 public:
  CsrVector(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : CudaColumnsSpmmRun<Offset>(problem, a),
        block_size_(static_cast<int>(params.integer("block_size"))) {}

  void execute() override {
    launch_sub_warps<32>(rows_of(this->a()), this->x_columns(), this->k(), this->rows() * this->k(),
                         this->y(), block_size_, this->stream());
  }

 private:
  int block_size_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_csr_vector() {
  return {.name = "cuda_csr_vector",
          .summary = "one warp an element, X transposed",
          .source = "SpMM seed 3.3, CSR_Vector",
          .backend = Backend::cuda,
          .parameters = {spmm_block_size()},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_csr_spmm<CsrVector>
#endif
  };
}

}  // namespace sparserepro
