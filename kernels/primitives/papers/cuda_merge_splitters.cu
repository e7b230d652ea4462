// Merge of pairs of any length: every sp_dist-th element is a splitter, and merges between
// neighbouring splitters are independent. Method: merge_splitters.cuh. Source: transposition seed
// IV-E.
#include "cuda/block_size.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "primitives/cuda_run.cuh"
#include "primitives/papers/merge_splitters.cuh"

namespace sparserepro {
namespace {

class CudaMergeSplitters final : public CudaPrimitiveRun {
 public:
  CudaMergeSplitters(const PrimitivesProblem& problem, const Params& params)
      : CudaPrimitiveRun(problem),
        merge_(problem.length(), problem.segment(), params.integer("sp_dist"),
               static_cast<int>(params.integer("block_size")), stream()) {}

  void execute() override { merge_(values(), payload(), out_keys(), out_payload(), stream()); }
  std::int64_t workspace_bytes() const override { return merge_.workspace_bytes(); }

 private:
  device::SplitterMerge merge_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_cuda_merge_splitters() {
  return {.name = "cuda_merge_splitters",
          .summary = "independent merges between merged splitters",
          .source = "transposition seed IV-E",
          .backend = Backend::cuda,
          .parameters =
              {block_size_parameter(256),
               {"sp_dist", std::int64_t{128}, {}, "elements from one splitter to the next", 2}},
          .applies = solves(Procedure::merge),
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const PrimitivesProblem&, const Params& params) -> std::string {
            const std::string reason = block_size_refusal(params);
            const std::int64_t keys = 2 * params.integer("sp_dist");
            return reason.empty()
                       ? shared_memory_refusal(keys * std::int64_t{sizeof(index_t)},
                                               "merges of " + std::to_string(keys) + " keys")
                       : reason;
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CudaMergeSplitters, PrimitivesProblem>
#endif
  };
}

}  // namespace sparserepro
