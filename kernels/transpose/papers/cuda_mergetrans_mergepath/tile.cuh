// A tile of cuda_mergetrans_mergepath in shared memory, and the keys that its order goes by.
//
// The key of an entry is its column, less the tile's least, above its slot; keys differ from each
// other and slots ascend in storage order, so whatever orders the keys is stable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/types.hpp"
#include "transpose/papers/cuda_mergetrans_mergepath/policy.hpp"
#include "transpose/papers/device_rows.cuh"

namespace sparserepro::mergepath {

inline constexpr int items = MergepathPolicy::items;

/// Slots of the thread: first_slot() + 32 k. A warp's are consecutive.
__device__ __forceinline__ unsigned first_slot() {
  return threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
}

/// `value`, but nothing that was derived from it before is kept in registers for it.
__device__ __forceinline__ unsigned anew(unsigned value) {
#ifdef __CUDA_ARCH__
  asm volatile("" : "+r"(value));
#endif
  return value;
}

/// Whether slot `i` has an entry. `full`: each has.
template <bool full>
__device__ __forceinline__ bool inside(unsigned i, unsigned count) {
  return full || i < count;
}

/// `wide_keys`: tiles are ordered by counting though their keys do not fit 32 bits.
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
  static constexpr unsigned counters = buckets + buckets / 16;
  static_assert(counters >= size && counters < 1U << 16);
  /// Keys, and a few beyond them that are greater.
  static constexpr unsigned keys = size + MergepathPolicy::few_keys;

  static constexpr std::size_t shared_bytes = MergepathPolicy::shared_bytes(threads, wide);
  static_assert(shared_bytes == ((wide ? size : 0) + keys + counters) * sizeof(unsigned) +
                                    size * sizeof(std::uint16_t));
};

template <class S>
struct Tile {
  unsigned* columns;     ///< [size] by slot; wide ones before the order is known, others after it
  unsigned* keys;        ///< [S::keys] the low 32 bits
  unsigned* stage;       ///< counters of the buckets; then rows by slot
  std::uint16_t* order;  ///< [size] slots in the order of the keys
  /// By slot, when all but the order has been used. Fits: the counters are no fewer than entries.
  void* values;
  unsigned least = 0;
  int range_bits = 0;  ///< of a column less the least

  __device__ explicit Tile(std::uint64_t* shared)
      : columns(reinterpret_cast<unsigned*>(shared)),
        keys(columns + (S::wide ? S::size : 0)),
        stage(keys + S::keys),
        order(reinterpret_cast<std::uint16_t*>(stage + S::counters)),
        values(shared) {}

  __device__ void set_range(uint2 range) {
    least = range.x;
    range_bits = 32 - __clz(static_cast<int>(range.y - range.x));
  }
  /// Whether keys are told apart by 32 bits.
  __device__ bool keys_fit() const { return range_bits + S::slot_bits <= 32; }

  __device__ static unsigned slot(unsigned key) { return key & (S::buckets - 1); }
  __device__ std::uint64_t wide_key(unsigned column, unsigned slot) const {
    return static_cast<std::uint64_t>(column - least) << S::slot_bits | slot;
  }
  __device__ unsigned key(unsigned column, unsigned slot) const {
    return (column - least) << S::slot_bits | slot;
  }
  /// What a thread keeps of an entry while its tile is ordered: the key, or the column if keys are
  /// wide.
  __device__ unsigned word(unsigned column, unsigned slot) const {
    return S::wide ? column : key(column, slot);
  }
  __device__ unsigned key_of_word(unsigned word, unsigned slot) const {
    return S::wide ? key(word, slot) : word;
  }
  /// The column of a key that is not wide.
  __device__ unsigned column_of(unsigned key) const { return least + (key >> S::slot_bits); }
  /// The counter of a bucket, of an entry's and of a key's; in the stage.
  __device__ static unsigned counter(unsigned bucket) { return bucket + bucket / 16; }
  __device__ unsigned counter_of_word(unsigned word, unsigned slot) const {
    return counter(S::wide ? static_cast<unsigned>(wide_key(word, slot) >> range_bits)
                           : word >> range_bits);
  }
  __device__ unsigned counter_of_key(unsigned key) const {
    return counter_of_word(S::wide ? columns[slot(key)] : key, slot(key));
  }
};

/// Shared by the block beside its tile.
struct BlockState {
  uint2 range;
  unsigned warp_sums[32];
};

/// A barrier after it is the caller's.
__device__ __forceinline__ void clear(BlockState& state) {
  if (threadIdx.x == 0) {
    state.range = {~0U, 0};
  }
}

/// Sets the tile's range of columns. A barrier is in it.
template <bool full, class S>
__device__ __forceinline__ void find_range(Tile<S>& tile, BlockState& state, unsigned count,
                                           const unsigned (&column)[items]) {
  const unsigned own = first_slot();
  unsigned least = ~0U, greatest = 0;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (inside<full>(own + k * 32, count)) {
      least = min(least, column[k]);
      greatest = max(greatest, column[k]);
      if (S::wide) {
        tile.columns[own + k * 32] = column[k];
      }
    }
  }
  least = __reduce_min_sync(full_warp, least);
  greatest = __reduce_max_sync(full_warp, greatest);
  if (threadIdx.x % 32 == 0) {
    atomicMin(&state.range.x, least);
    atomicMax(&state.range.y, greatest);
  }
  __syncthreads();
  tile.set_range(state.range);
}

}  // namespace sparserepro::mergepath
