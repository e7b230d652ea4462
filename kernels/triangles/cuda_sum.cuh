// Sums of 64-bit counts on the device.
#pragma once

#include <cstdint>

namespace sparserepro {

/// Adds `value` to `*to` atomically. atomicAdd takes `unsigned long long`, which has the size of
/// uint64_t.
__device__ inline void atomic_add(std::uint64_t* to, std::uint64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}

/// Sum over the warp, in lane 0. All 32 lanes must call it.
__device__ inline std::uint64_t warp_sum(std::uint64_t value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xffffffffU, value, distance);
  }
  return value;
}

/// Adds the values of all threads of the block to `*to`, by at most one atomic addition. All
/// threads of the block must call it; blockDim.x must be a multiple of 32.
__device__ inline void add_block_sum(std::uint64_t* to, std::uint64_t value) {
  __shared__ std::uint64_t of_warp[32];
  if (__syncthreads_or(value != 0) == 0) {
    return;
  }
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) {
    of_warp[threadIdx.x / 32] = value;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    value = warp_sum(threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0);
    if (threadIdx.x == 0) {
      atomic_add(to, value);
    }
  }
}

}  // namespace sparserepro
