// Exclusive scan with CUB: 32-bit elements, 64-bit sums.
#include "cuda/device_info.hpp"
#include "cuda/peers/cub_version.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include "primitives/cuda_run.cuh"

namespace sparserepro {
namespace {

class CubScan final : public CudaPrimitiveRun {
 public:
  CubScan(const PrimitivesProblem& problem, const Params&) : CudaPrimitiveRun(problem) {
    std::size_t bytes = 0;
    scan(nullptr, bytes);
    storage_ = DeviceBuffer<char>(bytes, stream());
  }

  void execute() override {
    if (length() > 0) {
      std::size_t bytes = storage_.bytes();
      scan(storage_.data(), bytes);
    }
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(storage_.bytes());
  }

 private:
  void scan(void* storage, std::size_t& bytes) {
    CUDA_CHECK(cub::DeviceScan::ExclusiveScan(storage, bytes, values(), out_sums(),
                                              cuda::std::plus<>{}, std::int64_t{0},
                                              static_cast<std::int32_t>(length()), stream()));
  }

  DeviceBuffer<char> storage_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_cub_scan() {
  return {.name = "cub_scan",
          .summary = "CUB's single-pass scan",
          .source = cub_version() + ", DeviceScan::ExclusiveScan",
          .backend = Backend::cuda,
          .peer = true,
          .applies = solves(Procedure::scan),
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CubScan, PrimitivesProblem>
#endif
  };
}

}  // namespace sparserepro
