// The path of omp_partition for few columns: each has a buffer of its own, and partitioning by
// column is the whole transposition.
//
//   1. slice s counts its columns                                    counts[s][c]
//   2. next[s][c] = col_ptr[c] + sum of counts[r][c] over r < s
//   3. slice s appends (row, value) to the open line of column c, and streams every full line to
//      its place in the answer
//
// Open lines are aligned as the answer's, so that all lines of a run but its first and last are
// written whole and without being read.
#pragma once

#include <algorithm>
#include <vector>

#include "formats/partition.hpp"
#include "formats/region_error.hpp"
#include "formats/streaming.hpp"
#include "transpose/counting_sort.hpp"
#include "transpose/omp_partition/policy.hpp"
#include "transpose/omp_partition/worker.hpp"

namespace sparserepro {

/// Full lines are streamed where the arrays of the answer begin at a multiple of 16 bytes.
template <class Offset, class Value>
class ColumnTranspose {
 public:
  static constexpr std::int64_t entries_of_change = HostPartitionPolicy::entries_of_change;

  /// Workspace for each slice and column.
  static constexpr std::int64_t bytes_of_column =
      sizeof(PartitionLine<index_t, Value>) + 2 * sizeof(Offset);

  ColumnTranspose(const CsrView<Offset, Value>& a, int slices)
      : a_(a), slices_(slices), workers_(static_cast<std::size_t>(slices)) {
    RegionError error;
#pragma omp parallel for schedule(static, 1) num_threads(slices_)
    for (int s = 0; s < slices_; ++s) {
      error.guard([&] {
        workers_[s].lines.resize(static_cast<std::size_t>(a_.cols));
        workers_[s].first.resize(static_cast<std::size_t>(a_.cols));
        workers_[s].next.resize(static_cast<std::size_t>(a_.cols));
      });
    }
    error.rethrow();
  }

  /// `by_counts`: how entries are visited (transpose/slices.hpp).
  void run(const CscBlock<Offset, Value>& out, bool by_counts) {
#pragma omp parallel num_threads(slices_)
    {
#pragma omp for schedule(static, 1)
      for (int s = 0; s < slices_; ++s) {
        count_slice(s);
      }
#pragma omp single
      scan(out.col_ptr);
#pragma omp for schedule(static, 1)
      for (int s = 0; s < slices_; ++s) {
        by_counts ? append_slice<true>(s, out) : append_slice<false>(s, out);
      }
    }
  }

  std::int64_t workspace_bytes() const {
    return std::int64_t{slices_} * a_.cols * bytes_of_column;
  }

 private:
  using Line = PartitionLine<index_t, Value>;
  static constexpr Offset line_entries = Line::entries;

  struct Worker {
    Buffer<Line> lines;    // [cols]
    Buffer<Offset> first;  // [cols] counts, then where the run of the column begins
    Buffer<Offset> next;   // [cols] place of the column's next entry
  };

  static bool begins_at_vector(const void* array) {
    return reinterpret_cast<std::uintptr_t>(array) % 16 == 0;
  }
  Offset slice_begin(int s) const {
    return static_cast<Offset>(part_begin(a_.nnz, slices_, s));
  }

  void count_slice(int s) {
    Buffer<Offset>& count = workers_[s].first;
    std::fill(count.begin(), count.end(), Offset{0});
    const Offset end = slice_begin(s + 1);
    for (Offset p = slice_begin(s); p < end; ++p) {
      ++count[a_.col_idx[p]];
    }
  }

  void scan(Offset* col_ptr) {
    Offset sum = 0;
    for (index_t c = 0; c < a_.cols; ++c) {
      col_ptr[c] = sum;
      for (Worker& worker : workers_) {
        const Offset count = worker.first[c];
        worker.first[c] = worker.next[c] = sum;
        sum += count;
      }
    }
    col_ptr[a_.cols] = sum;
  }

  template <bool by_counts>
  void append_slice(int s, const CscBlock<Offset, Value>& out) {
    Line* const lines = workers_[s].lines.data();
    Offset* const next = workers_[s].next.data();
    const Offset* const first = workers_[s].first.data();
    const bool aligned = begins_at_vector(out.row_idx) && begins_at_vector(out.values);
    // The entries from `begin` on of the line that begins at `base`.
    const auto write_part = [&](index_t c, Offset base, Offset begin, Offset end) {
      const auto count = static_cast<std::size_t>(end - begin);
      std::copy_n(lines[c].keys + (begin - base), count, out.row_idx + begin);
      if constexpr (has_values<Value>) {
        std::copy_n(lines[c].values + (begin - base), count, out.values + begin);
      }
    };
    for_each_entry<by_counts>(a_, slice_begin(s), slice_begin(s + 1), [&](Offset p, index_t i) {
      const index_t c = a_.col_idx[p];
      const Offset q = next[c]++;
      Line& line = lines[c];
      line.keys[q % line_entries] = i;
      if constexpr (has_values<Value>) {
        line.values[q % line_entries] = a_.values[p];
      }
      if (q % line_entries == line_entries - 1) {
        const Offset base = q + 1 - line_entries;
        if (base < first[c] || !aligned) {
          write_part(c, base, std::max(base, first[c]), q + 1);
        } else {
          stream_lines(out.row_idx + base, line.keys, sizeof(line.keys));
          if constexpr (has_values<Value>) {
            stream_lines(out.values + base, line.values, sizeof(line.values));
          }
        }
      }
    });
    for (index_t c = 0; c < a_.cols; ++c) {
      const Offset base = next[c] / line_entries * line_entries;
      write_part(c, base, std::max(base, first[c]), std::max(next[c], first[c]));
    }
    stream_fence();
  }

  CsrView<Offset, Value> a_;
  int slices_;
  std::vector<Worker> workers_;  // [slices]
};

}  // namespace sparserepro
