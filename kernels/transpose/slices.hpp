// What the slice-parallel transpositions (ScanTrans, MergeTrans) share: equal slices of the entries
// and the bound on arrays that hold one number per thread and column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>

#include "formats/partition.hpp"
#include "transpose/transpose.hpp"

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

/// Bytes that counters or pointers per thread and column may take. Beyond it the method is unfit:
/// these arrays dwarf the matrix (17 M columns and 64 threads are 4.4 GB).
inline constexpr std::int64_t max_column_array_bytes = std::int64_t{4} << 30;

/// "" or why `arrays` arrays of `cols` elements of `bytes` bytes are too many.
inline std::string column_array_refusal(const TransposeProblem& problem, std::int64_t arrays,
                                        std::int64_t bytes) {
  const std::int64_t cols = problem.shape().cols;
  const double needed = static_cast<double>(arrays) * static_cast<double>(cols * bytes);
  if (needed <= static_cast<double>(max_column_array_bytes)) {
    return "";
  }
  return std::to_string(arrays) + " arrays of " + std::to_string(cols) + " columns need " +
         std::to_string(static_cast<std::int64_t>(needed / (1 << 20))) + " MiB; the limit is " +
         std::to_string(max_column_array_bytes / (1 << 20)) + " MiB";
}

}  // namespace sparserepro
