// Sums over the threads before: of a warp, and of a block; and over all of a block.
//
// Three steps for a block: each warp scans by shuffles, each warp adds up the sums of the warps
// before, each thread adds. cub::BlockScan does the last two by a chain over the warps or in one
// warp.
#pragma once

namespace sparserepro {

inline constexpr unsigned full_warp = 0xffffffffU;

/// Sum of the numbers of the lane and of those below. The whole warp calls it.
__device__ __forceinline__ unsigned warp_inclusive_sum(unsigned number) {
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const unsigned below = __shfl_up_sync(full_warp, number, offset);
    number += threadIdx.x % 32 >= offset ? below : 0;
  }
  return number;
}

/// Sum of `value` over the threads of the block before this one, and over all in `total`. The block
/// has `threads` threads, or blockDim.x where that is 0, a multiple of 32. `warp_sums` [warps] is
/// shared. Every thread of the block calls it, and may write `warp_sums` again after the next
/// barrier.
template <int threads>
__device__ __forceinline__ unsigned block_exclusive_sum(unsigned value, unsigned* warp_sums,
                                                        unsigned& total) {
  const unsigned warps = (threads > 0 ? threads : blockDim.x) / 32;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned inclusive = warp_inclusive_sum(value);
  if (lane == 31) {
    warp_sums[warp] = inclusive;
  }
  __syncthreads();
  const unsigned sum = lane < warps ? warp_sums[lane] : 0;
  total = __reduce_add_sync(full_warp, sum);
  return __reduce_add_sync(full_warp, lane < warp ? sum : 0) + inclusive - value;
}

/// The sum of `value` over the block, in every thread. `sum` is shared.
__device__ __forceinline__ int block_sum(int value, int* sum) {
  if (threadIdx.x == 0) {
    *sum = 0;
  }
  __syncthreads();
  value = __reduce_add_sync(full_warp, value);
  if (threadIdx.x % 32 == 0 && value != 0) {
    atomicAdd(sum, value);
  }
  __syncthreads();
  return *sum;
}

}  // namespace sparserepro
