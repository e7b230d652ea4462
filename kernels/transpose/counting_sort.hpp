// The counting sort over columns that the serial transposition does once and MergeTrans per slice.
#pragma once

#include <algorithm>
#include <utility>

#include "transpose/slices.hpp"

namespace sparserepro {

/// Where a transposed slice goes; column c of it is [col_ptr[c], col_ptr[c+1]).
template <class Offset, class Value>
struct CscBlock {
  Offset* col_ptr{};  ///< [cols+1], from 0
  index_t* row_idx{};
  Value* values{};
};

/// Transposes the entries [begin, end) of `a` into `out` on one thread. `col_ptr[c+1]` counts, then
/// is the place of the column's next entry, and ends as the end of the column.
template <class Offset, class Value>
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
  for_each_entry(a, begin, end, [&](Offset p, index_t i) {
    const Offset q = next[a.col_idx[p]]++;
    out.row_idx[q] = i;
    if constexpr (has_values<Value>) {
      out.values[q] = a.values[p];
    }
  });
}

}  // namespace sparserepro
