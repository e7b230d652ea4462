// Second pass of cuda_partition: a stable counting sort of each bucket by column, in shared memory.
//
// A block takes one chunk of a bucket, window by window. A bucket that fits one window is sorted at
// once and leaves as it lies, in whole lines; else the counts of its chunks, which come first, say
// where the chunk's entries of each column begin, and they advance from window to window.
#pragma once

#include <cooperative_groups.h>

#include "transpose/cuda_partition/band/band.cuh"
#include "transpose/cuda_partition/one_level/chunks.cuh"
#include "transpose/cuda_partition/split.cuh"

namespace sparserepro::partition {

/// What a block sorts: what is planned; a bucket of a wave, which is listed first, and sorted if it
/// fits a tile; or a chunk that fits one, at the same time as all other blocks.
enum class Work { planned, bucket, chunk };

/// Sorts one chunk; returns the number of neighbours in a column that are not in order.
template <class Value, class Shape, bool grouped, Ranks ranks, Work work = Work::planned>
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

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned low_mask = (1U << a.buckets.low_bits) - 1;
  const bool whole = work == Work::bucket || (work == Work::planned && chunk.count == 0);
  BucketPlace place_of{chunk.first_column, min(a.cols - chunk.first_column, width), chunk.base};
  if (!whole && work == Work::planned) {
    begin_chunk<threads>(chunk, plan, place_of.columns, next, warp_sums, out.col_ptr);
  }
  int not_ascending = 0;  // neighbours out of order, without those that begin a column
  unsigned t = chunk.first_tile;
  do {
    fill<threads>(memory.counters, counter_words<threads>(width), 0);
    const Window window = open_window<Shape, work == Work::bucket>(
        in.table, chunk.bucket, t, chunk.end_tile, memory.marks, warp_sums, &cut);
    t += window.tiles;
    if constexpr (work == Work::bucket) {
      place_of.base = window.base;
      list_in_wave(plan, chunk.bucket, a.tiles, window);
      if (window.count > tile_entries) {
        return 0;
      }
    }
    const unsigned count = window.count;
    const unsigned mine = warp * 32 * items + lane;
    const unsigned odd = whole ? staging_offset(place_of.base, count) : 0;
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
      if (!by_vote && !whole) {  // by a sample, the warp's most frequent column
        const unsigned column = word[0] & low_mask;
        const unsigned peers = __popc(__match_any_sync(full_warp, column));
        rank<by_vote ? Ranks::by_vote : Ranks::by_leader>(
            own, 0, low_mask, width, word, place,
            __reduce_max_sync(full_warp, peers << 16 | column) & 0xffffU);
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
    if constexpr (work == Work::chunk) {  // the counts of all chunks say where this one goes
      unsigned* const counts =
          plan.column_counts + static_cast<std::size_t>(chunk.first + chunk.index) * width;
      for (unsigned c = threadIdx.x; c < width; c += threads) {
        counts[c] = start[c + 1] - start[c];
      }
      cooperative_groups::this_grid().sync();
      begin_chunk<threads>(chunk, plan, place_of.columns, next, warp_sums, out.col_ptr);
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

/// Adds the neighbours that a block has found out of order. The whole block calls it.
__device__ __forceinline__ void add_disorder(int not_ascending, PassState& state) {
  __shared__ int descents;
  if (block_sum(not_ascending, &descents) != 0 && threadIdx.x == 0) {
    atomicAdd(&state.disorder, static_cast<unsigned>(descents));
  }
}

/// The blocks that the device holds take one after the other of `count` chunks, the partial ones
/// first, which are all counted before the first of them is sorted.
template <class Value, class Shape, bool grouped, Ranks ranks>
__device__ __forceinline__ void sort_chunks(const TiledMatrix& a, const SplitTiles<Value>& in,
                                            const Plan& plan, const BucketOutput<Value>& out,
                                            unsigned count) {
  __shared__ Chunk chunk;
  __shared__ unsigned following;
  PassState* const state = plan.state;
  const unsigned partial_count = state->partial_count;
  count_columns<Value, Shape>(in, a.buckets.low_bits, plan);
  int not_ascending = 0;
  for (unsigned number = blockIdx.x; number < count; number = following) {
    unsigned taken = number;
    if (threadIdx.x == 0) {
      taken = atomicAdd(&state->chunks_taken, 1U);
    }
    load_chunk(plan, plan.in_turn(number, partial_count), &chunk);
    __syncthreads();
    if (chunk.bucket != Plan::no_bucket) {
      if (chunk.count != 0) {
        state->counted.await(partial_count);
      }
      not_ascending += sort_chunk<Value, Shape, grouped, ranks>(a, in, plan, out, chunk);
    }
    if (threadIdx.x == 0) {
      following = gridDim.x + taken;
    }
    __syncthreads();
  }
  add_disorder(not_ascending, *state);
}

/// `grouped`: words count rows from the first of their tile's group. `followed`: by rest_kernel.
template <class Value, class Shape, bool grouped, Ranks ranks>
__global__ void __launch_bounds__(Shape::threads,
                                  DevicePartitionPolicy::block_threads / Shape::threads)
    bucket_kernel(TiledMatrix a, SplitTiles<Value> in, Plan plan, BucketOutput<Value> out,
                  bool followed) {
  let_next_grid_launch(followed);
  wait_for_previous_grid();
  PassState* const state = plan.state;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    state->band_far = 0;
    out.col_ptr.set(a.cols, a.nnz);
  }
  sort_chunks<Value, Shape, grouped, ranks>(
      a, in, plan, out, state->is_band != 0 ? 0 : state->partial_count + a.buckets.count);
}

/// Does both passes again by votes, where additions left disorder, as where an entry occurs twice.
template <class Value, class Shape, class SplitShape, bool grouped>
__device__ __forceinline__ void sort_again(const TiledMatrix& a, const Value* values,
                                           const SplitTiles<Value>& in, const Plan& plan,
                                           const BucketOutput<Value>& out) {
  plan.state->split_again.do_all(a.tiles, [&](unsigned t) {
    split_tile<Value, SplitShape, Ranks::by_vote>(a, values, in, t, [] { return true; });
  });
  __shared__ Chunk chunk;
  const unsigned count = a.buckets.count + plan.state->partial_count;
  for (unsigned number = blockIdx.x; number < count; number += gridDim.x) {
    load_chunk(plan, number, &chunk);
    __syncthreads();
    if (chunk.bucket != Plan::no_bucket) {
      sort_chunk<Value, Shape, grouped, Ranks::by_vote>(a, in, plan, out, chunk);
    }
    __syncthreads();
  }
}

/// Sorts a narrow band, which the passes leave alone, or all again: one launch at most is in vain.
template <class Value, class Shape, bool grouped>
__global__ void __launch_bounds__(Shape::threads,
                                  DevicePartitionPolicy::block_threads / Shape::threads)
    rest_kernel(TiledMatrix a, const Value* values, SplitTiles<Value> in, Plan plan,
                BucketOutput<Value> out, bool vote) {
  wait_for_previous_grid();
  if constexpr (Shape::threads == DevicePartitionPolicy::large_threads) {
    if (plan.state->is_band != 0) {
      sort_band<Value, Shape>(a, values, out, vote);
      return;
    }
  }
  if (plan.state->disorder != 0) {
    sort_again<Value, Shape, Shape, grouped>(a, values, in, plan, out);
  }
}

}  // namespace sparserepro::partition
