// Units of path direct: rows with the columns of the row before them, as several unknowns at each
// node of a mesh have, taken together. A column has one counter and one place for a unit's entries,
// which follow each other in the answer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "formats/csr.hpp"
#include "formats/partition.hpp"
#include "transpose/omp_partition/policy.hpp"

namespace sparserepro {

/// Whether `least_same_of_units` of the entries lie in rows with the columns of the row before, in
/// samples of consecutive rows.
template <class Offset, class Value>
bool rows_are_alike(const CsrView<Offset, Value>& a) {
  using Policy = HostPartitionPolicy;
  const std::int64_t rows =
      std::min<std::int64_t>(a.rows / Policy::row_samples, Policy::rows_of_sample);
  std::int64_t same = 0, entries = 0;
  for (std::int64_t sample = 0; sample < Policy::row_samples; ++sample) {
    const Offset* const row_ptr = a.row_ptr + (a.rows - rows) / Policy::row_samples * sample;
    for (std::int64_t i = 1; i < rows; ++i) {
      const index_t* const cols = a.col_idx + row_ptr[i];
      const bool equal = std::equal(cols, a.col_idx + row_ptr[i + 1], a.col_idx + row_ptr[i - 1],
                                    a.col_idx + row_ptr[i]);
      same += equal ? row_ptr[i + 1] - row_ptr[i] : 0;
      entries += row_ptr[i + 1] - row_ptr[i];
    }
  }
  return entries > 0 &&
         static_cast<double>(same) >= Policy::least_same_of_units * static_cast<double>(entries);
}

/// Calls `visit(p, length, rows, i)` for the units of the entries [begin, end) of `a`, in order:
/// the entries [p, p + length) of row i, which `rows` - 1 rows behind it repeat, three rows at
/// most. A row that begins or ends elsewhere is a unit. `unit_rows[i]` holds the rows of a unit of
/// whole rows that begins with row i: they are sought if `seek`, else known.
template <bool seek, class Offset, class Value, class Visit>
void for_each_unit(const CsrView<Offset, Value>& a, Offset begin, Offset end,
                   std::uint8_t* unit_rows, Visit visit) {
  if (begin == end) {
    return;
  }
  auto i = static_cast<index_t>(segment_of(a.row_ptr, a.rows, begin));
  for (Offset p = begin; p < end;) {
    const Offset row_end = a.row_ptr[i + 1], length = std::min(row_end, end) - p;
    int rows = 1;
    if (p == a.row_ptr[i] && row_end <= end && length > 0) {
      if constexpr (seek) {
        const index_t* const cols = a.col_idx + p;
        Offset next_end = row_end;
        while (rows < 3 && i + rows < a.rows) {
          const Offset next = next_end;
          next_end = a.row_ptr[i + rows + 1];
          if (next_end - next != length || next_end > end ||
              !std::equal(cols, cols + length, a.col_idx + next)) {
            break;
          }
          ++rows;
        }
        unit_rows[i] = static_cast<std::uint8_t>(rows);
      } else {
        rows = unit_rows[i];
      }
    }
    visit(p, length, rows, i);
    p += rows * length;
    i += rows;
  }
}

}  // namespace sparserepro
