#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "formats/ceil_div.hpp"
#include "formats/huge_pages.hpp"
#include "formats/partition.hpp"
#include "formats/region_error.hpp"
#include "spmm/omp_csr_blocked/layout/window_writer.hpp"

namespace sparserepro::csr_blocks {

template <class Offset>
RowBundles::RowBundles(const RowPattern<Offset>& a, const Limits& limits, int threads) {
  place_windows(a, limits.entries);
  if (limits.bundles) {
    first_row_.resize(static_cast<std::size_t>(a.rows));
    columns_.resize(static_cast<std::size_t>(value_places_ + columns_ahead));
    advise_huge_pages(columns_);
    std::fill(columns_.end() - columns_ahead, columns_.end(), 0);
  }
  RegionError error;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t w = 0; w < windows(); ++w) {
    Range& range = windows_[w];
    if (limits.bundles) {
      error.guard([&] { write(a, limits, w); });
    }
    range.fetch = limits.fetch &&
                  (limits.bundles || a.row_ptr[range.last] + columns_ahead <= a.row_ptr[a.rows]);
  }
  error.rethrow();
}

/// Parts the rows into windows, and gives these their places. A row of more entries than a window
/// is the last one between its window and the next.
template <class Offset>
void RowBundles::place_windows(const RowPattern<Offset>& a, std::int64_t most) {
  constexpr std::int64_t line_values = 8;  // windows begin with a cache line of values in fp64
  const std::int64_t all = std::int64_t{a.row_ptr[a.rows]} + a.rows;
  const std::int64_t parts = ceil_div(all, most);
  index_t first = 0;
  for (std::int64_t part = 1; part <= parts && first < a.rows; ++part) {
    const std::int64_t end = part_begin(all, parts, part);
    index_t last = first, high = a.rows;  // the first row that begins at `end` or later
    while (last < high) {
      const index_t middle = last + (high - last) / 2;
      if (std::int64_t{a.row_ptr[middle]} + middle < end) {
        last = middle + 1;
      } else {
        high = middle;
      }
    }
    const bool is_cut = last > first && a.length(last - 1) > most;
    if (is_cut) {
      long_rows_.push_back(last - 1);
    }
    if (const index_t behind = last - is_cut; behind > first) {
      const std::int64_t entries = a.row_ptr[behind] - a.row_ptr[first];
      windows_.push_back({.first = first, .last = behind, .entry = value_places_});
      value_places_ += ceil_div(entries, line_values) * line_values;
    }
    first = last;
  }
}

template <class Offset>
void RowBundles::write(const RowPattern<Offset>& a, const Limits& limits, std::int64_t w) {
  Range& range = windows_[w];
  const std::int64_t next = w + 1 < windows() ? windows_[w + 1].entry : value_places_;
  WindowWriter<Offset> writer(a, range.first, range.last);
  writer.find_units(limits);
  index_t* const columns = columns_.data() + range.entry;
  const std::int64_t written =
      writer.write(limits, first_row_.data() + range.first, columns, range.bundles);
  std::fill(columns + written, columns_.data() + next, 0);
}

template <class Offset>
double RowBundles::shared_entries(const RowPattern<Offset>& a, const Limits& limits) {
  constexpr index_t stretches = 16, rows_of_stretch = 32;
  std::int64_t shared = 0, all = 0;
  for (index_t s = 0; s < stretches; ++s) {
    const auto first = static_cast<index_t>(std::int64_t{a.rows} * s / stretches);
    const index_t last = first + std::min(rows_of_stretch, a.rows - first);
    WindowWriter<Offset> writer(a, first, last);
    writer.find_units(limits);
    shared += writer.shared_entries(limits);
    all += a.row_ptr[last] - a.row_ptr[first];
  }
  return all == 0 ? 0.0 : static_cast<double>(shared) / static_cast<double>(all);
}

Window RowBundles::window(std::int64_t w) const {
  const Range& range = windows_[w];
  return {range.bundles.data(), static_cast<std::int64_t>(range.bundles.size()),
          first_row_.data() + range.first, columns_.data() + range.entry, range.fetch};
}

std::int64_t RowBundles::bytes() const {
  std::size_t bytes = windows_.size() * sizeof(Range) +
                      (long_rows_.size() + first_row_.size() + columns_.size()) * sizeof(index_t);
  for (const Range& range : windows_) {
    bytes += range.bundles.size() * sizeof(Bundle);
  }
  return static_cast<std::int64_t>(bytes);
}

template RowBundles::RowBundles(const RowPattern<std::int32_t>&, const Limits&, int);
template RowBundles::RowBundles(const RowPattern<std::int64_t>&, const Limits&, int);
template double RowBundles::shared_entries(const RowPattern<std::int32_t>&, const Limits&);
template double RowBundles::shared_entries(const RowPattern<std::int64_t>&, const Limits&);

}  // namespace sparserepro::csr_blocks
