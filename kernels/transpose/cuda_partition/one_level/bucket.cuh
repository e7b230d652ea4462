// Second pass of cuda_partition: a stable counting sort of each bucket by column, in shared memory.
//
// A block takes one chunk of a bucket, window by window. A bucket that fits one window is sorted at
// once and leaves as it lies, in whole lines; else the counts of its chunks say where the chunk's
// entries of each column begin, and they advance from window to window. Columns of such chunks are
// counted first, in the same kernel.
#pragma once

#include "transpose/cuda_partition/band/band.cuh"
#include "transpose/cuda_partition/one_level/chunks.cuh"
#include "transpose/cuda_partition/split.cuh"

namespace sparserepro::partition {

/// Sorts one chunk; returns the number of neighbours in a column that are not in order.
template <class Value, class Shape, bool grouped, Ranks ranks>
__device__ __forceinline__ int sort_chunk(const TiledMatrix& a, const SplitTiles<Value>& in,
                                          const Plan& plan, const BucketOutput<Value>& out,
                                          const Chunk& chunk) {
  constexpr bool valued = !std::is_empty_v<Value>;
  constexpr bool fused = fused_entry<Value>;
  constexpr bool by_vote = ranks == Ranks::by_vote;
  constexpr int threads = Shape::threads, items = Shape::items, tile_entries = Shape::entries;
  constexpr int warps = threads / 32;
  const unsigned width = a.buckets.width;
  const TileMemory<Value, Shape> memory(width);
  auto* const next = reinterpret_cast<unsigned*>(shared_memory() + tile_bytes<Value, Shape>(width));
  auto* const start = reinterpret_cast<std::uint16_t*>(next + width);  // [width + 1]
  __shared__ unsigned warp_sums[warps], place_sums[warps];
  __shared__ uint2 cut;
  __shared__ unsigned frequent;

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned low_mask = (1U << a.buckets.low_bits) - 1;
  const bool whole = chunk.count == 0;
  const BucketPlace place_of{chunk.first_column, min(a.cols - chunk.first_column, width),
                             chunk.base};
  if (!whole) {
    if (threadIdx.x == 0) {
      frequent = 0;
    }
    __syncthreads();
    begin_chunk<threads>(chunk, plan, place_of.columns, next, memory.marks, warp_sums, &frequent,
                         out.col_ptr);
  }
  int not_ascending = 0;  // neighbours out of order, without those that begin a column
  unsigned t = chunk.first_tile;
  do {
    fill<threads>(memory.counters, counter_words<threads>(width), 0);
    const Window window = open_window<threads, tile_entries>(
        in.table, chunk.bucket, t, chunk.end_tile, memory.marks, warp_sums, &cut);
    t += window.tiles;
    const unsigned count = window.count;
    const unsigned mine = warp * 32 * items + lane;
    const unsigned odd = whole ? staging_offset(chunk.base, count) : 0;
    unsigned source[items];  // of the entry; when fused, then its value
    unsigned word[items];
    [[maybe_unused]] unsigned group[items];
#pragma unroll
    for (int j = 0; j < items; ++j) {
      source[j] = place_in_window(memory.marks, mine + j * 32);
    }
    if constexpr (grouped) {
#pragma unroll
      for (int j = 0; j < items; ++j) {
        group[j] = in.table.group[source[j] / tile_entries];
      }
    }
#pragma unroll
    for (int j = 0; j < items; ++j) {
      if constexpr (fused) {
        const uint2 entry = __ldcs(static_cast<const uint2*>(in.entries) + source[j]);
        word[j] = entry.x;
        source[j] = entry.y;
      } else {
        word[j] = __ldcs(static_cast<const unsigned*>(in.entries) + source[j]);
      }
    }
    unsigned place[items];  // the rank, then the place in the sorted window
    if (width == 1) {       // in order already
#pragma unroll
      for (int j = 0; j < items; ++j) {
        place[j] = mine + j * 32;
      }
      if (threadIdx.x == 0) {
        start[0] = 0;
        start[1] = static_cast<std::uint16_t>(count);
      }
    } else {
      if (mine - lane + 32 * items > count) {  // absent entries come last
#pragma unroll
        for (int j = 0; j < items; ++j) {
          if (mine + j * 32 >= count) {
            word[j] = width + (by_vote ? 0 : lane);
          }
        }
      }
      const HalfCounters own(memory.counters, counter_stride(width));
      if (!by_vote && !whole) {
        rank<by_vote ? Ranks::by_vote : Ranks::by_leader>(own, 0, low_mask, width, word, place,
                                                          frequent & 0x1fffU);
      } else {
        rank<ranks>(own, 0, low_mask, width, word, place);
      }
      __syncthreads();
      place_columns<threads>(memory.counters, width, own, low_mask, place_sums, start, word, place);
    }
    __syncthreads();  // counters and marks are dead; what follows stages over them
    if constexpr (valued && !fused) {
#pragma unroll
      for (int j = 0; j < items; ++j) {
        __pipeline_memcpy_async(memory.values() + place[j] + odd, in.values + source[j],
                                sizeof(Value));
      }
    }
#pragma unroll
    for (int j = 0; j < items; ++j) {
      if constexpr (grouped) {
        word[j] = (word[j] >> a.buckets.low_bits) + (group[j] << a.group_bits);
      }
      memory.put(place[j] + odd, word[j], source[j]);
    }
    if constexpr (valued && !fused) {
      __pipeline_commit();
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    const auto row_of = [&](unsigned word) { return grouped ? word : word >> a.buckets.low_bits; };
    if (whole) {
      not_ascending += write_bucket(memory, place_of, count, start, out, row_of);
      break;
    }
    const auto leave = [&](unsigned i, unsigned c) {
      const unsigned row = row_of(memory.word(i)), to = next[c] + i - start[c];
      not_ascending += i > 0 && not_after<Value>(row, row_of(memory.word(i - 1)));
      out.row_idx[to] = row;
      if constexpr (fused) {
        out.values[to] = value_of<Value>(memory.pairs()[i].y);
      } else if constexpr (valued) {
        out.values[to] = memory.values()[i];
      }
    };
    if constexpr (grouped) {  // a staged word is a row, without its column: column by column
      for (unsigned c = warp; c < width; c += warps) {
        for (unsigned i = start[c] + lane; i < start[c + 1]; i += 32) {
          leave(i, c);
        }
      }
    } else {
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < count; i += threads) {
        leave(i, memory.word(i) & low_mask);
      }
    }
    __syncthreads();
    for (unsigned c = threadIdx.x; c < width; c += threads) {
      const unsigned at = start[c], end = start[c + 1];
      not_ascending -= at > 0 && at < end &&
                       not_after<Value>(row_of(memory.word(at)), row_of(memory.word(at - 1)));
      next[c] += end - at;
    }
    __syncthreads();
  } while (t < chunk.end_tile);
  return not_ascending;
}

/// Adds the neighbours in a column of A^T that do not ascend to the disorder, and keeps whether A
/// is a narrow band, in which case there are no chunks. The blocks that the device holds take one
/// chunk after the other. All chunks of buckets beyond one tile are counted before the first of
/// these chunks is sorted. `grouped`: words count rows from the first of their tile's group.
template <class Value, class Shape, bool grouped, Ranks ranks>
__global__ void __launch_bounds__(Shape::threads,
                                  DevicePartitionPolicy::block_threads / Shape::threads)
    bucket_kernel(TiledMatrix a, SplitTiles<Value> in, Plan plan, BucketOutput<Value> out) {
  follow_previous_kernel();
  PassState* const state = plan.state;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    state->is_band = a.is_band(*state) ? 1 : 0;
    state->band_far = 0;
    out.col_ptr.set(a.cols, a.nnz);
  }
  count_columns<Value, Shape>(in, a.buckets.low_bits, plan);
  __shared__ Chunk chunk;
  __shared__ unsigned following;
  int not_ascending = 0;
  const unsigned chunk_count = state->chunk_count;
  unsigned number = blockIdx.x;
  while (number < chunk_count) {
    unsigned taken = number;
    if (threadIdx.x == 0) {
      taken = atomicAdd(&state->chunks_taken, 1U);
    }
    load_chunk(plan, number, &chunk);
    __syncthreads();
    if (chunk.count != 0) {
      state->counted.await(state->partial_count);
    }
    not_ascending += sort_chunk<Value, Shape, grouped, ranks>(a, in, plan, out, chunk);
    if (threadIdx.x == 0) {
      following = gridDim.x + taken;
    }
    __syncthreads();
    number = following;
  }
  __shared__ int descents;
  if (block_sum(not_ascending, &descents) != 0 && threadIdx.x == 0) {
    atomicAdd(&state->disorder, static_cast<unsigned>(descents));
  }
}

