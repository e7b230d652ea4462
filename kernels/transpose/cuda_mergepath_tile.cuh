// A tile of cuda_mergetrans_mergepath in shared memory, and the keys that its order goes by.
//
// The key of an entry is its column, less the tile's least, above its slot; keys differ from each
// other and slots ascend in storage order, so whatever orders the keys is stable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.hpp"
#include "transpose/cuda_mergepath_policy.hpp"
#include "transpose/device_rows.cuh"

namespace sparserepro::mergepath {

inline constexpr int items = MergepathPolicy::items;

/// Slots of the thread: first_slot() + 32 k. A warp's are consecutive.
__device__ __forceinline__ unsigned first_slot() {
  return threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
}

/// `wide`: keys do not fit 32 bits for every column.
template <int threads_of_block, bool wide_keys>
struct Shape {
  static constexpr int threads = threads_of_block;
  static constexpr bool wide = wide_keys;
  static constexpr unsigned size = MergepathPolicy::tile(threads);
  static constexpr int slot_bits = MergepathPolicy::slot_bits(threads);
  /// Of the counters, each thread scans 16; one more keeps them in different banks.
  static constexpr unsigned buckets = 1U << slot_bits;
  static constexpr unsigned each = buckets / threads;
  static_assert(each == 16);
  static constexpr unsigned counters = buckets + buckets / 16 + 1;

  template <class Value>
  static constexpr std::size_t shared_bytes() {
    const std::size_t staged = size * (value_bytes<Value> > 4 ? value_bytes<Value> : 4);
    const std::size_t counted = counters * sizeof(unsigned);
    return size * (wide ? 8 : 4) + (staged > counted ? staged : counted);
  }
};

template <class S>
struct Tile {
  unsigned* keys;     ///< [size] the low 32 bits
  unsigned* columns;  ///< [size] by slot, for wide keys
  void* stage;        ///< counters of the buckets; then rows by slot; then values by slot
  unsigned least = 0;
  int range_bits = 0;  ///< of a column less the least

  __device__ explicit Tile(std::uint64_t* shared)
      : keys(reinterpret_cast<unsigned*>(shared)),
        columns(keys + S::size),
        stage(keys + (S::wide ? 2 : 1) * S::size) {}

  __device__ void set_range(uint2 range) {
    least = range.x;
    range_bits = 32 - __clz(static_cast<int>(range.y - range.x));
  }

  __device__ static unsigned slot(unsigned key) { return key & (S::buckets - 1); }
  __device__ unsigned column(unsigned key) const {
    return S::wide ? columns[slot(key)] : least + (key >> S::slot_bits);
  }
  __device__ std::uint64_t wide_key(unsigned column, unsigned slot) const {
    return static_cast<std::uint64_t>(column - least) << S::slot_bits | slot;
  }
  __device__ unsigned key(unsigned column, unsigned slot) const {
    return (column - least) << S::slot_bits | slot;
  }
  __device__ unsigned bucket(unsigned key) const {
    return S::wide ? static_cast<unsigned>(wide_key(column(key), slot(key)) >> range_bits)
                   : key >> range_bits;
  }
  __device__ unsigned* counter(unsigned bucket) const {
    return static_cast<unsigned*>(stage) + (bucket + bucket / 16);
  }
};

/// Shared by the block beside its tile.
struct BlockState {
  uint2 range;
  unsigned warp_sums[32];
  int before;  ///< greatest column of an entry ahead of the tile in its run, -1 if none
};

/// A barrier after it is the caller's.
__device__ __forceinline__ void clear(BlockState& state) {
  if (threadIdx.x == 0) {
    state.range = {~0U, 0};
    state.before = -1;
  }
}

/// Sets the tile's range of columns, and turns the columns in the thread's slots into keys. A
/// barrier is in it.
template <class S>
__device__ __forceinline__ void make_keys(Tile<S>& tile, BlockState& state, unsigned count,
                                          unsigned (&column)[items]) {
  const unsigned own = first_slot();
  unsigned least = ~0U, greatest = 0;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (own + k * 32 < count) {
      least = min(least, column[k]);
      greatest = max(greatest, column[k]);
      if (S::wide) {
        tile.columns[own + k * 32] = column[k];
      }
    }
  }
  least = __reduce_min_sync(rows::full_warp, least);
  greatest = __reduce_max_sync(rows::full_warp, greatest);
  if (threadIdx.x % 32 == 0) {
    atomicMin(&state.range.x, least);
    atomicMax(&state.range.y, greatest);
  }
  __syncthreads();
  tile.set_range(state.range);
#pragma unroll
  for (int k = 0; k < items; ++k) {
    column[k] = tile.key(column[k], own + k * 32);
  }
}

}  // namespace sparserepro::mergepath
