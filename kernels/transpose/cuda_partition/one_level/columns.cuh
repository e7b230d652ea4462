// How a block of cuda_partition ends the sort of a bucket by column: places from ranks; a whole
// bucket leaves as it lies in shared memory, in whole lines, and proves on the way that rows
// ascend.
#pragma once

#include "transpose/cuda_partition/tiles.cuh"

namespace sparserepro::partition {

/// A^T.
template <class Value>
struct BucketOutput {
  AnyPointers col_ptr;
  unsigned* row_idx;
  Value* values;
};

/// Shared memory of a block: the tile; where the entries of each column go, and where they begin.
template <class Value, class Shape>
constexpr std::size_t bucket_shared_bytes(unsigned width) {
  return tile_bytes<Value, Shape>(width) + width * sizeof(unsigned) +
         (width + 1) * sizeof(std::uint16_t);
}

/// Ranks become places in the tile sorted by column, and start[c] where each column begins; absent
/// entries come last. The caller has barriers before and after.
template <int threads, int items>
__device__ __forceinline__ void place_columns(unsigned* counters, unsigned width,
                                              const HalfCounters& own, unsigned mask,
                                              unsigned* warp_sums, std::uint16_t* start,
                                              unsigned (&word)[items], unsigned (&place)[items]) {
  places_from_counts<threads>(
      counters, counter_stride(width), width + absent_digits, warp_sums,
      [](unsigned d) { return d; },
      [&](unsigned d, unsigned first, unsigned) {
        if (d <= width) {
          start[d] = static_cast<std::uint16_t>(first);
        }
      });
  __syncthreads();
#pragma unroll
  for (int j = 0; j < items; ++j) {
    place[j] += own[word[j] & mask];
  }
  forget(word);
}

/// A bucket's columns, and its first entry in A^T.
struct BucketPlace {
  unsigned first_column, columns, base;
};

/// Sorted entries are staged from this place on, so that pairs of them are aligned alike there and
/// in A^T, where the first is at `base`; a bucket without entries must not write at all.
__device__ __forceinline__ unsigned staging_offset(unsigned base, unsigned count) {
  return count > 0 ? base % 2 : 0;
}

/// Writes the `count` sorted entries of a bucket and the pointers of its columns, which begin at
/// `start`. Returns the number of neighbours in a column whose rows, `row_of(word)`, do not ascend.
template <class Value, class Shape, class RowOf>
__device__ __forceinline__ int write_bucket(const TileMemory<Value, Shape>& memory,
                                            const BucketPlace& to, unsigned count,
                                            const std::uint16_t* start,
                                            const BucketOutput<Value>& out, const RowOf& row_of) {
  constexpr bool valued = !std::is_empty_v<Value>;
  constexpr bool fused = fused_entry<Value>;
  const unsigned odd = staging_offset(to.base, count);
  unsigned* const row_out = out.row_idx + (to.base - odd);
  Value* const value_out = out.values + (to.base - odd);
  const unsigned end = count + odd;
  int not_ascending = 0;
#pragma unroll 2
  for (unsigned i = 2 * threadIdx.x; i < end; i += 2 * Shape::threads) {
    const bool first = i >= odd, second = i + 1 < end;
    uint2 row;
    [[maybe_unused]] ValuePair<Value> pair;
    if constexpr (fused) {
      const uint4 two = reinterpret_cast<const uint4*>(memory.words())[i / 2];
      row = {two.x, two.z};
      pair = {value_of<Value>(two.y), value_of<Value>(two.w)};
    } else {
      row = memory.pairs()[i / 2];
      if constexpr (valued) {
        pair = reinterpret_cast<const ValuePair<Value>*>(memory.values())[i / 2];
      }
    }
    row = {row_of(row.x), row_of(row.y)};
    not_ascending += (i > odd && not_after<Value>(row.x, row_of(memory.word(i - 1)))) +
                     (first && second && not_after<Value>(row.y, row.x));
    if (first && second) {
      *reinterpret_cast<uint2*>(row_out + i) = row;
      if constexpr (valued) {
        *reinterpret_cast<ValuePair<Value>*>(value_out + i) = pair;
      }
    } else {
      const unsigned only = first ? 0 : 1;
      row_out[i + only] = first ? row.x : row.y;
      if constexpr (valued) {
        value_out[i + only] = first ? pair.first : pair.second;
      }
    }
  }
#pragma unroll 1
  for (unsigned c = threadIdx.x; c < to.columns; c += Shape::threads) {
    const unsigned at = start[c], next = start[c + 1];
    out.col_ptr.set(to.first_column + c, to.base + at);
    not_ascending -=
        at > 0 && at < next &&
        not_after<Value>(row_of(memory.word(odd + at)), row_of(memory.word(odd + at - 1)));
  }
  return not_ascending;
}

}  // namespace sparserepro::partition
