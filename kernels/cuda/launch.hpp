// Small helpers around kernel launches.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/check.hpp"
#include "cuda/grid_dependency.cuh"
#include "cuda/per_device.hpp"
#include "formats/ceil_div.hpp"

namespace sparserepro {

/// Allows each kernel all the dynamic shared memory of the current device that its static one
/// leaves, beyond the default of 48 KiB. It is all of it, since the permission belongs to the
/// kernel and not to a launch: one for less would fail the launches of other objects that want
/// more.
template <class... Kernels>
void allow_all_shared(Kernels*... kernels) {
  const auto most = static_cast<std::size_t>(device_limits().shared_bytes_per_block);
  const auto allow = [&](const void* kernel) {
    cudaFuncAttributes attributes{};
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(most - attributes.sharedSizeBytes)));
  };
  (allow(reinterpret_cast<const void*>(kernels)), ...);
}

/// Allows `kernel` to use `bytes` of dynamic shared memory in launches that follow, until another
/// call for the same kernel: for code of which one object exists at a time.
template <class Kernel>
void allow_shared_bytes(Kernel* kernel, std::size_t bytes) {
  CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)));
}

/// Blocks of `kernel` that fill the current device once.
template <class Kernel>
int resident_blocks(Kernel* kernel, int block_threads, std::size_t shared_bytes) {
  int per_multiprocessor = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &per_multiprocessor, reinterpret_cast<const void*>(kernel), block_threads, shared_bytes));
  return per_multiprocessor * device_limits().multiprocessors;
}

/// When a kernel may begin.
enum class Begins {
  after_previous,  ///< when all that was queued before it has ended
  early,           ///< as soon as all blocks of the kernel before it have called
                   ///< let_next_grid_launch() or ended, where the device can do that; what that
                   ///< kernel writes is there after wait_for_previous_grid()
  together         ///< as after_previous, all blocks at once; a launch fails where they cannot
};

template <class Input>
void queue_kernel(Begins begins, void (*kernel)(Input), dim3 grid, unsigned block_threads,
                  cudaStream_t stream, const std::type_identity_t<Input>& input,
                  std::size_t shared_bytes = 0) {
  cudaLaunchAttribute attribute = early_launch_attribute();
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(block_threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs =
      begins == Begins::early && may_launch_early(reinterpret_cast<const void*>(kernel)) ? 1 : 0;
  CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, input));
}

}  // namespace sparserepro
