// Both passes of cuda_partition in one launch, where one wave of small tiles holds all entries.
//
// A block splits a tile and, when all are split, sorts a bucket, which begins in A^T at the sum of
// its runs' places in their tiles; then a chunk of a bucket beyond one tile. All run at once.
#pragma once

#include "transpose/cuda_partition/one_level/bucket.cuh"

namespace sparserepro::partition {

template <class Value, class SplitShape, class Shape>
__global__ void __launch_bounds__(Shape::threads,
                                  DevicePartitionPolicy::block_threads / Shape::threads)
    wave_kernel(TiledMatrix a, const Value* values, SplitTiles<Value> between, Plan plan,
                BucketOutput<Value> out) {
  PassState* const state = plan.state;
  __shared__ Chunk chunk;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    state->begin(false);
    out.col_ptr.set(a.cols, a.nnz);
  }
  if (blockIdx.x < a.tiles) {
    split_tile<Value, SplitShape, Ranks::by_addition>(a, values, between, blockIdx.x,
                                                      [] { return true; });
  }
  cooperative_groups::this_grid().sync();
  int not_ascending = 0;
  for (unsigned bucket = blockIdx.x; bucket < a.buckets.count; bucket += gridDim.x) {
    const Chunk whole{bucket, bucket * a.buckets.width, 0, 0, a.tiles, 0, 0, 0};
    not_ascending += sort_chunk<Value, Shape, false, Ranks::by_addition, Work::bucket>(
        a, between, plan, out, whole);
    __syncthreads();
  }
  add_disorder(not_ascending, *state);
  cooperative_groups::this_grid().sync();
  const unsigned partial_count = state->partial_count;
  if (partial_count > gridDim.x || state->long_run != 0) {
    sort_chunks<Value, Shape, false, Ranks::by_addition>(a, between, plan, out, partial_count);
    cooperative_groups::this_grid().sync();
  } else if (partial_count > 0) {
    not_ascending = 0;
    if (blockIdx.x < partial_count) {
      load_chunk(plan, plan.buckets + blockIdx.x, &chunk);
      __syncthreads();
      not_ascending = sort_chunk<Value, Shape, false, Ranks::by_addition, Work::chunk>(
          a, between, plan, out, chunk);
    } else {
      cooperative_groups::this_grid().sync();
    }
    add_disorder(not_ascending, *state);
    cooperative_groups::this_grid().sync();
  }
  if (state->disorder > 0) {
    sort_again<Value, Shape, SplitShape, false>(a, values, between, plan, out);
  }
}

}  // namespace sparserepro::partition
