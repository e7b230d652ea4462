// Tasks of path merged: stretches of equal length over rows and entries, as in the merge of Merrill
// and Garland (SC'16), where a row that ends a little behind its task is not cut.
//
// Entry p of row r lies at position p + row_cost r, and row_cost positions follow the last entry of
// each row. Task t has the positions [t merged_task, (t + 1) merged_task): the rows that begin
// there, and what lies there of a row that is cut. A row that is not cut belongs whole to the task
// where it begins.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/ceil_div.hpp"
#include "spmm/cuda_csr_balanced/plan/policy.hpp"

namespace sparserepro {

/// The positions [first, end) of the entries of a row.
struct RowSpan {
  static constexpr std::int64_t task_length = BalancedPolicy::merged_task;

  std::int64_t first, end;

  /// The task where the row begins.
  SPARSEREPRO_HOST_DEVICE constexpr std::int64_t task() const { return first / task_length; }
  /// Whether every task has the part of the row at its own positions.
  SPARSEREPRO_HOST_DEVICE constexpr bool cut() const {
    return end > (task() + 1) * task_length + BalancedPolicy::merged_overhang;
  }
  /// Tasks with a part of the row if it is cut, the first being task().
  SPARSEREPRO_HOST_DEVICE constexpr std::int64_t parts() const {
    return (end - 1) / task_length - task() + 1;
  }
};

/// Entries [begin, end) of a task, and the rows at its ends.
template <class Offset>
struct MergedTask {
  Offset begin, end;
  RowSpan before, last;  ///< of the row before its first and of its last row, if there is one
  bool begun_before;     ///< its first entries are of the row before, which is cut
  bool goes_on;          ///< its last row is cut

  /// Task t, where the rows [first, next) begin: first_row[t] and first_row[t + 1]. `row_ptr` is
  /// read at these rows and those before them.
  SPARSEREPRO_HOST_DEVICE static MergedTask of(unsigned t, std::int64_t first, std::int64_t next,
                                               const Offset* row_ptr) {
    constexpr std::int64_t cost = BalancedPolicy::row_cost;
    const std::int64_t from = t * RowSpan::task_length, to = from + RowSpan::task_length;
    const auto span = [&](std::int64_t row) {
      return RowSpan{row_ptr[row] + cost * row, row_ptr[row + 1] + cost * row};
    };
    MergedTask task{};
    task.begin = row_ptr[first];
    task.end = row_ptr[next];
    if (first > 0) {
      task.before = span(first - 1);
      task.begun_before = task.before.cut() && task.before.end > from;
    }
    if (task.begun_before) {
      task.begin = static_cast<Offset>(from - cost * (first - 1));
    }
    if (next > first) {
      task.last = span(next - 1);
      task.goes_on = task.last.cut();
    }
    if (task.goes_on) {
      task.end = static_cast<Offset>(to - cost * (next - 1));
    } else if (task.begun_before && first == next) {
      task.end =
          static_cast<Offset>((task.before.end < to ? task.before.end : to) - cost * (first - 1));
    }
    return task;
  }
};

/// The tasks of a matrix.
inline unsigned merged_tasks(std::int64_t rows, std::int64_t nnz) {
  return static_cast<unsigned>(
      ceil_div(nnz + BalancedPolicy::row_cost * rows, RowSpan::task_length));
}

}  // namespace sparserepro