// The last kernel sorts a narrow band, which the passes leave alone; and where
// additions left disorder, as where an entry occurs twice, it does both passes again by votes. One
// kernel does both, so that one launch at most is in vain.

/// Splits all tiles again. A block takes one tile after the other, then waits until all tiles are
/// done. A tile that was taken belongs to a block that runs, so the wait ends.
template <class Value, class Shape>
__device__ __forceinline__ void split_all_again(const TiledMatrix& a, const Value* values,
                                                const SplitTiles<Value>& in, Progress& tiles) {
  __shared__ unsigned tile;
  for (;;) {
    if (threadIdx.x == 0) {
      tile = atomicAdd(&tiles.taken, 1U);
    }
    __syncthreads();
    if (tile >= a.tiles) {
      break;
    }
    split_tile<Value, Shape, Ranks::by_vote>(a, values, in, tile, [] { return true; });
    __syncthreads();  // shared memory is free again
    tiles.one_done();
  }
  tiles.await(a.tiles);
}

template <class Value, class Shape, bool grouped>
__global__ void __launch_bounds__(Shape::threads,
                                  DevicePartitionPolicy::block_threads / Shape::threads)
    rest_kernel(TiledMatrix a, const Value* values, SplitTiles<Value> in, Plan plan,
                BucketOutput<Value> out, bool vote) {
  follow_previous_kernel();
  if constexpr (Shape::threads == DevicePartitionPolicy::large_threads) {
    if (plan.state->is_band != 0) {
      sort_band<Value, Shape>(a, values, out, vote);
      return;
    }
  }
  if (plan.state->disorder == 0) {
    return;
  }
  split_all_again<Value, Shape>(a, values, in, plan.state->split_again);
  __shared__ Chunk chunk;
  const unsigned chunk_count = plan.state->chunk_count;
  for (unsigned number = blockIdx.x; number < chunk_count; number += gridDim.x) {
    load_chunk(plan, number, &chunk);
    __syncthreads();
    sort_chunk<Value, Shape, grouped, Ranks::by_vote>(a, in, plan, out, chunk);
    __syncthreads();
  }
}

}  // namespace sparserepro::partition
