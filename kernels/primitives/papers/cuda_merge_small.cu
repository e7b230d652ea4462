// Merge of pairs that fit a block's shared memory; one thread places one element.
// Method: merge_small.cuh. Source: transposition seed IV-D.
#include "cuda/block_size.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "primitives/cuda_run.cuh"
#include "primitives/papers/merge_small.cuh"

namespace sparserepro {
namespace {

class CudaMergeSmall final : public CudaPrimitiveRun {
 public:
  CudaMergeSmall(const PrimitivesProblem& problem, const Params& params)
      : CudaPrimitiveRun(problem), block_size_(static_cast<int>(params.integer("block_size"))) {}

  void execute() override {
    device::merge_small(values(), payload(), length(), segment(), block_size_, out_keys(),
                        out_payload(), stream());
  }
  std::int64_t workspace_bytes() const override { return 0; }

 private:
  int block_size_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_cuda_merge_small() {
  return {.name = "cuda_merge_small",
          .summary = "place of each element by binary search in shared memory",
          .source = "transposition seed IV-D",
          .backend = Backend::cuda,
          .parameters = {block_size_parameter(256)},
          .applies = solves(Procedure::merge),
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const PrimitivesProblem& problem, const Params& params) -> std::string {
            const std::string reason = block_size_refusal(params);
            const std::int64_t pair = 2 * std::min(problem.segment(), problem.length());
            return reason.empty()
                       ? shared_memory_refusal(pair * std::int64_t{sizeof(index_t)},
                                               "pairs of " + std::to_string(pair) + " keys")
                       : reason;
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CudaMergeSmall, PrimitivesProblem>
#endif
  };
}

}  // namespace sparserepro
