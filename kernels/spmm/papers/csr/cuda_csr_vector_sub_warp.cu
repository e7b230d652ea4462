// CSR-Vector with sub-warps: a few threads (2 in the seed) an element of Y; X row-major. Source:
// SpMM seed, section 3.3, CSR_Vector_Sub_warp. Corrected: the reduction has the barriers that the
// seed lacks, and thread numbers have 64 bits.
#include "cuda/device_info.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/papers/cuda_parameters.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "spmm/papers/cuda_sub_warp.cuh"

namespace sparserepro {
namespace {

template <class Offset>
class CsrVectorSubWarp final : public CudaCsrSpmmRun<Offset> {
 public:
  CsrVectorSubWarp(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : CudaCsrSpmmRun<Offset>(problem, a),
        block_size_(static_cast<int>(params.integer("block_size"))),
        sub_warp_(params.integer("sub_warp")) {}

  void execute() override {
    with_sub_warp(sub_warp_, [&]<int size>() {
      launch_sub_warps<size>(rows_of(this->a()), RowMajorX{this->x(), this->k()}, this->k(),
                             this->rows() * this->k(), this->y(), block_size_, this->stream());
    });
  }

 private:
  int block_size_;
  std::int64_t sub_warp_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<SpmmProblem> spmm_cuda_csr_vector_sub_warp() {
  return {.name = "cuda_csr_vector_sub_warp",
          .summary = "one sub-warp an element, X in rows",
          .source = "SpMM seed 3.3, CSR_Vector_Sub_warp",
          .backend = Backend::cuda,
          .parameters = {spmm_block_size(), spmm_sub_warp(2)},
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_csr_spmm<CsrVectorSubWarp>
#endif
  };
}

}  // namespace sparserepro
