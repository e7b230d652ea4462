// The tiles of cuda_partition: of A, between the passes, and in shared memory while one is sorted.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "cuda/entry_rows.cuh"
#include "cuda/prefetch.cuh"
#include "cuda/progress.cuh"
#include "transpose/cuda_partition/band/policy.hpp"
#include "transpose/cuda_partition/block.cuh"

namespace sparserepro::partition {

/// What the kernels of one way tell each other, and the host afterwards; 0 before the first run.
struct PassState {
  unsigned disorder;       ///< neighbours in a column of A^T that do not ascend
  unsigned partial_count;  ///< chunks of buckets beyond one tile
  unsigned chunks_taken;   ///< beyond the first of each block
  unsigned long_run;       ///< in a wave, chunks of one tile may exceed it
  unsigned band_far;       ///< an entry is beyond the reach of a band; 0 before
  unsigned is_band;        ///< A is a narrow band, if it is looked for
  unsigned unmirrored;     ///< an entry has no mirror entry, or is not in order; 0 before
  unsigned informed;       ///< blocks that have read that; 0 before
  unsigned symmetric;      ///< the pattern of A is, if that was said
  alignas(128) BlockProgress counted;  ///< chunks of buckets beyond one tile
  BlockProgress split_again;           ///< tiles
  BlockProgress planned;               ///< stretches of buckets

  /// Of a run. The other words are reset by who reads them last.
  __device__ void begin(bool band) {
    disorder = partial_count = chunks_taken = long_run = 0;
    is_band = band ? 1 : 0;
    counted = split_again = planned = {0, 0};
  }
};

/// A in tiles of consecutive entries. Rows are counted within groups of 2^group_bits, so that row
/// and column within the bucket always fit 32 bits; a tile ends where a group does.
struct TiledMatrix {
  AnyPointers row_ptr = {};
  const unsigned* col_idx = nullptr;
  unsigned rows, cols, nnz;
  unsigned tiles;
  unsigned groups;
  int group_bits;
  ColumnBuckets buckets;
  unsigned wave;  ///< tiles that are worked on at once
  /// [nnz / tile_entries + 2] the row of each entry k * tile_entries, at last that of the last one.
  unsigned* row_at = nullptr;
  BandShape band = {};  ///< what is looked for; without buckets nothing is

  /// Whether it was found, once it was looked for.
  __device__ bool is_band(const PassState& state) const {
    return band.buckets.count > 0 && state.band_far == 0;
  }
};

struct Tile {
  unsigned group;
  unsigned index;  ///< it ends at most at tile_entries (index + 1)
  unsigned begin, end;
};

/// With s_g the first entry of group g, the group has the tiles floor(s_g / tile_entries) + g ..
/// floor(s_(g+1) / tile_entries) + g, some of them empty. The whole warp searches. In a wave rows
/// are one group, of tiles of `size` entries.
template <class Shape>
__device__ __forceinline__ Tile tile_at(const TiledMatrix& a, unsigned size, unsigned t) {
  constexpr int tile_entries = Shape::entries;
  if constexpr (Shape::wave) {
    return {0, t, t * size, min((t + 1) * size, a.nnz)};
  }
  const auto first = [&](unsigned g) {
    return g == 0 ? 0 : g == a.groups ? a.nnz : a.row_ptr[std::size_t{g} << a.group_bits];
  };
  const unsigned group =
      last_at_most(0, a.groups, [&](unsigned g) { return first(g) / tile_entries + g <= t; });
  const unsigned begin = (t - group) * tile_entries;
  return {group, t - group, max(begin, first(group)), min(begin + tile_entries, first(group + 1))};
}

/// How an entry travels between the passes: a word holds row << low_bits | column within the
/// bucket, and a 4-byte value goes along in one 8-byte store.
template <class Value>
inline constexpr bool fused_entry = sizeof(Value) == 4 && !std::is_empty_v<Value>;

template <class Value>
inline constexpr std::size_t entry_bytes = fused_entry<Value> ? 8 : 4;

/// A fused value as bits, and back.
template <class Value>
__device__ __forceinline__ unsigned bits_of(Value value) {
  static_assert(sizeof(Value) == 4);
  unsigned bits;
  memcpy(&bits, &value, 4);
  return bits;
}
template <class Value>
__device__ __forceinline__ Value value_of(unsigned bits) {
  static_assert(sizeof(Value) == 4);
  Value value;
  memcpy(&value, &bits, 4);
  return value;
}

/// Two neighbours in an array of values, loaded and stored at once.
template <class Value>
struct alignas(2 * sizeof(Value)) ValuePair {
  Value first, second;
};

/// Whether the entry of `row` may stand wrongly behind one of `before` in a column. Without values
/// it does not matter in which order two entries of one row stand.
template <class Value>
__device__ __forceinline__ bool not_after(unsigned row, unsigned before) {
  return std::is_empty_v<Value> ? row < before : row <= before;
}

__device__ __forceinline__ unsigned bucket_of(unsigned column, const ColumnBuckets& buckets) {
  return __umulhi(2 * column, buckets.multiplier) >> buckets.shift;
}

/// The run of bucket b in tile t begins at runs[b * stride + t] & 0xffff of the tile and has
/// runs[..] >> 16 entries; only the buckets of the tile's range are written.
struct RunTable {
  unsigned* runs;
  unsigned stride;
  uint2* range;  ///< [tiles] of the tile: first bucket and, << 16, number of buckets; entries
  std::uint16_t* group;  ///< [tiles] group of rows
  unsigned size;         ///< from the place of one tile's entries to the next

