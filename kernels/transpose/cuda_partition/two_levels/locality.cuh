// Whether the entries of A are so near each other that one level of buckets suits them, in
// cuda_partition: tiles of entries from all over A are looked at, and how many buckets they touch.
#pragma once

#include "transpose/cuda_partition/tiles.cuh"
#include "transpose/cuda_partition/two_levels/policy.hpp"

namespace sparserepro::partition {

inline constexpr int locality_threads = 512;

/// A block for each sample, a tile of consecutive entries. A is local if a tile has at least
/// `least_run` entries in each bucket that it touches, in the mean. A band is left alone.
template <int tile_entries>
__global__ void __launch_bounds__(locality_threads)
    choose_way_kernel(TiledMatrix a, PassState* state, unsigned least_run) {
  constexpr int words = (DevicePartitionPolicy::largest_digits + 31) / 32, ahead = 5;
  static_assert(words <= locality_threads);
  __shared__ unsigned touched[words], sums[locality_threads / 32];
  follow_previous_kernel();
  if (state->way == static_cast<unsigned>(Way::band)) {
    return;
  }
  if (threadIdx.x < words) {
    touched[threadIdx.x] = 0;
  }
  __syncthreads();
  const unsigned count = min(a.nnz, unsigned{tile_entries});
  const unsigned* const sample = a.col_idx + std::uint64_t{a.nnz - count} * blockIdx.x / gridDim.x;
  for (unsigned i = threadIdx.x; i < count; i += locality_threads * ahead) {
    unsigned bucket[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      bucket[k] = bucket_of(sample[min(i + k * locality_threads, count - 1)], a.buckets);
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      unsigned* const word = touched + bucket[k] / 32;
      const unsigned bit = 1U << bucket[k] % 32;
      if ((*static_cast<volatile unsigned*>(word) & bit) == 0) {
        atomicOr(word, bit);
      }
    }
  }
  __syncthreads();
  unsigned runs;
  block_exclusive_sum<locality_threads>(threadIdx.x < words ? __popc(touched[threadIdx.x]) : 0,
                                        sums, runs);
  if (threadIdx.x != 0) {
    return;
  }
  atomicAdd(&state->locality_runs, runs);
  __threadfence();
  if (atomicAdd(&state->locality_blocks_done, 1U) == gridDim.x - 1) {
    const std::uint64_t all = atomicExch(&state->locality_runs, 0U);
    const bool local = all * least_run <= std::uint64_t{count} * gridDim.x;
    state->way = static_cast<unsigned>(local ? Way::one_level : Way::two_levels);
    state->locality_blocks_done = 0;
  }
}

}  // namespace sparserepro::partition
