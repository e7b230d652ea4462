#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

#include <algorithm>

#include "formats/array_bytes.hpp"
#include "formats/ceil_div.hpp"
#include "formats/huge_pages.hpp"
#include "formats/partition.hpp"
#include "formats/region_error.hpp"
#include "spmm/omp_csr_blocked/layout/window_writer.hpp"

namespace sparserepro::csr_blocks {
namespace {

/// Columns from the first to the last, as far as the rows are sorted.
std::int64_t span_of(const RowPattern& a, const Window& window) {
  std::int64_t first = a.cols, last = 0;
  for (index_t i = window.first; i < window.last; ++i) {
    if (a.length(i) > 0) {
      first = std::min<std::int64_t>(first, a.columns_of(i)[0]);
      last = std::max<std::int64_t>(last, a.columns_of(i)[a.length(i) - 1] + 1);
    }
  }
  return last - first;
}

}  // namespace

RowBundles::RowBundles(const RowPattern& a, const Limits& limits, int threads) {
  place_windows(a, limits);
  if (limits.bundles) {
    first_row_.resize(static_cast<std::size_t>(a.rows));
    lengths_.resize(static_cast<std::size_t>(limits.jagged ? a.rows : 0));
    columns_.resize(static_cast<std::size_t>(value_places_ + columns_ahead));
    advise_huge_pages(columns_);
    std::fill(columns_.end() - columns_ahead, columns_.end(), 0);
  }
  bundles_.resize(windows_.size());
  RegionError error;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t w = 0; w < windows(); ++w) {
    Window& window = windows_[w];
    window.fetch = limits.fetch && span_of(a, window) > limits.near &&
                   (limits.bundles || a.row_ptr[window.last] + columns_ahead <= a.row_ptr[a.rows]);
    if (!limits.bundles) {
      continue;
    }
    error.guard([&] {
      index_t* const first_row = first_row_.data() + window.first;
      index_t* const lengths = limits.jagged ? lengths_.data() + window.first : nullptr;
      index_t* const columns = columns_.data() + window.entry;
      WindowWriter writer(a, window.first, window.last, limits);
      const std::int64_t written = writer.write(first_row, lengths, columns, bundles_[w]);
      const std::int64_t next = w + 1 < windows() ? windows_[w + 1].entry : value_places_;
      std::fill(columns + written, columns_.data() + next, 0);
      window.bundles = bundles_[w];
      window.first_row = first_row;
      window.lengths = lengths;
      window.columns = columns;
    });
  }
  error.rethrow();
}

/// Parts the rows into windows, and gives these their places. A row of more entries than a window
/// is the last one between its window and the next.
void RowBundles::place_windows(const RowPattern& a, const Limits& limits) {
  const std::int64_t most = limits.entries;
  constexpr std::int64_t line_values = 8;  // windows begin with a cache line of values in fp64
  const std::int64_t all = a.row_ptr[a.rows] + a.rows;
  const std::int64_t parts = ceil_div(all, most);
  index_t first = 0;
  for (std::int64_t part = 1; part <= parts && first < a.rows; ++part) {
    const std::int64_t end = part_begin(all, parts, part);
    index_t last = first;  // the first row that begins at `end` or later
    for (index_t step = 1 << 30; step > 0; step /= 2) {
      const std::int64_t row = std::int64_t{last} + step - 1;
      if (step <= a.rows - last && a.row_ptr[row] + row < end) {
        last += step;
      }
    }
    const bool is_cut = last > first && a.length(last - 1) > most;
    if (is_cut) {
      long_rows_.push_back(last - 1);
    } else if (last - first >= 4 * most_lanes && last < a.rows) {
      last -= (last - first) % most_lanes;  // whole slices
    }
    if (const index_t behind = last - is_cut; behind > first) {
      const std::int64_t entries =
          (a.row_ptr[behind] - a.row_ptr[first]) * (limits.last == Layout::padded ? 2 : 1);
      windows_.push_back({.first = first, .last = behind, .entry = value_places_});
      value_places_ += ceil_div(entries, line_values) * line_values;
    }
    first = last;
  }
}

double RowBundles::shared_entries(const RowPattern& a, const Limits& limits) {
  constexpr index_t stretches = 16, rows_of_stretch = 32;
  std::int64_t shared = 0, all = 0;
  for (index_t s = 0; s < stretches; ++s) {
    const auto first = static_cast<index_t>(std::int64_t{a.rows} * s / stretches);
    const index_t last = first + std::min(rows_of_stretch, a.rows - first);
    shared += WindowWriter(a, first, last, limits).shared_entries();
    all += a.row_ptr[last] - a.row_ptr[first];
  }
  return all == 0 ? 0.0 : static_cast<double>(shared) / static_cast<double>(all);
}

std::int64_t RowBundles::bytes() const {
  std::int64_t bytes = array_bytes(windows_, bundles_, long_rows_, first_row_, lengths_, columns_);
  for (const std::vector<Bundle>& bundles : bundles_) {
    bytes += array_bytes(bundles);
  }
  return bytes;
}

}  // namespace sparserepro::csr_blocks
