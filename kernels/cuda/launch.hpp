// Small helpers around kernel launches.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/check.hpp"
#include "cuda/grid_dependency.cuh"
#include "cuda/per_device.hpp"
#include "formats/ceil_div.hpp"

namespace sparserepro {

/// Allows `kernel` to use `bytes` of dynamic shared memory, beyond the default of 48 KiB.
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
  early  ///< as soon as all blocks of the kernel before it have called let_next_grid_launch() or
         ///< ended, where the device can do that; what that kernel writes is there after
         ///< wait_for_previous_grid()
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