  /// Entries of the tile before those of the bucket and, << 16, of the bucket. All words are loaded
  /// at once; a word that no tile wrote is not used.
  __device__ unsigned run(unsigned bucket, unsigned t) const {
    const uint2 within = range[t];
    const unsigned written = runs[static_cast<std::size_t>(bucket) * stride + t];
    const unsigned low = within.x & 0xffffU;
    return bucket < low ? 0 : bucket - low < within.x >> 16 ? written : within.y;
  }
};

/// The entries between the passes: tile t at `size` t, ordered by bucket.
template <class Value>
struct SplitTiles {
  void* entries;  ///< words, or pairs of word and value when fused
  Value* values;
  RunTable table;
};

/// Counters of a pair of groups of warps, and those of all.
constexpr __host__ __device__ unsigned counter_stride(unsigned digits) {
  return digits + absent_digits;
}
template <int threads>
constexpr __host__ __device__ unsigned counter_words(unsigned digits) {
  return counter_stride(digits) * (groups_of<threads> / 2);
}

/// Shared memory of a block that sorts a tile by `digits`: counters and marks of stretches; in
/// their place, later, the sorted words and values. A multiple of 16.
template <class Value, class Shape>
constexpr __host__ __device__ std::size_t tile_bytes(unsigned digits) {
  constexpr std::size_t tile = Shape::entries;
  const std::size_t counters = (counter_words<Shape::threads>(digits) + 3) / 4 * 16;
  const std::size_t ranked = counters + tile * sizeof(unsigned);
  const std::size_t staged = (tile + 4) * (4 + (std::is_empty_v<Value> ? 0 : sizeof(Value)));
  return (ranked > staged ? ranked : staged) / 16 * 16 + 16;
}

__device__ __forceinline__ unsigned char* shared_memory() {
  extern __shared__ __align__(16) unsigned char shared[];
  return shared;
}

/// That memory.
template <class Value, class Shape>
struct TileMemory {
  static constexpr bool fused = fused_entry<Value>;  ///< words and values are sorted as pairs
  unsigned* const counters;  ///< [groups / 2][stride], until entries are placed
  unsigned* const marks;     ///< [tile], until then

  __device__ explicit TileMemory(unsigned digits)
      : counters(reinterpret_cast<unsigned*>(shared_memory())),
        marks(counters + (counter_words<Shape::threads>(digits) + 3) / 4 * 4) {}

  __device__ static unsigned* words() { return reinterpret_cast<unsigned*>(shared_memory()); }
  __device__ static uint2* pairs() { return reinterpret_cast<uint2*>(shared_memory()); }
  /// Unless fused.
  __device__ static Value* values() {
    return reinterpret_cast<Value*>(shared_memory() + (Shape::entries + 4) * 4);
  }
  __device__ static unsigned word(unsigned at) { return words()[fused ? 2 * at : at]; }
  /// Where values are not fused, `bits` is not used.
  __device__ static void put(unsigned at, unsigned word, unsigned bits) {
    if constexpr (fused) {
      pairs()[at] = {word, bits};
    } else {
      words()[at] = word;
    }
  }
};

}  // namespace sparserepro::partition
