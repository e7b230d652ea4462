// How cuda_partition writes the sorted entries of a whole bucket: as they lie in shared memory, in
// whole lines, proving on the way that rows ascend.
#pragma once

#include "transpose/cuda_partition/one_level/bucket_memory.cuh"

namespace sparserepro::partition {

/// Sorted entries are staged from this place on, so that pairs of them are aligned alike there and
/// in A^T, where the first is at `base`; a bucket without entries must not write at all.
__device__ __forceinline__ unsigned staging_offset(unsigned base, unsigned count) {
  return count > 0 ? base % 2 : 0;
}

/// Writes `count` sorted entries to `base` on, and returns the number of neighbours whose rows,
/// `row_of(word)`, do not ascend. `shared`: words, or pairs of word and value when fused; else the
/// values after tile + 4 words.
template <class Value, int threads, class RowOf>
__device__ __forceinline__ int write_sorted(const unsigned char* shared, unsigned base,
                                            unsigned count, const BucketOutput<Value>& out,
                                            const RowOf& row_of) {
  constexpr bool valued = !std::is_empty_v<Value>;
  constexpr bool fused = fused_entry<Value>;
  constexpr int tile_entries = tile_of<Value, threads>;
  const auto* const staged = reinterpret_cast<const unsigned*>(shared);
  const auto* const staged_values = reinterpret_cast<const Value*>(shared + (tile_entries + 4) * 4);
  const unsigned odd = staging_offset(base, count);
  unsigned* const row_out = out.row_idx + (base - odd);
  Value* const value_out = out.values + (base - odd);
  const unsigned end = count + odd;
  int not_ascending = 0;
#pragma unroll 2
  for (unsigned i = 2 * threadIdx.x; i < end; i += 2 * threads) {
    const bool first = i >= odd, second = i + 1 < end;
    uint2 row;
    [[maybe_unused]] ValuePair<Value> pair;
    if constexpr (fused) {
      const uint4 two = reinterpret_cast<const uint4*>(shared)[i / 2];
      row = {two.x, two.z};
      pair = {value_of<Value>(two.y), value_of<Value>(two.w)};
    } else {
      row = reinterpret_cast<const uint2*>(staged)[i / 2];
      if constexpr (valued) {
        pair = reinterpret_cast<const ValuePair<Value>*>(staged_values)[i / 2];
      }
    }
    row = {row_of(row.x), row_of(row.y)};
    not_ascending +=
        (i > odd && not_after<Value>(row.x, row_of(staged[fused ? 2 * (i - 1) : i - 1]))) +
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
  return not_ascending;
}

}  // namespace sparserepro::partition
