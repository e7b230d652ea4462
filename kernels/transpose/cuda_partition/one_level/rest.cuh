// Last kernel of cuda_partition with one level. It sorts a narrow band, which the passes leave
// alone; and where additions left disorder, as where an entry occurs twice, it does both passes
// again by votes. One kernel does both, so that one launch at most is in vain.
#pragma once

#include "transpose/cuda_partition/band/band.cuh"
#include "transpose/cuda_partition/one_level/bucket.cuh"
#include "transpose/cuda_partition/split.cuh"

namespace sparserepro::partition {

/// Splits all tiles again. A block takes one tile after the other, then waits until all tiles are
/// done. A tile that was taken belongs to a block that runs, so the wait ends.
template <class Value, int threads>
__device__ __forceinline__ void split_all_again(const TiledMatrix& a, const Value* values,
                                                const BucketInput<Value>& in, Progress* tiles) {
  __shared__ unsigned tile;
  for (;;) {
    if (threadIdx.x == 0) {
      tile = atomicAdd(&tiles->taken, 1U);
    }
    __syncthreads();
    if (tile >= a.tiles) {
      break;
    }
    split_tile<Value, threads, Ranks::by_vote, false>(a, values, in.tiles, in.table, tile);
    __syncthreads();  // shared memory is free again
    tiles->one_done();
  }
  tiles->await(a.tiles);
}

template <class Value, int threads, Lies lies>
__global__ void __launch_bounds__(threads, DevicePartitionPolicy::block_threads / threads)
    rest_kernel(TiledMatrix a, const Value* values, BucketInput<Value> in, Plan plan,
                BucketOutput<Value> out, const unsigned* disorder, bool vote) {
  follow_previous_kernel();
  if constexpr (threads == DevicePartitionPolicy::large_threads) {
    if (plan.band.is_narrow()) {
      sort_band<Value, threads>(a, values, plan.band, out, vote);
      return;
    }
  }
  if (*disorder == 0) {
    return;
  }
  split_all_again<Value, threads>(a, values, in, plan.split_again);
  __shared__ Chunk chunk;
  const unsigned chunk_count = *plan.chunk_count;
  for (unsigned number = blockIdx.x; number < chunk_count; number += gridDim.x) {
    load_chunk(plan, number, &chunk);
    __syncthreads();
    sort_chunk<Value, threads, lies, Ranks::by_vote>(in, plan, out, chunk);
    __syncthreads();
  }
}

}  // namespace sparserepro::partition
