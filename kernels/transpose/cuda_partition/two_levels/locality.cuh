// Whether the entries of A are so near each other that one level of buckets suits them, in
// cuda_partition: tiles of entries from all over A are looked at, and how many buckets they touch.
#pragma once

#include "transpose/cuda_partition/tiles.cuh"
#include "transpose/cuda_partition/two_levels/policy.hpp"

namespace sparserepro::partition {

/// The look at locality: its counters and its answer.
struct Locality {
  unsigned* way;          ///< Way::band if it is known to be one; else the answer
  unsigned* runs;         ///< of all samples; 0 before and after
  unsigned* blocks_done;  ///< 0 before and after
  unsigned least_run;  ///< entries in each bucket that a tile touches, in the mean, if A is local
};

inline constexpr int locality_threads = 512;

/// A block for each sample, a tile of consecutive entries.
template <int tile_entries>
__global__ void __launch_bounds__(locality_threads)
    choose_way_kernel(TiledMatrix a, Locality locality) {
  constexpr int words = (DevicePartitionPolicy::largest_digits + 31) / 32, ahead = 5;
  static_assert(words <= locality_threads);
  __shared__ unsigned touched[words], sums[locality_threads / 32];
  follow_previous_kernel();
  if (*locality.way == static_cast<unsigned>(Way::band)) {
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
  atomicAdd(locality.runs, runs);
  __threadfence();
  if (atomicAdd(locality.blocks_done, 1U) == gridDim.x - 1) {
    const std::uint64_t all = atomicExch(locality.runs, 0U);
    const bool local = all * locality.least_run <= std::uint64_t{count} * gridDim.x;
    *locality.way = static_cast<unsigned>(local ? Way::one_level : Way::two_levels);
    *locality.blocks_done = 0;
  }
}

}  // namespace sparserepro::partition
