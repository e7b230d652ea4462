// What the split of cuda_partition leaves to the next pass, and what it holds in shared memory.
#pragma once

#include "transpose/cuda_partition/rows.cuh"

namespace sparserepro::partition {

/// The entries between the passes: tile t at `tile` t, ordered by bucket; or packed, at the tile's
/// place in A.
template <class Value>
struct SplitTiles {
  void* entries;  ///< words, or pairs of word and value when fused
  Value* values;
};

/// Packed tiles are staged so many entries late at most, so that 16 bytes are aligned alike.
inline constexpr unsigned largest_shift = 3;

/// Writes the staged elements [shift, shift + count) to `to` + .., both aligned to 16 bytes.
template <int threads, class T>
__device__ __forceinline__ void write_packed(T* to, const T* staged, unsigned shift,
                                             unsigned count) {
  constexpr unsigned each = 16 / sizeof(T);
  const unsigned end = shift + count;
#pragma unroll 4
  for (unsigned i = shift / each + threadIdx.x; i * each < end; i += threads) {
    if (i * each >= shift && (i + 1) * each <= end) {
      reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(staged)[i];
    } else {
      for (unsigned k = max(i * each, shift); k < min((i + 1) * each, end); ++k) {
        to[k] = staged[k];
      }
    }
  }
}

/// How a bucket lies in the tiles of a split.
enum class Lies {
  in_runs,      ///< one in each tile; tiles are of one size
  in_groups,    ///< so, and words count rows from the first of the tile's group
  side_by_side  ///< as consecutive runs of each tile, whose words count columns from the first of
                ///< all runs; tiles are packed
};

/// The run of bucket b in tile t begins at runs[b * stride + t] & 0xffff of the tile and has
/// runs[..] >> 16 entries; only the buckets of the tile's range are written.
struct RunTable {
  unsigned* runs;
  unsigned stride;
  unsigned* range;       ///< [tiles] first bucket and, << 16, number of buckets of the tile
  std::uint16_t* group;  ///< [tiles] group of rows
  unsigned* begin;       ///< [tiles] where tiles lie that are not of one size, else null

  /// Start and length of a run. Both words are loaded at once; a word that no tile wrote is not
  /// used.
  __device__ unsigned run(unsigned bucket, unsigned t) const {
    const unsigned within = range[t];
    const unsigned written = runs[static_cast<std::size_t>(bucket) * stride + t];
    return bucket - (within & 0xffffU) < within >> 16 ? written : 0;
  }
  /// The same of consecutive buckets, where all of each tile are written.
  __device__ unsigned run(unsigned first, unsigned last, unsigned t) const {
    const unsigned from = runs[static_cast<std::size_t>(first) * stride + t];
    const unsigned to = runs[static_cast<std::size_t>(last) * stride + t];
    const unsigned start = from & 0xffffU;
    return start | ((to & 0xffffU) + (to >> 16) - start) << 16;
  }
};

/// Counters of a pair of groups of warps, and those of all.
constexpr __host__ __device__ unsigned counter_stride(unsigned digits) {
  return digits + absent_digits;
}
template <int threads>
constexpr __host__ __device__ unsigned counter_words(unsigned digits) {
  return counter_stride(digits) * (groups_of<threads> / 2);
}
template <int threads>
constexpr __host__ __device__ std::size_t counter_bytes(unsigned digits) {
  return (counter_words<threads>(digits) + 3) / 4 * 16;
}

/// Shared memory of a block: counters and the marks of the rows, later the staged tile.
template <class Value, int threads>
constexpr std::size_t split_shared_bytes(unsigned digits) {
  constexpr std::size_t tile = tile_of<Value, threads>;
  return std::max(counter_bytes<threads>(digits) + tile * sizeof(unsigned),
                  (tile + 4) * (4 + (std::is_empty_v<Value> ? 0 : sizeof(Value))));
}

}  // namespace sparserepro::partition
