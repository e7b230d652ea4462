// Slices of the entries of a CSR matrix, for transpositions that give each thread one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/csr.hpp"
#include "formats/partition.hpp"

namespace sparserepro {

/// Calls `visit(p, i)` for the entries p in [begin, end) of `a`, in order, with their rows i. A
/// slice may begin and end within a row.
template <class Offset, class Value, class Visit>
void for_each_entry(const CsrView<Offset, Value>& a, Offset begin, Offset end, Visit visit) {
  if (begin == end) {
    return;
  }
  auto i = static_cast<index_t>(segment_of(a.row_ptr, a.rows, begin));
  for (Offset p = begin; p < end; ++i) {
    const Offset row_end = std::min(a.row_ptr[i + 1], end);
    for (; p < row_end; ++p) {
      visit(p, i);
    }
  }
}

/// As `for_each_entry`, without a branch for each row, which the processor mispredicts where
/// lengths of rows vary: the rows that begin at each entry are counted a block ahead of the visits.
template <class Offset, class Value, class Visit>
void for_each_entry_by_counts(const CsrView<Offset, Value>& a, Offset begin, Offset end,
                              Visit visit) {
  if (begin == end) {
    return;
  }
  constexpr Offset block = 512;
  index_t begins[block];  // rows that begin at each entry of the block; empty ones with the next
  auto i = static_cast<index_t>(segment_of(a.row_ptr, a.rows, begin));
  const Offset* next_row = a.row_ptr + i + 1;
  for (Offset first = begin, last = begin; first < end; first = last) {
    last += std::min<Offset>(end - first, block);
    std::fill_n(begins, block, 0);
    for (; *next_row < last; ++next_row) {
      ++begins[*next_row - first];
    }
    for (Offset p = first; p < last; ++p) {
      i += begins[p - first];
      visit(p, i);
    }
  }
}

/// `for_each_entry_by_counts` or `for_each_entry`: a loop with a choice within is slower than
/// either.
template <bool by_counts, class Offset, class Value, class Visit>
void for_each_entry(const CsrView<Offset, Value>& a, Offset begin, Offset end, Visit visit) {
  if constexpr (by_counts) {
    for_each_entry_by_counts(a, begin, end, visit);
  } else {
    for_each_entry(a, begin, end, visit);
  }
}

/// Bytes that counters or pointers per thread and column may take. Beyond it the method is unfit:
/// these arrays dwarf the matrix (17 M columns and 64 threads are 4.4 GB).
inline constexpr std::int64_t max_column_array_bytes = std::int64_t{4} << 30;

}  // namespace sparserepro
