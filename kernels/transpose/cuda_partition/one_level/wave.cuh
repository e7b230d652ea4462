// Both passes of cuda_partition in one kernel, where one wave of small tiles holds all entries; and
// the kernel that ends them.
//
// A block splits its tile. When all tiles are split it sorts one bucket: where the bucket begins in
// A^T is the sum of where its runs begin in their tiles, so nothing need be planned. Buckets beyond
// one tile are listed in chunks and left to the second kernel.
#pragma once

#include "transpose/cuda_partition/one_level/bucket.cuh"

namespace sparserepro::partition {

template <class Value, class SplitShape, class Shape>
__global__ void __launch_bounds__(Shape::threads,
                                  DevicePartitionPolicy::block_threads / Shape::threads)
    wave_kernel(TiledMatrix a, const Value* values, SplitTiles<Value> between, Plan plan,
                BucketOutput<Value> out) {
  PassState* const state = plan.state;
  let_next_grid_launch();
  split_in_turn<Value, SplitShape, Ranks::by_addition>(a, values, between, state->split,
                                                       [&](const Tile& tile) {
                                                         if (tile.index == 0 && threadIdx.x == 0) {
                                                           state->begin(false);
                                                           out.col_ptr.set(a.cols, a.nnz);
                                                         }
                                                         return true;
                                                       });
  __shared__ Chunk chunk;
  __shared__ int descents;
  const unsigned bucket = blockIdx.x;
  if (bucket >= a.buckets.count) {
    return;
  }
  if (threadIdx.x == 0) {
    chunk = {bucket, bucket * a.buckets.width, 0, 0, a.tiles, 0, 0, 0};
  }
  __syncthreads();
  const int not_ascending =
      sort_chunk<Value, Shape, false, Ranks::by_addition, true>(a, between, plan, out, chunk);
  if (block_sum(not_ascending, &descents) != 0 && threadIdx.x == 0) {
    atomicAdd(&state->disorder, static_cast<unsigned>(descents));
  }
}

/// Sorts the chunks of buckets beyond one tile, and all again where additions left disorder.
template <class Value, class SplitShape, class Shape>
__global__ void __launch_bounds__(Shape::threads,
                                  DevicePartitionPolicy::block_threads / Shape::threads)
    wave_rest_kernel(TiledMatrix a, const Value* values, SplitTiles<Value> between, Plan plan,
                     BucketOutput<Value> out) {
  follow_previous_kernel();
  PassState* const state = plan.state;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    state->split = {0, 0};
  }
  if (state->partial_count > 0) {
    const unsigned sorted = sort_chunks<Value, Shape, false, Ranks::by_addition>(
        a, between, plan, out, state->partial_count);
    state->sorted.more_done(sorted);
    state->sorted.await(state->partial_count);
  }
  if (*static_cast<volatile unsigned*>(&state->disorder) != 0) {
    sort_again<Value, Shape, SplitShape, false>(a, values, between, plan, out);
  }
}

}  // namespace sparserepro::partition
