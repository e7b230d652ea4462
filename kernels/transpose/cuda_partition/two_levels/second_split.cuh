// Second split of cuda_partition with two levels: the runs of a coarse bucket are gathered tile by
// tile, ordered by fine bucket in shared memory, stably, and written out packed.
//
// A tile takes the runs of as many consecutive tiles of the first split as together fit it, in
// their order, so the tiles of a coarse bucket are in order by construction; only within them ranks
// must be proven. With P the exclusive sums of the runs of a bucket, a tile that begins with run i
// ends before run n(i), the largest n with P(n) - P(i) <= tile. Every n(i) is found by bisection at
// once; one thread follows them from the first. Two consecutive tiles hold more than one between
// them, so there are at most 2 entries / tile + 1 of them in a piece of the table.
#pragma once

#include "transpose/cuda_partition/split.cuh"

namespace sparserepro::partition {

/// The largest n in [i + 1, most] with sums[n] - sums[i] <= room, i + 1 at least; `sums` [most + 1]
/// are exclusive.
__device__ __forceinline__ unsigned last_that_fits(const unsigned* sums, unsigned i, unsigned most,
                                                   unsigned room) {
  unsigned low = i + 1, high = most;
  while (low < high) {
    const unsigned middle = (low + high + 1) / 2;
    if (sums[middle] - sums[i] <= room) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// Follows `next` from 0 on while `more(i)`, and returns how many it came by, listed in `chosen`.
/// One thread calls it.
template <class More>
__device__ __forceinline__ unsigned follow(const std::uint16_t* next, std::uint16_t* chosen,
                                           const More& more) {
  unsigned count = 0;
  for (unsigned i = 0; more(i); i = next[i]) {
    chosen[count++] = static_cast<std::uint16_t>(i);
  }
  return count;
}

/// A tile of the second split.
struct SecondTile {
  unsigned bucket;  ///< coarse
  unsigned first_tile, end_tile;
  unsigned begin;  ///< its place among all entries
};

/// The table of the first split in pieces of so many tiles as blocks have threads, bucket by
/// bucket.
struct SecondTiles {
  unsigned pieces;    ///< of each bucket
  unsigned* starts;   ///< [bucket][piece][threads] first tiles, of the first split
  unsigned* places;   ///< [bucket][piece][threads] entries of the piece before
  uint2* totals;      ///< [bucket][piece] tiles and entries
  SecondTile* tiles;  ///< [most]
  unsigned* begin;    ///< [buckets + 1] of tiles
  Gate gate;
};

constexpr std::size_t most_second_tiles(std::size_t nnz, std::size_t tile_entries,
                                        std::size_t pieces) {
  return 2 * nnz / tile_entries + pieces;
}

/// Divides a piece of a bucket's runs: a block each.
template <int threads, int tile_entries>
__global__ void __launch_bounds__(threads)
    cut_runs_kernel(RunTable table, unsigned first_tiles, SecondTiles out) {
  __shared__ unsigned sums[threads + 1], warp_sums[threads / 32];
  __shared__ std::uint16_t next[threads], chosen[threads];
  __shared__ unsigned count;
  follow_previous_kernel();
  if (out.gate.closed()) {
    return;
  }
  const unsigned bucket = blockIdx.x / out.pieces, piece = blockIdx.x % out.pieces;
  const unsigned first = piece * threads;
  const unsigned runs = min(first_tiles - first, unsigned{threads});
  const unsigned size = threadIdx.x < runs ? table.run(bucket, first + threadIdx.x) >> 16 : 0;
  unsigned total;
  sums[threadIdx.x] = block_exclusive_sum<threads>(size, warp_sums, total);
  if (threadIdx.x == 0) {
    sums[threads] = total;
  }
  __syncthreads();
  next[threadIdx.x] =  // a run fits
      static_cast<std::uint16_t>(last_that_fits(sums, threadIdx.x, threads, tile_entries));
  __syncthreads();
  if (threadIdx.x == 0) {
    count = follow(next, chosen, [&](unsigned i) { return i < threads && sums[i] < total; });
    out.totals[blockIdx.x] = {count, total};
  }
  __syncthreads();
  if (threadIdx.x < count) {
    const std::size_t to = std::size_t{blockIdx.x} * threads + threadIdx.x;
    out.starts[to] = first + chosen[threadIdx.x];
    out.places[to] = sums[chosen[threadIdx.x]];
  }
}

/// Numbers the tiles, and begins the table of their runs: a block per coarse bucket.
template <int threads>
__global__ void __launch_bounds__(threads)
    number_tiles_kernel(SecondTiles in, unsigned first_tiles, unsigned digits, RunTable table) {
  __shared__ unsigned warp_sums[2][threads / 32];
  follow_previous_kernel();
  if (in.gate.closed()) {
    return;
  }
  const unsigned bucket = blockIdx.x, lane = threadIdx.x % 32;
  uint2 before{0, 0};  // tiles and entries
  for (unsigned q = threadIdx.x; q < bucket * in.pieces; q += threads) {
    const uint2 more = in.totals[q];
    before.x += more.x;
    before.y += more.y;
  }
  uint2 all;
  block_exclusive_sum<threads>(before.x, warp_sums[0], all.x);
  block_exclusive_sum<threads>(before.y, warp_sums[1], all.y);
  if (threadIdx.x == 0) {
    in.begin[bucket] = all.x;
  }
  for (unsigned piece = threadIdx.x / 32; piece < in.pieces; piece += threads / 32) {
    uint2 at{0, 0};
    for (unsigned p = lane; p < piece; p += 32) {
      const uint2 more = in.totals[bucket * in.pieces + p];
      at.x += more.x;
      at.y += more.y;
    }
    at = {all.x + __reduce_add_sync(full_warp, at.x), all.y + __reduce_add_sync(full_warp, at.y)};
    const unsigned own = bucket * in.pieces + piece, count = in.totals[own].x;
    for (unsigned k = lane; k < count; k += 32) {
      const std::size_t from = std::size_t{own} * threads + k;
      const unsigned end =
          k + 1 < count ? in.starts[from + 1] : min((piece + 1) * threads, first_tiles);
      const unsigned place = at.y + in.places[from];
      in.tiles[at.x + k] = {bucket, in.starts[from], end, place};
      table.begin[at.x + k] = place;
      table.range[at.x + k] = digits << 16;
    }
    if (lane == 0 && bucket == gridDim.x - 1 && piece == in.pieces - 1) {
      in.begin[bucket + 1] = at.x + count;
    }
  }
}

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
    word[j] = (row << low_bits) + column;        // of a bucket, when its first column is subtracted
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
      [](unsigned(&)[items]) {});
}

/// A block on each multiprocessor takes one tile after the other. With `redo`, only if there is
/// disorder.
template <class Value, int threads, Ranks ranks>
__global__ void __launch_bounds__(threads, DevicePartitionPolicy::block_threads / threads)
    second_split_kernel(CoarseEntries<Value> in, const SecondTile* tiles, const unsigned* count,
                        ColumnBuckets within, int low_bits, SplitTiles<Value> out, RunTable table,
                        const PassState* state, bool redo) {
  follow_previous_kernel();
  if (redo ? state->disorder == 0 : in.gate.closed()) {
    return;
  }
  const unsigned end = *count;
  for (unsigned t = blockIdx.x; t < end; t += gridDim.x) {
    split_again<Value, threads, ranks>(in, tiles[t], within, low_bits, out, table, t);
    __syncthreads();  // shared memory is free again
  }
}

}  // namespace sparserepro::partition
