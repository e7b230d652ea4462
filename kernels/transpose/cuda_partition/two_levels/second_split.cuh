// Second split of cuda_partition with two levels: the runs of a coarse bucket are gathered tile by
// tile, ordered by fine bucket in shared memory, stably, and written out packed.
//
// A tile takes whole runs, and they lie in the order of the tiles of the first split, so the tiles
// of a coarse bucket are in order by construction; only within them ranks must be proven.
#pragma once

#include "transpose/cuda_partition/split.cuh"
#include "transpose/cuda_partition/two_levels/second_tiles.cuh"

namespace sparserepro::partition {

/// What the first split left: words hold row within the group << coarse_bits | column within the
/// coarse bucket.
template <class Value>
struct CoarseEntries {
  const unsigned* words;
  const Value* values;
  RunTable table;
  int coarse_bits, group_bits;
  unsigned nnz;
  Gate gate;
};

/// Splits tile `t` into the fine buckets `within` its coarse one.
template <class Value, int threads, Ranks ranks>
__device__ __forceinline__ void split_again(const CoarseEntries<Value>& in, const SecondTile& tile,
                                            const ColumnBuckets& within, int low_bits,
                                            const SplitTiles<Value>& out, const RunTable& table,
                                            unsigned t) {
  constexpr bool fused = fused_entry<Value>;
  constexpr int items = items_of<Value>, tile_entries = tile_of<Value, threads>;
  constexpr int warps = threads / 32;
  const TileMemory<Value, threads> memory(within.count);
  unsigned* const place_of = memory.marks + tile_entries;  // [threads] added to the place
  unsigned* const row_of = place_of + threads;             // [threads] added to the row
  __shared__ unsigned warp_sums[warps];

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned mine = warp * 32 * items + lane;
  const unsigned from = tile.first_tile + threadIdx.x;
  const bool there = from < tile.end_tile;
  const unsigned run = there ? in.table.run(tile.bucket, from) : 0;
  const unsigned begin = there ? in.table.begin[from] : 0;
  const unsigned group = there ? in.table.group[from] : 0;
  fill<threads>(memory.counters, counter_words<threads>(within.count), 0);
  fill<threads>(memory.marks, tile_entries, unmarked);
  unsigned count;
  const unsigned before = block_exclusive_sum<threads>(run >> 16, warp_sums, count);
  if (__any_sync(full_warp, run >> 16 != 0)) {
    mark_stretches(memory.marks, before, before + (run >> 16), threadIdx.x);
  }
  place_of[threadIdx.x] = begin + (run & 0xffffU) - before;
  row_of[threadIdx.x] = group << in.group_bits;
  if (warp == warps - 1) {  // absent entries read any place
    mark_stretches(memory.marks, count + lane * tile_entries, tile_entries, 0);
  }
  __syncthreads();

  unsigned source[items];  // of the entry; when fused, then its value
  unsigned word[items];
  unsigned key[items];  // the group's first row, then fine bucket << 16, with the rank, the place
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const unsigned i = mine + j * 32, number = stretch_of(memory.marks[i]);
    source[j] = min(i + place_of[number], in.nnz - 1);
    key[j] = row_of[number];
  }
#pragma unroll
  for (int j = 0; j < items; ++j) {
    word[j] = __ldcs(in.words + source[j]);
  }
  if constexpr (fused) {
#pragma unroll
    for (int j = 0; j < items; ++j) {
      source[j] = bits_of(__ldcs(in.values + source[j]));
    }
  }
  const unsigned low_mask = (1U << in.coarse_bits) - 1;
  unsigned low = ~0U, high = 0;
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const unsigned column = word[j] & low_mask, bucket = bucket_of(column, within);
    const unsigned row = (word[j] >> in.coarse_bits) + key[j];
    word[j] = (row << low_bits) + column;  // of a bucket, when its first column is subtracted
    const bool absent = mine + j * 32 >= count;  // these come last
    key[j] = (absent ? within.count + (ranks == Ranks::by_vote ? 0 : lane) : bucket) << 16;
    low = min(low, key[j]);
    high = max(high, key[j]);
  }
  const bool alike = __reduce_min_sync(full_warp, low) == __reduce_max_sync(full_warp, high);
  leave_tile<Value, threads, ranks>(
      memory, out, table, t, tile.begin, count, TileDigits{within.count, 0, within.count, alike},
      key, word,
      [&](int j) {
        if constexpr (fused) {
          return value_of<Value>(source[j]);
        } else {
          return in.values + source[j];
        }
      },
      [](unsigned (&)[items]) {});
}

/// A block on each multiprocessor takes one tile after the other. With `redo`, only if *redo is not
/// 0.
template <class Value, int threads, Ranks ranks>
__global__ void __launch_bounds__(threads, DevicePartitionPolicy::block_threads / threads)
    second_split_kernel(CoarseEntries<Value> in, const SecondTile* tiles, const unsigned* count,
                        ColumnBuckets within, int low_bits, SplitTiles<Value> out, RunTable table,
                        const unsigned* redo) {
  follow_previous_kernel();
  if (redo != nullptr ? *redo == 0 : in.gate.closed()) {
    return;
  }
  const unsigned end = *count;
  for (unsigned t = blockIdx.x; t < end; t += gridDim.x) {
    split_again<Value, threads, ranks>(in, tiles[t], within, low_bits, out, table, t);
    __syncthreads();  // shared memory is free again
  }
}

}  // namespace sparserepro::partition
