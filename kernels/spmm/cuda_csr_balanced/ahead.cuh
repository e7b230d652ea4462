// Fetches of A: a block asks L2 for the entries of a later block. A row waits for its row pointers,
// then for its columns, then for rows of X; without the fetch the first two come from memory.
#pragma once

#include <cstdint>

#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/plan.hpp"

namespace sparserepro::balanced {

/// Asks L2 for elements [first, first + count) of `base`, widened to whole units of 16 bytes, or
/// for nothing where they do not end before `end`. `base` is aligned to 16 bytes. Devices before
/// compute capability 9.0 do nothing.
template <class T>
__device__ __forceinline__ void fetch_into_l2(const T* base, std::int64_t first, unsigned count,
                                              std::int64_t end) {
#if __CUDA_ARCH__ >= 900
  constexpr unsigned unit = 16 / sizeof(T);
  const std::int64_t from = first / unit * unit;
  const unsigned elements = (count + 2 * unit - 1) / unit * unit;
  if (from + elements <= end) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(base + from),
                 "r"(elements * static_cast<unsigned>(sizeof(T))));
  }
#endif
}

/// For a block whose first row, or group, is `row`, with entries from `begin` on. One thread.
template <class Offset, class Element>
__device__ __forceinline__ void fetch_ahead(const CsrView<Offset, Element>& a, const Ahead& ahead,
                                            index_t row, Offset begin) {
  const std::int64_t first = std::int64_t{begin} + BalancedPolicy::ahead_entries;
  fetch_into_l2(a.col_idx, first, ahead.entries, a.nnz);
  fetch_into_l2(a.values, first, ahead.entries, a.nnz);
  fetch_into_l2(a.row_ptr, std::int64_t{row} + ahead.distance, ahead.rows, a.rows);
}

}  // namespace sparserepro::balanced
