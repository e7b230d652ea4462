#include "spmm/row_bundles.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/huge_pages.hpp"
#include "spmm/window_writer.hpp"

namespace sparserepro::csr_blocks {
namespace {

/// Windows begin at multiples of a cache line of values.
constexpr std::int64_t vector_places = 8;

/// Whether more than a quarter of these entries miss a small direct-mapped cache of rows of X; with
/// `scattered`, those alone that do not follow a row which is there.
bool meets_new_rows(const index_t* columns, std::int64_t count, bool scattered) {
  constexpr index_t size = 4096;
  index_t cache[size];
  std::fill_n(cache, size, -1);
  std::int64_t misses = 0;
  for (std::int64_t p = 0; p < count; ++p) {
    const index_t column = columns[p];
    index_t& at = cache[column % size];
    misses +=
        at != column && !(scattered && column > 0 && cache[(column - 1) % size] == column - 1);
    at = column;
  }
  return 4 * misses > count;
}

}  // namespace

template <class Offset>
RowBundles::RowBundles(const CsrView<Offset, double>& a, const Limits& limits, int threads) {
  const auto length = [&](index_t i) {
    return static_cast<std::int64_t>(a.row_ptr[i + 1] - a.row_ptr[i]);
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
    windows_.push_back({.first = first, .last = i, .entry = entries});
    entries += (count + vector_places - 1) / vector_places * vector_places;
  }
  first_row_.resize(static_cast<std::size_t>(a.rows));
  columns_.resize(static_cast<std::size_t>(entries + columns_ahead));
  values_.resize(static_cast<std::size_t>(entries));
  advise_huge_pages(columns_);
  advise_huge_pages(values_);
  std::fill(columns_.end() - columns_ahead, columns_.end(), 0);

#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
  for (std::int64_t w = 0; w < windows(); ++w) {
    Range& range = windows_[w];
    const std::int64_t next = w + 1 < windows() ? windows_[w + 1].entry : entries;
    WindowWriter<Offset> writer(a, range.first, range.last);
    writer.find_units(limits);
    writer.write(limits, first_row_.data() + range.first, columns_.data() + range.entry,
                 values_.data() + range.entry, range.bundles);
    std::fill(columns_.begin() + range.entry + writer.columns_written(), columns_.begin() + next,
              0);
    const std::int64_t begin = a.row_ptr[range.first];
    range.prefetch = limits.prefetch != Prefetch::none &&
                     meets_new_rows(a.col_idx + begin, a.row_ptr[range.last] - begin,
                                    limits.prefetch == Prefetch::scattered_rows);
  }
}

Window RowBundles::window(std::int64_t w) const {
  const Range& range = windows_[w];
  return {range.bundles.data(),
          static_cast<std::int64_t>(range.bundles.size()),
          first_row_.data() + range.first,
          columns_.data() + range.entry,
          values_.data() + range.entry,
          range.prefetch};
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

}  // namespace sparserepro::csr_blocks
