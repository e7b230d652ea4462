// The buckets of cuda_partition with two levels: as many consecutive units of columns as together
// fit a tile of the bucket pass, however differently columns are filled.
//
// The second split orders tiles by unit, a fraction of a bucket, so the units of a bucket lie side
// by side in each tile. With P the exclusive sums of the units of a coarse bucket, a bucket that
// begins with unit i ends before n(i), the largest n with P(n) - P(i) <= tile, as in
// second_split.cuh. A unit beyond a tile stands alone, and is cut into chunks.
#pragma once

#include "transpose/cuda_partition/one_level/plan.cuh"
#include "transpose/cuda_partition/two_levels/second_split.cuh"

namespace sparserepro::partition {

/// The units, in parts: those of a coarse bucket have rows 0, 1, .. of the table of runs, and lie
/// in tiles of their own.
struct Units {
  unsigned count;  ///< in all
  unsigned width;  ///< columns of each
  unsigned per_part;
  unsigned parts;
  unsigned per_bucket;    ///< at most
  const unsigned* tiles;  ///< [parts + 1] first tile of each part
  Gate gate;
};

inline constexpr int unit_threads = 512;

/// Finds the extent of each unit: a warp each.
__global__ void __launch_bounds__(unit_threads)
    unit_extents_kernel(RunTable table, Units units, Plan plan) {
  follow_previous_kernel();
  const unsigned u = blockIdx.x * (unit_threads / 32) + threadIdx.x / 32;
  if (u >= units.count || units.gate.closed()) {
    return;
  }
  const unsigned part = u / units.per_part, row = u - part * units.per_part;
  const BucketExtent all = extent_of_runs<32, 4>(table, row, units.tiles[part] + threadIdx.x % 32,
                                                 units.tiles[part + 1]);
  if (threadIdx.x % 32 == 0) {
    plan.extents[u] = all;
  }
}

/// Joins units to buckets, and cuts units beyond a tile into chunks: a block per part. The order of
/// chunks in the list is that in which blocks come to it.
__global__ void __launch_bounds__(unit_threads)
    join_units_kernel(RunTable table, Units units, unsigned nnz, Plan plan) {
  __shared__ unsigned sums[unit_threads + 1], warp_sums[3][unit_threads / 32];
  __shared__ std::uint16_t next[unit_threads], chosen[unit_threads + 1];
  __shared__ unsigned chosen_count, first_chunk, first_partial;
  follow_previous_kernel();
  if (units.gate.closed()) {
    return;
  }
  const unsigned part = blockIdx.x, first_tile = units.tiles[part];
  const unsigned before = part * units.per_part;
  const unsigned own = min(units.per_part, units.count - before);
  const bool may_join = units.tiles[part + 1] - first_tile <= plan.window;
  unsigned base = first_tile < units.tiles[units.parts] ? table.begin[first_tile] : nnz;
#pragma unroll 1
  for (unsigned begin = 0; begin < own; begin += unit_threads) {
    const unsigned count = min(own - begin, unsigned{unit_threads});
    const BucketExtent* const extents = plan.extents + before + begin;
    const unsigned size = threadIdx.x < count ? extents[threadIdx.x].entries : 0;
    unsigned total;
    sums[threadIdx.x] = block_exclusive_sum<unit_threads>(size, warp_sums[0], total);
    if (threadIdx.x == 0) {
      sums[unit_threads] = total;
    }
    __syncthreads();
    const unsigned most = may_join ? min(threadIdx.x + units.per_bucket, count) : 0;
    next[threadIdx.x] =
        static_cast<std::uint16_t>(last_that_fits(sums, threadIdx.x, most, plan.tile));
    __syncthreads();
    if (threadIdx.x == 0) {
      chosen_count = follow(next, chosen, [count](unsigned i) { return i < count; });
      chosen[chosen_count] = static_cast<std::uint16_t>(count);
    }
    __syncthreads();
    const bool mine = threadIdx.x < chosen_count;
    const unsigned from = mine ? chosen[threadIdx.x] : 0, to = mine ? chosen[threadIdx.x + 1] : 0;
    BucketExtent all{mine ? sums[to] - sums[from] : 0, ~0U, 0};
    for (unsigned u = from; u < to; ++u) {
      all.first_tile = min(all.first_tile, extents[u].first_tile);
      all.end_tile = max(all.end_tile, extents[u].end_tile);
    }
    all.first_tile = all.entries == 0 ? 0 : all.first_tile;
    const unsigned pieces = mine ? plan.chunks_of(all) : 0;
    unsigned chunks, partials;
    const unsigned chunk = block_exclusive_sum<unit_threads>(pieces, warp_sums[1], chunks);
    const unsigned partial =
        block_exclusive_sum<unit_threads>(plan.is_whole(all) ? 0 : pieces, warp_sums[2], partials);
    if (threadIdx.x == 0) {
      first_chunk = atomicAdd(&plan.state->chunk_count, chunks);
      first_partial = atomicAdd(&plan.state->partial_count, partials);
    }
    __syncthreads();
    const unsigned row = begin + from;
    plan.list({(before + row) * units.width, (to - from) * units.width, row * units.width, row,
               begin + to - 1, base + sums[from]},
              all, pieces, first_chunk + chunk, first_partial + partial);
    base += total;
    __syncthreads();  // shared memory is free again
  }
}

}  // namespace sparserepro::partition
