// Loads into the L2 cache ahead of use, in bulk. One thread calls them. Devices before compute
// capability 9.0 do nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sparserepro {

/// Bytes of the units in which the hardware takes addresses and sizes.
inline constexpr unsigned prefetch_unit = 16;

/// Asks for `bytes` from `begin` on, both multiples of a unit.
__device__ __forceinline__ void prefetch_units([[maybe_unused]] std::size_t begin,
                                               [[maybe_unused]] unsigned bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin), "r"(bytes));
#endif
}

/// Asks for `count` elements from `data` on, but for a rest of less than a unit.
template <class T>
__device__ __forceinline__ void prefetch_l2(const T* data, std::size_t count) {
  const std::size_t bytes = count * sizeof(T) / prefetch_unit * prefetch_unit;
  if (bytes > 0) {
    prefetch_units(__cvta_generic_to_global(data) / prefetch_unit * prefetch_unit,
                   static_cast<unsigned>(bytes));
  }
}

/// Asks for elements [first, first + count) of `base`, widened to whole units, or for nothing where
/// those do not end before `end`. `base` is aligned to a unit.
template <class T>
__device__ __forceinline__ void prefetch_l2_before(const T* base, std::int64_t first,
                                                   unsigned count, std::int64_t end) {
  constexpr unsigned unit = prefetch_unit / sizeof(T);
  const std::int64_t from = first / unit * unit;
  const unsigned elements = (count + 2 * unit - 1) / unit * unit;
  if (from + elements <= end) {
    prefetch_units(reinterpret_cast<std::size_t>(base + from),
                   elements * static_cast<unsigned>(sizeof(T)));
  }
}

}  // namespace sparserepro
