// Fetches of A: a block asks L2 for the entries of a later block. A row waits for its row pointers,
// then for its columns, then for rows of X; without the fetch the first two come from memory.
#pragma once

#include <cstdint>

#include "cuda/prefetch.cuh"
#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"

namespace sparserepro::balanced {

/// For a block whose first row, or group, is `row`, with entries from `begin` on. One thread.
template <class Offset, class Element>
__device__ __forceinline__ void fetch_ahead(const CsrView<Offset, Element>& a, const Ahead& ahead,
                                            index_t row, Offset begin) {
  const std::int64_t first = std::int64_t{begin} + BalancedPolicy::ahead_entries;
  prefetch_l2_before(a.col_idx, first, ahead.entries, a.nnz);
  prefetch_l2_before(a.values, first, ahead.entries, a.nnz);
  prefetch_l2_before(a.row_ptr, std::int64_t{row} + ahead.distance, ahead.rows, a.rows);
}

}  // namespace sparserepro::balanced
