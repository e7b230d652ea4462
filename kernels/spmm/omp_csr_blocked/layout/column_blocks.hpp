// A strip of consecutive rows parted by blocks of columns, so that the rows of X that a block meets
// stay in the L2 cache beside those of Y, whatever the columns' order within the rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "formats/csr.hpp"

namespace sparserepro::csr_blocks {

struct BlockSize {
  std::int64_t entries{};
  index_t rows{};  ///< that have some of them
};

template <class Offset>
class ColumnBlocks {
 public:
  /// Rows [first, last) of `a`, but for those of more than `most_entries`; `width` columns a block.
  ColumnBlocks(const CsrView<Offset, double>& a, index_t first, index_t last, index_t width,
               std::int64_t most_entries)
      : a_(a), first_(first), last_(last), width_(width), most_entries_(most_entries) {}

  std::vector<BlockSize> sizes() const {
    std::vector<BlockSize> sizes(
        static_cast<std::size_t>((std::int64_t{a_.cols} + width_ - 1) / width_));
    std::vector<index_t> latest_row(sizes.size(), -1);
    for_each_entry([&](index_t i, Offset p) {
      const index_t block = a_.col_idx[p] / width_;
      ++sizes[block].entries;
      sizes[block].rows += latest_row[block] != i;
      latest_row[block] = i;
    });
    return sizes;
  }

  /// Of one thread, for one strip after the other.
  struct Workspace {
    Buffer<index_t> rows, columns;  // [most entries of a strip]
    Buffer<double> values;
    Buffer<std::int64_t> row_ptr;  // [most rows of a strip + 1]
  };

  /// Calls `visit(view, rows)` for the first block and the others that have entries, in their
  /// order; rows[i] is the row of the strip that the view has as row i: all rows in the first
  /// block, where `rows` is null, those with entries in the others. Entries keep their order.
  template <class Visit>
  void for_each(Workspace& workspace, Visit visit) const {
    const std::vector<BlockSize> sizes = this->sizes();
    std::vector<std::int64_t> begin{0};
    for (const BlockSize& size : sizes) {
      begin.push_back(begin.back() + size.entries);
    }
    auto& [rows, columns, values, row_ptr] = workspace;
    const index_t row_count = last_ - first_;
    grow(rows, begin.back());
    grow(columns, begin.back());
    grow(values, begin.back());
    grow(row_ptr, std::int64_t{row_count} + 1);
    std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
    for_each_entry([&](index_t i, Offset p) {
      const std::int64_t to = next[a_.col_idx[p] / width_]++;
      rows[to] = i - first_;
      columns[to] = a_.col_idx[p];
      values[to] = a_.values[p];
    });
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      if (b > 0 && sizes[b].entries == 0) {
        continue;
      }
      index_t* const row = rows.data() + begin[b];  // of entries, then of the view
      index_t count = 0;
      if (b == 0) {
        for (std::int64_t p = 0; count < row_count; ++count) {
          row_ptr[count] = p;
          while (p < sizes[b].entries && row[p] == count) {
            ++p;
          }
        }
      } else {
        for (std::int64_t p = 0; p < sizes[b].entries; ++p) {
          if (count == 0 || row[p] != row[count - 1]) {
            row_ptr[count] = p;
            row[count++] = row[p];
          }
        }
      }
      row_ptr[count] = sizes[b].entries;
      visit(CsrView<std::int64_t, double>{count, a_.cols, sizes[b].entries, row_ptr.data(),
                                          columns.data() + begin[b], values.data() + begin[b]},
            b == 0 ? nullptr : row);
    }
  }

  /// Lines of X that an L2 cache loads when the entries go by row by row, less those that it loads
  /// when each line stays until the strip has done with it. 0 where blocks would have too few
  /// entries. Rows of X take `row_bytes`.
  std::int64_t spared_loads(std::int64_t row_bytes) const {
    constexpr std::int64_t line_bytes = 64, cache_bytes = 1 << 20, least_entries = 64;
    if (std::int64_t{a_.cols} / width_ > (a_.row_ptr[last_] - a_.row_ptr[first_]) / least_entries) {
      return 0;
    }
    const std::int64_t unit = std::max(row_bytes, line_bytes);  // at least a row of X
    const std::int64_t places = std::max<std::int64_t>(1, cache_bytes / unit);
    std::vector<std::int64_t> cache(static_cast<std::size_t>(places), -1);
    std::vector<bool> met(static_cast<std::size_t>(a_.cols * row_bytes / unit) + 1);
    std::int64_t misses = 0, lines = 0;
    for_each_entry([&](index_t, Offset p) {
      const std::int64_t line = a_.col_idx[p] * row_bytes / unit;
      lines += !met[line];
      met[line] = true;
      misses += cache[line % places] != line;
      cache[line % places] = line;
    });
    return misses - lines;
  }

 private:
  template <class T>
  static void grow(Buffer<T>& buffer, std::int64_t size) {
    if (std::ssize(buffer) < size) {
      buffer = Buffer<T>(static_cast<std::size_t>(size));
    }
  }

  template <class Visit>
  void for_each_entry(Visit visit) const {
    for (index_t i = first_; i < last_; ++i) {
      if (a_.row_ptr[i + 1] - a_.row_ptr[i] <= most_entries_) {
        for (Offset p = a_.row_ptr[i]; p < a_.row_ptr[i + 1]; ++p) {
          visit(i, p);
        }
      }
    }
  }

  CsrView<Offset, double> a_;
  index_t first_, last_, width_;
  std::int64_t most_entries_;
};

}  // namespace sparserepro::csr_blocks
