// Pointers to index on the device: one block writes the elements of one bin. Method:
// pointers_to_index.cuh. Source: transposition seed IV-G.
#include "cuda/block_size.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "primitives/cuda_run.cuh"
#include "primitives/papers/pointers_to_index.cuh"

namespace sparserepro {
namespace {

class CudaPointersToIndex final : public CudaPrimitiveRun {
 public:
  CudaPointersToIndex(const PrimitivesProblem& problem, const Params& params)
      : CudaPrimitiveRun(problem), block_size_(static_cast<int>(params.integer("block_size"))) {}

  void execute() override {
    device::pointers_to_index(pointers(), bins(), block_size_, out_index(), stream());
  }
  std::int64_t workspace_bytes() const override { return 0; }

 private:
  int block_size_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_cuda_pointers_to_index() {
  return {.name = "cuda_pointers_to_index",
          .summary = "a block expands a bin",
          .source = "transposition seed IV-G",
          .backend = Backend::cuda,
          .parameters = {block_size_parameter(32)},
          .applies = solves(Procedure::pointers_to_index),
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const PrimitivesProblem&,
                        const Params& params) { return block_size_refusal(params); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CudaPointersToIndex, PrimitivesProblem>
#endif
  };
}

}  // namespace sparserepro
