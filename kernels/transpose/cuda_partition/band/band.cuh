// Narrow bands in cuda_partition: a block takes the rows that reach a bucket's columns straight
// from A, sorts what lies in the bucket by column in shared memory, and writes it to its place.
//
// The columns before a bucket's have the entries of all rows before those that reach it, and those
// of its own rows that lie to the left of it: so the block knows where the bucket begins in A^T.
//
// Bytes per entry with V bytes per value: 4 to find out that it is a band, (4 + V) read and (4 + V)
// written, so 20 for fp32 and 28 for fp64 where 16 and 24 are the least.
#pragma once

#include "transpose/cuda_partition/one_level/columns.cuh"
#include "transpose/cuda_partition/one_level/find_rows.cuh"

namespace sparserepro::partition {

/// Sorts one bucket; returns, in every thread, the neighbours in a column that are not in order.
template <class Value, class Shape, Ranks ranks>
__device__ __forceinline__ int sort_band_bucket(const TiledMatrix& a, const Value* values,
                                                const BucketOutput<Value>& out, unsigned bucket) {
  constexpr bool valued = !std::is_empty_v<Value>;
  constexpr bool fused = fused_entry<Value>;
  constexpr int threads = Shape::threads, items = Shape::items, tile_entries = Shape::entries;
  constexpr unsigned mask = (1U << BandPolicy::column_bits) - 1;
  const unsigned width = a.band.buckets.width;
  const TileMemory<Value, Shape> memory(width);
  auto* const start = reinterpret_cast<std::uint16_t*>(
      shared_memory() + tile_bytes<Value, Shape>(width));  // [width + 1]
  __shared__ unsigned warp_sums[threads / 32];
  __shared__ int before, descents;

  const unsigned lane = threadIdx.x % 32;
  const unsigned first_column = bucket * width;
  const uint2 rows = rows_of_band(a, bucket);
  const unsigned begin = a.row_ptr[rows.x], count = a.row_ptr[rows.y] - begin;
  const unsigned mine = threadIdx.x / 32 * 32 * items + lane;  // entries mine + 32 j of the rows
  unsigned word[items];  // column within the bucket, then the row above
#pragma unroll
  for (int j = 0; j < items; ++j) {
    word[j] = mine + j * 32 < count ? a.col_idx[begin + mine + j * 32] : ~0U;
  }
  if constexpr (valued) {
    if (threadIdx.x == 0) {
      prefetch_l2(values + begin, count);
    }
  }
  const auto stretch = [&](unsigned r) {  // of a row, among the entries of all
    return uint2{a.row_ptr[min(r, rows.y)] - begin, a.row_ptr[min(r + 1, rows.y)] - begin};
  };
  unsigned r = rows.x + threadIdx.x;
  uint2 entries = stretch(r);
  fill<threads>(memory.counters, counter_words<threads>(width), 0);
  fill<threads>(memory.marks, tile_entries, unmarked);
  __syncthreads();
  while (r - lane < rows.y) {
    mark_stretches(memory.marks, entries.x, entries.y, r - rows.x);
    r += threads;
    entries = stretch(r);
  }
  int left = 0;  // entries of the columns before: those of the rows before all are
#pragma unroll
  for (int j = 0; j < items; ++j) {
    left += word[j] < first_column ? 1 : 0;
    const unsigned column = word[j] - first_column;
    // Entries of other buckets come last.
    word[j] = column < width ? column : width + (ranks == Ranks::by_vote ? 0 : lane);
  }
  const BucketPlace to{first_column, min(a.cols - first_column, width),
                       begin + static_cast<unsigned>(block_sum(left, &before))};
  const HalfCounters own(memory.counters, counter_stride(width));
  unsigned place[items];  // the rank, then the place in the sorted bucket
  rank<ranks>(own, 0, mask, width, word, place);
  __syncthreads();
#pragma unroll
  for (int j = 0; j < items; ++j) {
    word[j] |= stretch_of(memory.marks[mine + j * 32]) << BandPolicy::column_bits;
  }
  place_columns<threads>(memory.counters, width, own, mask, warp_sums, start, word, place);
  __syncthreads();  // counters and marks are dead; what follows stages over them
  const unsigned size = start[width], odd = staging_offset(to.base, size);
  constexpr int batch = items % 3 == 0 ? items / 3 : items / 2;  // what the registers bear
#pragma unroll
  for (int first = 0; first < items; first += batch) {
    unsigned bits[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const int j = first + k;
      const auto* const from = values + begin + mine + j * 32;
      if (valued && (word[j] & mask) < width) {
        if constexpr (fused) {
          bits[k] = bits_of(__ldcs(from));
        } else if constexpr (valued) {
          __pipeline_memcpy_async(memory.values() + place[j] + odd, from, sizeof(Value));
        }
      }
    }
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const int j = first + k;
      if ((word[j] & mask) < width) {
        memory.put(place[j] + odd, word[j] >> BandPolicy::column_bits, bits[k]);
      }
    }
  }
  if constexpr (valued && !fused) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
  __syncthreads();
  return block_sum(
      write_bucket(memory, to, size, start, out, [&](unsigned row) { return rows.x + row; }),
      &descents);
}

/// Sorts every bucket of a narrow band. A bucket that additions leave in
/// disorder, as they do where an entry occurs twice, is sorted again by votes; with `vote` all are.
template <class Value, class Shape>
__device__ __forceinline__ void sort_band(const TiledMatrix& a, const Value* values,
                                          const BucketOutput<Value>& out, bool vote) {
  for (unsigned bucket = blockIdx.x; bucket < a.band.buckets.count; bucket += gridDim.x) {
    bool disorder = vote;
    if (!vote) {
      disorder = sort_band_bucket<Value, Shape, Ranks::by_addition>(a, values, out, bucket) != 0;
      __syncthreads();  // shared memory is free again
    }
    if (disorder) {
      sort_band_bucket<Value, Shape, Ranks::by_vote>(a, values, out, bucket);
      __syncthreads();
    }
  }
}

}  // namespace sparserepro::partition
