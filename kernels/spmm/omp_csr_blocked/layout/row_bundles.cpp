#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "formats/huge_pages.hpp"
#include "formats/region_error.hpp"
#include "spmm/omp_csr_blocked/layout/window_writer.hpp"

namespace sparserepro::csr_blocks {
namespace {

/// Windows begin at multiples of a cache line of values.
constexpr std::int64_t vector_places = 8;

/// Entries that miss a cache of 4096 rows of X and do not follow a row which is there.
std::int64_t scattered_misses(const index_t* columns, std::int64_t count) {
  constexpr index_t size = 4096;
  index_t cache[size];
  std::fill_n(cache, size, -1);
  std::int64_t misses = 0;
  for (std::int64_t p = 0; p < count; ++p) {
    const index_t column = columns[p];
    index_t& at = cache[column % size];
    if (at != column) {
      misses += column == 0 || cache[(column - 1) % size] != column - 1;
      at = column;
    }
  }
  return misses;
}

/// Whether most units are in shifted slices, which meet new rows of X at their last entries.
bool mostly_shifted(const std::vector<Bundle>& bundles) {
  std::int64_t shifted = 0, others = 0;
  for (const Bundle& b : bundles) {
    const bool slices = b.layout >= Layout::shifted;
    (slices ? shifted : others) += std::int64_t{b.count} * (slices ? b.lanes : 1);
  }
  return shifted > others;
}

}  // namespace

template <class Offset>
RowBundles::RowBundles(const CsrView<Offset, double>& a, const Limits& limits, int threads) {
  place_windows(a, limits);
  RegionError error;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t w = 0; w < windows(); ++w) {
    error.guard([&] { write(a, limits, w); });
    Range& range = windows_[w];
    if (limits.prefetch != Prefetch::none) {
      range.fetch = fetch_of(a.col_idx + a.row_ptr[range.first], range.entries, limits.prefetch);
      if (range.fetch == Fetch::last && !mostly_shifted(range.bundles)) {
        range.fetch = Fetch::near;
      }
    }
  }
  error.rethrow();
}

Fetch RowBundles::fetch_of(const index_t* columns, std::int64_t entries, Prefetch prefetch) {
  entries = std::min(entries, fetch_sample);
  return 4 * scattered_misses(columns, entries) > entries ? Fetch::far
         : prefetch == Prefetch::scattered_rows           ? Fetch::none
                                                          : Fetch::last;
}

template <class Offset>
double RowBundles::shared_entries(const CsrView<Offset, double>& a, const Limits& limits) {
  constexpr index_t stretches = 16, rows_of_stretch = 32;
  std::int64_t shared = 0, all = 0;
  for (index_t s = 0; s < stretches; ++s) {
    const auto first = static_cast<index_t>(std::int64_t{a.rows} * s / stretches);
    const index_t end = first + std::min(rows_of_stretch, a.rows - first);
    index_t last = first;  // before the first row that no window takes
    while (last < end && a.row_ptr[last + 1] - a.row_ptr[last] <= limits.entries) {
      ++last;
    }
    WindowWriter<Offset> writer(a, first, last);
    writer.find_units(limits);
    shared += writer.shared_entries(limits);
    all += a.row_ptr[last] - a.row_ptr[first];
  }
  return all == 0 ? 0.0 : static_cast<double>(shared) / static_cast<double>(all);
}

/// Parts the rows into windows, and gives these their places.
template <class Offset>
void RowBundles::place_windows(const CsrView<Offset, double>& a, const Limits& limits) {
  const auto length = [&](index_t i) {
    return static_cast<std::int64_t>(a.row_ptr[i + 1] - a.row_ptr[i]);
  };
  const auto rows_of_unit = [&](index_t first, index_t i) {  // with row i, but before it
    index_t rows = 0;
    while (i - rows > first && same_columns(a, i - rows, i - rows - 1)) {
      ++rows;
    }
    return rows % most_rows_of_unit;
  };
  std::int64_t entries = 0;
  for (index_t i = 0; i < a.rows;) {
    if (length(i) > limits.entries) {
      long_rows_.push_back(i++);
      continue;
    }
    const index_t first = i;
    std::int64_t count = 0;
    while (i < a.rows && i - first < limits.window_rows && length(i) <= limits.entries &&
           (i == first || count + length(i) <= limits.entries)) {
      count += length(i++);
    }
    while (i < a.rows && i % limits.aligned_rows != 0 && i - first > limits.aligned_rows) {
      count -= length(--i);
    }
    if (!limits.one_column && i < a.rows) {  // the next window begins with a unit
      for (index_t rows = rows_of_unit(first, i); rows > 0 && i - first > 1; --rows) {
        count -= length(--i);
      }
    }
    windows_.push_back({.first = first, .last = i, .entry = entries, .entries = count});
    entries += (count + vector_places - 1) / vector_places * vector_places;
  }
  first_row_.resize(static_cast<std::size_t>(a.rows));
  columns_.resize(static_cast<std::size_t>(entries + columns_ahead));
  values_.resize(static_cast<std::size_t>(entries));
  advise_huge_pages(columns_);
  advise_huge_pages(values_);
  std::fill(columns_.end() - columns_ahead, columns_.end(), 0);
}

template <class Offset>
void RowBundles::write(const CsrView<Offset, double>& a, const Limits& limits, std::int64_t w) {
  Range& range = windows_[w];
  const auto entries = static_cast<std::int64_t>(values_.size());
  const std::int64_t next = w + 1 < windows() ? windows_[w + 1].entry : entries;
  WindowWriter<Offset> writer(a, range.first, range.last);
  writer.find_units(limits);
  writer.write(limits, first_row_.data() + range.first, columns_.data() + range.entry,
               values_.data() + range.entry, range.bundles);
  std::fill(columns_.begin() + range.entry + writer.columns_written(), columns_.begin() + next, 0);
}

bool Window::rows_follow(const Bundle& bundle) const {
  if (bundle.layout == Layout::rows) {
    return false;
  }
  const bool slices = bundle.layout == Layout::band || bundle.layout == Layout::shifted;
  const index_t step = bundle.rows * (slices ? bundle.lanes : 1), rows = bundle.count * step;
  const index_t* const row = first_row + bundle.unit;
  return rows >= least_followed && row[bundle.count - 1] - row[0] + step <= rows * 9 / 8;
}

Window RowBundles::window(std::int64_t w) const {
  const Range& range = windows_[w];
  return {range.bundles.data(),
          static_cast<std::int64_t>(range.bundles.size()),
          first_row_.data() + range.first,
          columns_.data() + range.entry,
          values_.data() + range.entry,
          range.fetch};
}

std::int64_t RowBundles::bytes() const {
  std::size_t bytes = windows_.size() * sizeof(Range) + long_rows_.size() * sizeof(index_t) +
                      (first_row_.size() + columns_.size()) * sizeof(index_t) +
                      values_.size() * sizeof(double);
  for (const Range& range : windows_) {
    bytes += range.bundles.size() * sizeof(Bundle);
  }
  return static_cast<std::int64_t>(bytes);
}

template RowBundles::RowBundles(const CsrView<std::int32_t, double>&, const Limits&, int);
template RowBundles::RowBundles(const CsrView<std::int64_t, double>&, const Limits&, int);
template double RowBundles::shared_entries(const CsrView<std::int32_t, double>&, const Limits&);
template double RowBundles::shared_entries(const CsrView<std::int64_t, double>&, const Limits&);

}  // namespace sparserepro::csr_blocks
