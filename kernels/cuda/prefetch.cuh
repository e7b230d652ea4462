// Loads into the L2 cache ahead of use.
#pragma once

#include <cstddef>

namespace sparserepro {

/// Asks for `count` elements from `data` on to be brought into L2. One thread calls it. Before
/// Hopper it does nothing.
template <class T>
__device__ __forceinline__ void prefetch_l2([[maybe_unused]] const T* data,
                                            [[maybe_unused]] std::size_t count) {
#if __CUDA_ARCH__ >= 900
  const std::size_t bytes = count * sizeof(T) / 16 * 16;
  if (bytes > 0) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(data) /
                                                                    16 * 16),
                 "r"(static_cast<unsigned>(bytes)));
  }
#endif
}

}  // namespace sparserepro
