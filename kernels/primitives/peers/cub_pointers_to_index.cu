// Pointers to index with CUB: marks[pointers[b]] = b for each bin with elements, 0 elsewhere; the
// inclusive scan of the marks by maximum is the index.
#include "cuda/device_info.hpp"
#include "cuda/peers/cub_version.hpp"
#include "primitives/algorithms.hpp"
#include "primitives/host_run.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#include "primitives/cuda_run.cuh"

namespace sparserepro {
namespace {

__global__ void mark_bins_kernel(const index_t* pointers, index_t bins, index_t* index) {
  const std::int64_t b = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (b < bins && pointers[b] < pointers[b + 1]) {
    index[pointers[b]] = static_cast<index_t>(b);
  }
}

class CubPointersToIndex final : public CudaPrimitiveRun {
 public:
  CubPointersToIndex(const PrimitivesProblem& problem, const Params&)
      : CudaPrimitiveRun(problem), marks_(static_cast<std::size_t>(length()), stream()) {
    std::size_t bytes = 0;
    scan(nullptr, bytes);
    storage_ = DeviceBuffer<char>(bytes, stream());
  }

  void execute() override {
    if (length() == 0) {
      return;
    }
    constexpr unsigned threads = 256;
    marks_.fill_bytes(0, stream());
    mark_bins_kernel<<<ceil_div(static_cast<unsigned>(bins()), threads), threads, 0, stream()>>>(
        pointers(), bins(), marks_.data());
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = storage_.bytes();
    scan(storage_.data(), bytes);
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(marks_.bytes() + storage_.bytes());
  }

 private:
  void scan(void* storage, std::size_t& bytes) {
    CUDA_CHECK(cub::DeviceScan::InclusiveScan(storage, bytes, marks_.data(), out_index(),
                                              cuda::maximum<>{},
                                              static_cast<std::int32_t>(length()), stream()));
  }

  DeviceBuffer<index_t> marks_;  // [length]
  DeviceBuffer<char> storage_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<PrimitivesProblem> primitives_cub_pointers_to_index() {
  return {.name = "cub_pointers_to_index",
          .summary = "CUB's scan by maximum over marked bins",
          .source = cub_version() + ", DeviceScan::InclusiveScan",
          .backend = Backend::cuda,
          .peer = true,
          .applies = solves(Procedure::pointers_to_index),
          .unavailable = [] { return cuda_unavailable(); },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = make_run<CubPointersToIndex, PrimitivesProblem>
#endif
  };
}

}  // namespace sparserepro
