// The entries of a thread of path flat: their loads and products.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/l2_policy.cuh"
#include "formats/csr.hpp"

namespace sparserepro::balanced {

/// Adjacent entries of a thread.
inline constexpr int flat_entries = 4;

/// Those of a thread, which are read once; `policy` is that of L2.
template <class Element>
struct FlatEntries {
  static constexpr int count = flat_entries;
  static constexpr bool is_double = std::is_same_v<Element, double>;
  static_assert(is_double || std::is_same_v<Element, float>);
  index_t col[count]{};
  Element value[count]{};

  template <class Offset>
  __device__ __forceinline__ void load(const CsrView<Offset, Element>& a, Offset first,
                                       std::uint64_t policy) {
    if (first <= a.nnz - count) {
      asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                   : "=r"(col[0]), "=r"(col[1]), "=r"(col[2]), "=r"(col[3])
                   : "l"(a.col_idx + first), "l"(policy));
      if constexpr (is_double) {
#pragma unroll
        for (int j = 0; j < count; j += 2) {
          asm volatile("ld.global.L1::evict_first.L2::cache_hint.v2.f64 {%0, %1}, [%2], %3;"
                       : "=d"(value[j]), "=d"(value[j + 1])
                       : "l"(a.values + first + j), "l"(policy));
        }
      } else {
        asm volatile("ld.global.L1::evict_first.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=f"(value[0]), "=f"(value[1]), "=f"(value[2]), "=f"(value[3])
                     : "l"(a.values + first), "l"(policy));
      }
      return;
    }
#pragma unroll
    for (int j = 0; j < count; ++j) {  // the last of the matrix
      col[j] = j < a.nnz - first ? a.col_idx[first + j] : 0;
      value[j] = j < a.nnz - first ? a.values[first + j] : 0;
    }
  }

  /// Entries outside of `on` become 0 times an element that is not looked at.
  __device__ __forceinline__ void multiply(unsigned on, const Element* x,
                                           Element (&product)[count]) {
    const bool whole = __all_sync(~0U, on == (1U << count) - 1);
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const bool taken = whole || (on >> j & 1) != 0;
      const Element* const from = x + (taken ? col[j] : 0);
      if constexpr (is_double) {
        asm volatile("ld.global.f64 %0, [%1];" : "=d"(product[j]) : "l"(from));
      } else {
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(product[j]) : "l"(from));
      }
    }
#pragma unroll
    for (int j = 0; j < count && !whole; ++j) {
      product[j] = (on >> j & 1) != 0 ? product[j] : 0;
      value[j] = (on >> j & 1) != 0 ? value[j] : 0;
    }
#pragma unroll
    for (int j = 0; j < count; ++j) {
      product[j] *= value[j];
    }
  }
};

/// to = *from if `on`; a load that keeps its place among the others.
__device__ __forceinline__ void load_if(unsigned on, const index_t* from, index_t& to) {
  asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.b32 %0, [%1];}"
               : "+r"(to)
               : "l"(from), "r"(on));
}

}  // namespace sparserepro::balanced
