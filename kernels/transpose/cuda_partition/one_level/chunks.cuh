// The chunks of a bucket beyond one tile, in the bucket pass of cuda_partition: first the columns
// of each are counted, by whichever block is free; the counts of all say where the entries of each
// column of a chunk go.
#pragma once

#include "transpose/cuda_partition/one_level/plan.cuh"

namespace sparserepro::partition {

/// One element per thread of `chunk`, which is shared. A barrier after is the caller's.
__device__ __forceinline__ void load_chunk(const Plan& plan, unsigned number, Chunk* chunk) {
  if (threadIdx.x < sizeof(Chunk) / sizeof(unsigned)) {
    reinterpret_cast<unsigned*>(chunk)[threadIdx.x] =
        reinterpret_cast<const unsigned*>(plan.chunks + number)[threadIdx.x];
  }
}

/// Counts the columns of each chunk of a bucket beyond one tile. Blocks take one after the other.
template <class Value, int threads, Lies lies>
__device__ __forceinline__ void count_columns(const void* entries, const RunTable& table,
                                              int low_bits, const Plan& plan) {
  constexpr int items = items_of<Value>, tile_entries = tile_of<Value, threads>;
  auto* const marks = reinterpret_cast<unsigned*>(shared_memory());  // [tile_entries]
  unsigned* const counts = marks + tile_entries;                     // [width]
  __shared__ unsigned warp_sums[threads / 32];
  __shared__ uint2 cut;
  __shared__ unsigned taken;
  const unsigned partial_count = *plan.partial_count;
  for (;;) {
    if (threadIdx.x == 0) {
      taken = partial_count == 0 ? 0 : atomicAdd(&plan.counted->taken, 1U);
    }
    __syncthreads();
    const unsigned k = taken;
    if (k >= partial_count) {
      return;
    }
    const Chunk chunk = plan.chunks[plan.partial[k]];
    for (unsigned i = threadIdx.x; i < chunk.columns; i += threads) {
      counts[i] = 0;
    }
    for (unsigned t = chunk.first_tile; t < chunk.end_tile;) {
      const Window window = open_window<threads, tile_entries, lies>(
          table, chunk.row, chunk.last_row, t, chunk.end_tile, marks, warp_sums, &cut);
      const unsigned mine = threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
      unsigned words[items];
#pragma unroll
      for (int j = 0; j < items; ++j) {
        words[j] = word_at<Value>(entries, place_in_window(marks, mine + j * 32));
      }
#pragma unroll
      for (int j = 0; j < items; ++j) {
        if (mine + j * 32 < window.count) {
          const unsigned bias = lies == Lies::side_by_side ? chunk.bias : 0;
          atomicAdd(counts + ((words[j] - bias) & ((1U << low_bits) - 1)), 1U);
        }
      }
      t += window.tiles;
      __syncthreads();
    }
    unsigned* const out = plan.column_counts + static_cast<std::size_t>(k) * plan.width;
    for (unsigned i = threadIdx.x; i < chunk.columns; i += threads) {
      out[i] = counts[i];
    }
    __syncthreads();
    plan.counted->one_done();
  }
}

/// Sets next[c] to where the chunk's entries of column c begin in A^T, and the lower 13 bits of
/// *frequent (0 before) to the bucket's most frequent column; the first chunk of a bucket writes
/// the pointers of the `columns` that are there. `sums` [chunk.columns] is scratch.
template <int threads>
__device__ __forceinline__ void begin_chunk(const Chunk& chunk, const Plan& plan, unsigned columns,
                                            unsigned* next, unsigned* sums, unsigned* warp_sums,
                                            unsigned* frequent, AnyPointers col_ptr) {
  const unsigned each = ceil_div(chunk.columns, threads);
  const unsigned first = min(threadIdx.x * each, chunk.columns);
  const unsigned last = min(first + each, chunk.columns);
  const unsigned* const counts =
      plan.column_counts + static_cast<std::size_t>(chunk.first) * plan.width;
  constexpr int ahead = 16;
  unsigned sum = 0;
  unsigned most = 0;
  for (unsigned c = first; c < last; ++c) {
    unsigned before = 0, total = 0;
    for (unsigned begin = 0; begin < chunk.count; begin += ahead) {
      unsigned count[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        count[k] = begin + k < chunk.count ? counts[std::size_t{begin + k} * plan.width + c] : 0;
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        before += begin + k < chunk.index ? count[k] : 0;
        total += count[k];
      }
    }
    sums[c] = sum;
    next[c] = sum + before;
    sum += total;
    most = max(most, min(total, 0x7ffffU) << 13 | c);
  }
  most = __reduce_max_sync(full_warp, most);
  if (threadIdx.x % 32 == 0) {
    atomicMax(frequent, most);
  }
  unsigned all;
  const unsigned base = chunk.base + block_exclusive_sum<threads>(sum, warp_sums, all);
  for (unsigned c = first; c < last; ++c) {
    next[c] += base;
    if (chunk.index == 0 && c < columns) {
      col_ptr.set(chunk.first_column + c, base + sums[c]);
    }
  }
  __syncthreads();  // warp_sums is free again
}

}  // namespace sparserepro::partition
