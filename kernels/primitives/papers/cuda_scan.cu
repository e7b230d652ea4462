// Exclusive scan on the device by Blelloch's algorithm, recursive over block sums. Method and
// difference from the seed: blelloch_scan.cuh. Source: transposition seed IV-A. Corrected: the
// seed's code reads one element past the end of an array of odd length.
#include "cuda/block_size.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "primitives/cuda_run.cuh"
#include "primitives/papers/blelloch_scan.cuh"

namespace sparserepro {
namespace {

class CudaScan final : public CudaPrimitiveRun {
 public:
  CudaScan(const PrimitivesProblem& problem, const Params& params)
      : CudaPrimitiveRun(problem),
        scan_(problem.length(), static_cast<int>(params.integer("block_size")), stream()) {}

  void execute() override { scan_(values(), out_sums(), stream()); }
  std::int64_t workspace_bytes() const override { return scan_.workspace_bytes(); }

 private:
  device::BlellochScan<index_t, std::int64_t> scan_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_cuda_scan() {
  return {.name = "cuda_scan",
          .summary = "Blelloch's tree in shared memory, recursive over block sums",
          .source = "transposition seed IV-A",
          .backend = Backend::cuda,
          .parameters = {block_size_parameter(256)},
          .applies = solves(Procedure::scan),
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const PrimitivesProblem&, const Params& params) -> std::string {
            const std::string reason = block_size_refusal(params);
            return reason.empty() ? power_of_two_refusal(params) : reason;
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CudaScan, PrimitivesProblem>
#endif
  };
}

}  // namespace sparserepro
