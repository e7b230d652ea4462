// Index to pointers on the device: partial histograms, their vertical scan, the scan of the totals.
// Method and corrections: index_to_pointers.cuh. Source: transposition seed IV-F and VIII.
#include "cuda/block_size.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "primitives/cuda_run.cuh"
#include "primitives/papers/index_to_pointers.cuh"

namespace sparserepro {
namespace {

class CudaIndexToPointers final : public CudaPrimitiveRun {
 public:
  CudaIndexToPointers(const PrimitivesProblem& problem, const Params& params)
      : CudaPrimitiveRun(problem),
        convert_(
            problem.length(), problem.bins(), static_cast<int>(params.integer("block_size")),
            params.text("counting") == "owner" ? device::Counting::owner : device::Counting::atomic,
            params.text("vertical_scan") == "transpose" ? device::VerticalScan::transpose
                                                        : device::VerticalScan::columns,
            stream()) {}

  void execute() override { convert_(values(), out_pointers(), stream()); }
  std::int64_t workspace_bytes() const override { return convert_.workspace_bytes(); }

 private:
  device::IndexToPointers convert_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_cuda_index_to_pointers() {
  return {.name = "cuda_index_to_pointers",
          .summary = "partial histograms, vertical scan, scan",
          .source = "transposition seed IV-F, VIII",
          .backend = Backend::cuda,
          .parameters = {block_size_parameter(256),
                         {"counting",
                          "atomic",
                          {"atomic", "owner"},
                          "atomic: threads count by atomic additions; owner: each thread counts "
                          "only the values that it owns"},
                         {"vertical_scan",
                          "columns",
                          {"columns", "transpose"},
                          "prefix sums down the partial histograms; columns: in place, transpose: "
                          "along the rows of the transposed histograms"}},
          .applies = solves(Procedure::index_to_pointers),
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const PrimitivesProblem&,
                        const Params& params) { return block_size_refusal(params); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CudaIndexToPointers, PrimitivesProblem>
#endif
  };
}

}  // namespace sparserepro
