// Serial counting sort by column: the serial transposition, and MergeTrans for each slice.
#pragma once

#include <algorithm>
#include <utility>

#include "transpose/slices.hpp"

namespace sparserepro {

/// Arrays of a transposed slice; column c of it is [col_ptr[c], col_ptr[c+1]).
template <class Offset, class Value>
struct CscBlock {
  Offset* col_ptr{};  ///< [cols+1], col_ptr[0] == 0
  index_t* row_idx{};
  Value* values{};
};

/// Transposes the entries [begin, end) of `a` into `out`, stably, on one thread. O(end - begin +
/// cols) work. col_ptr[c+1] first counts the entries of column c, then holds the position of its
/// next entry, and at last the end of the column. `by_counts`: how entries are visited
/// (slices.hpp).
template <bool by_counts = false, class Offset, class Value>
void transpose_slice(const CsrView<Offset, Value>& a, Offset begin, Offset end,
                     const CscBlock<Offset, Value>& out) {
  Offset* const next = out.col_ptr + 1;
  std::fill_n(out.col_ptr, static_cast<std::size_t>(a.cols) + 1, Offset{0});
  for (Offset p = begin; p < end; ++p) {
    ++next[a.col_idx[p]];
  }
  Offset sum = 0;
  for (index_t c = 0; c < a.cols; ++c) {
    sum += std::exchange(next[c], sum);
  }
  for_each_entry<by_counts>(a, begin, end, [&](Offset p, index_t i) {
    const Offset q = next[a.col_idx[p]]++;
    out.row_idx[q] = i;
    if constexpr (has_values<Value>) {
      out.values[q] = a.values[p];
    }
  });
}

}  // namespace sparserepro
