// A tile of cuda_mergetrans_mergepath in shared memory, and the keys by which it is sorted.
//
//   key = (column - least column of the tile) << slot_bits | slot
//
// Keys are distinct, and slots ascend in storage order: every sort by key is stable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/entry_rows.cuh"
#include "formats/types.hpp"
#include "transpose/papers/cuda_mergetrans_mergepath/policy.hpp"

namespace sparserepro::mergepath {

inline constexpr int items = MergepathPolicy::items;

/// The thread's slots are first_slot() + 32 k, k < items. The slots of a warp are consecutive.
__device__ __forceinline__ unsigned first_slot() {
  return threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
}

/// `value`, opaque to the compiler, which then keeps no earlier results from it in registers.
__device__ __forceinline__ unsigned anew(unsigned value) {
#ifdef __CUDA_ARCH__
  asm volatile("" : "+r"(value));
#endif
  return value;
}

/// Whether slot `i` has an entry. In a `full` tile every slot has one.
template <bool full>
__device__ __forceinline__ bool inside(unsigned i, unsigned count) {
  return full || i < count;
}

/// Sizes of a tile. With `wide_keys`, keys exceed 32 bits, and tiles are still sorted by counting.
template <int threads_of_block, bool wide_keys>
struct Shape {
  static constexpr int threads = threads_of_block;
  static constexpr bool wide = wide_keys;
  static constexpr unsigned size = MergepathPolicy::tile(threads);
  static constexpr int slot_bits = MergepathPolicy::slot_bits(threads);
  /// Counters; a thread scans 16 of them. One unused word after each 16 spreads them over all
  /// banks.
  static constexpr unsigned buckets = 1U << slot_bits;
  static constexpr unsigned each = buckets / threads;
  static_assert(each == 16);
  static constexpr unsigned counters = buckets + buckets / 16;
  static_assert(counters >= size && counters < 1U << 16);
  /// Keys of the tile, followed by few_keys greater ones.
  static constexpr unsigned keys = size + MergepathPolicy::few_keys;

  static constexpr std::size_t shared_bytes = MergepathPolicy::shared_bytes(threads, wide);
  static_assert(shared_bytes == ((wide ? size : 0) + keys + counters) * sizeof(unsigned) +
                                    size * sizeof(std::uint16_t));
};

/// Shared memory of a block for one tile.
template <class S>
struct Tile {
  unsigned* columns;     ///< [size] by slot; set before the sort if keys are wide, else after it
  unsigned* keys;        ///< [S::keys] low 32 bits of the keys
  unsigned* stage;       ///< [S::counters] counters of the buckets, then rows by slot
  std::uint16_t* order;  ///< [size] slots in the order of the keys
  /// [size] by slot, in the memory of columns, keys and stage, when these are no longer used.
  void* values;
  unsigned least = 0;
  int range_bits = 0;  ///< bits of (column - least)

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
  /// Whether the keys of the tile fit 32 bits.
  __device__ bool keys_fit() const { return range_bits + S::slot_bits <= 32; }

  __device__ static unsigned slot(unsigned key) { return key & (S::buckets - 1); }
  __device__ std::uint64_t wide_key(unsigned column, unsigned slot) const {
    return static_cast<std::uint64_t>(column - least) << S::slot_bits | slot;
  }
  __device__ unsigned key(unsigned column, unsigned slot) const {
    return (column - least) << S::slot_bits | slot;
  }
  /// Word that a thread keeps of an entry during the sort: the key, or the column if keys are wide.
  __device__ unsigned word(unsigned column, unsigned slot) const {
    return S::wide ? column : key(column, slot);
  }
  __device__ unsigned key_of_word(unsigned word, unsigned slot) const {
    return S::wide ? key(word, slot) : word;
  }
  /// The column of a key that is not wide.
  __device__ unsigned column_of(unsigned key) const { return least + (key >> S::slot_bits); }
  /// Place in `stage` of the counter of a bucket, and of the bucket of a word or a key.
  __device__ static unsigned counter(unsigned bucket) { return bucket + bucket / 16; }
  __device__ unsigned counter_of_word(unsigned word, unsigned slot) const {
    return counter(S::wide ? static_cast<unsigned>(wide_key(word, slot) >> range_bits)
                           : word >> range_bits);
  }
  __device__ unsigned counter_of_key(unsigned key) const {
    return counter_of_word(S::wide ? columns[slot(key)] : key, slot(key));
  }
};

/// Shared memory of a block beside its tile.
struct BlockState {
  uint2 range;
  unsigned warp_sums[32];
};

/// Sets an empty range. The caller synchronises the block afterwards.
__device__ __forceinline__ void clear(BlockState& state) {
  if (threadIdx.x == 0) {
    state.range = {~0U, 0};
  }
}

/// Sets the range of columns of the tile. A barrier is in it.
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
