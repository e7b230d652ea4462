// Second split of cuda_partition with two levels: the runs of a coarse bucket are gathered tile by
// tile, ordered by fine bucket in shared memory, stably, and written out packed.
//
// A tile takes whole runs, and they lie in the order of the tiles of the first split, so the tiles
// of a coarse bucket are in order by construction; only within them ranks must be proven.
#pragma once

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

/// Shared memory of a block: counters, marks, and of each run what to add; later the staged tile.
template <class Value, int threads>
constexpr std::size_t second_split_shared_bytes(unsigned digits) {
  constexpr std::size_t tile = tile_of<Value, threads>;
  return std::max(counter_bytes<threads>(digits) + (tile + 2 * threads) * sizeof(unsigned),
                  (tile + 4) * (4 + (std::is_empty_v<Value> ? 0 : sizeof(Value))));
}

/// Splits tile `t` into the fine buckets `within` its coarse one.
template <class Value, int threads, Ranks ranks>
__device__ __forceinline__ void split_again(const CoarseEntries<Value>& in, const SecondTile& tile,
                                            const ColumnBuckets& within, int low_bits,
                                            const SplitTiles<Value>& out, const RunTable& table,
                                            unsigned t) {
  constexpr bool valued = !std::is_empty_v<Value>;
  constexpr bool fused = fused_entry<Value>;
  constexpr int items = items_of<Value>, tile_entries = tile_of<Value, threads>;
  constexpr int warps = threads / 32;
  extern __shared__ __align__(16) unsigned char shared[];
  const unsigned stride = counter_stride(within.count);
  auto* const counters = reinterpret_cast<unsigned*>(shared);  // [groups / 2][stride], until placed
  auto* const marks = reinterpret_cast<unsigned*>(shared + counter_bytes<threads>(within.count));
  unsigned* const place_of = marks + tile_entries;  // [threads] added to the place in the tile
  unsigned* const row_of = place_of + threads;      // [threads] added to the row
  auto* const staged = reinterpret_cast<unsigned*>(shared);  // [tile + 4], then the values
  auto* const staged_values = reinterpret_cast<Value*>(shared + (tile_entries + 4) * 4);
  __shared__ unsigned warp_sums[warps], place_sums[warps];

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned mine = warp * 32 * items + lane;
  const unsigned from = tile.first_tile + threadIdx.x;
  const bool there = from < tile.end_tile;
  const unsigned run = there ? in.table.run(tile.bucket, from) : 0;
  const unsigned begin = there ? in.table.begin[from] : 0;
  const unsigned group = there ? in.table.group[from] : 0;
  fill<threads>(counters, counter_words<threads>(within.count), 0);
  fill<threads>(marks, tile_entries, unmarked);
  unsigned count;
  const unsigned before = block_exclusive_sum<threads>(run >> 16, warp_sums, count);
  if (__any_sync(full_warp, run >> 16 != 0)) {
    mark_stretches(marks, before, before + (run >> 16), threadIdx.x);
  }
  place_of[threadIdx.x] = begin + (run & 0xffffU) - before;
  row_of[threadIdx.x] = group << in.group_bits;
  if (warp == warps - 1) {  // absent entries read any place
    mark_stretches(marks, count + lane * tile_entries, tile_entries, 0);
  }
  __syncthreads();

  unsigned source[items];  // of the entry; when fused, then its value
  unsigned word[items];
  unsigned key[items];  // the group's first row, then fine bucket << 16, with the rank, the place
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const unsigned i = mine + j * 32, number = stretch_of(marks[i]);
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
    key[j] = bucket << 16;
    low = min(low, bucket);
    high = max(high, bucket);
  }
  low = __reduce_min_sync(full_warp, low);
  high = __reduce_max_sync(full_warp, high);
  const bool full = mine - lane + 32 * items <= count;
  if (!full) {  // absent entries come last
#pragma unroll
    for (int j = 0; j < items; ++j) {
      if (mine + j * 32 >= count) {
        key[j] = (within.count + lane) << 16;
      }
    }
  }
  const HalfCounters own(counters, stride);
  if (low == high && full) {
    rank_alike(own, key);
  } else {
    rank<ranks>(own, stride, key);
  }
  __syncthreads();
  places_from_counts<threads>(
      counters, stride, within.count + absent_digits, place_sums, [](unsigned d) { return d; },
      [&](unsigned d, unsigned start, unsigned size) {
        if (d < within.count) {
          table.runs[static_cast<std::size_t>(d) * table.stride + t] = start | size << 16;
        }
      });
  __syncthreads();
  add_places(own, key);
  __syncthreads();  // counters and marks are dead; what follows stages over them

  const unsigned shift = tile.begin & largest_shift;
  if constexpr (valued && !fused) {
    constexpr int batch = value_batch<Value>;
#pragma unroll
    for (int first = 0; first < items; first += batch) {
      Value value[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        value[k] = __ldcs(in.values + source[first + k]);
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        staged_values[(key[first + k] & 0xffffU) + shift] = value[k];
      }
    }
  }
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const unsigned at = (key[j] & 0xffffU) + shift;
    if constexpr (fused) {
      reinterpret_cast<uint2*>(shared)[at] = {word[j], source[j]};
    } else {
      staged[at] = word[j];
    }
  }
  __syncthreads();
  const std::size_t base = tile.begin - shift;
  if constexpr (fused) {
    write_packed<threads>(static_cast<uint2*>(out.entries) + base,
                          reinterpret_cast<const uint2*>(shared), shift, count);
  } else {
    write_packed<threads>(static_cast<unsigned*>(out.entries) + base, staged, shift, count);
    if constexpr (valued) {
      write_packed<threads>(out.values + base, staged_values, shift, count);
    }
  }
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
