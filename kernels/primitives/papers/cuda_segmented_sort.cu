// Segmented sort on the device by rank: one thread counts the elements that precede its element in
// the sorted segment. Method: rank_sort.cuh. Source: transposition seed IV-B, where a segment has
// `block_size` elements.
#include "cuda/block_size.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"
#include "primitives/papers/rank_sort.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "primitives/cuda_run.cuh"
#include "primitives/papers/rank_sort.cuh"

namespace sparserepro {
namespace {

class CudaSegmentedSort final : public CudaPrimitiveRun {
 public:
  CudaSegmentedSort(const PrimitivesProblem& problem, const Params& params)
      : CudaPrimitiveRun(problem), block_size_(static_cast<int>(params.integer("block_size"))) {}

  void execute() override {
    device::segmented_rank_sort(values(), payload(), length(), segment(), block_size_, out_keys(),
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

Algorithm<PrimitivesProblem> primitives_cuda_segmented_sort() {
  return {.name = "cuda_segmented_sort",
          .summary = "rank of each element in shared memory",
          .source = "transposition seed IV-B",
          .backend = Backend::cuda,
          .parameters = {block_size_parameter(128)},
          .applies = solves(Procedure::segmented_sort),
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const PrimitivesProblem& problem, const Params& params) -> std::string {
            const std::string reason = block_size_refusal(params);
            return reason.empty() ? rank_sort_refusal(problem, params) : reason;
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CudaSegmentedSort, PrimitivesProblem>
#endif
  };
}

}  // namespace sparserepro
