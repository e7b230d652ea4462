#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "formats/huge_pages.hpp"
#include "spmm/omp_csr_blocked/layout/bundle_parts.hpp"
#include "spmm/omp_csr_blocked/layout/column_blocks.hpp"
#include "spmm/omp_csr_blocked/layout/new_rows.hpp"
#include "spmm/omp_csr_blocked/layout/window_writer.hpp"

namespace sparserepro::csr_blocks {
namespace {

/// Windows begin at multiples of a cache line of values.
constexpr std::int64_t vector_places = 8;

/// Consecutive rows, and their entries in each block of columns; no sizes: not to be parted.
struct Strip {
  index_t first{}, last{};
  std::vector<BlockSize> sizes{};
};

/// Strips of at most `most_rows` rows and, but for those of one row, `most_entries(first)` entries.
template <class Offset, class MostEntries>
std::vector<Strip> cut(const CsrView<Offset, double>& a, index_t most_rows,
                       MostEntries most_entries) {
  std::vector<Strip> strips;
  for (index_t first = 0; first < a.rows;) {
    const Offset* const end = a.row_ptr + std::min(a.rows, first + most_rows) + 1;
    const auto last = static_cast<index_t>(
        std::upper_bound(a.row_ptr + first + 2, end, a.row_ptr[first] + most_entries(first)) -
        a.row_ptr - 1);
    strips.push_back({.first = first, .last = last});
    first = last;
  }
  return strips;
}

/// One strip unless it pays to part them. Whether it does is the same for any number of threads,
/// but not the strips, which get smaller towards the end: 16 threads took 0.71 to 1.15 of the time
/// with up to eight times as many strips, 0.98 to 1.1 with fewer.
template <class Offset>
std::vector<Strip> strips_of(const CsrView<Offset, double>& a, const RowBundles::Limits& limits,
                             int threads) {
  constexpr std::int64_t most_strips = 32, sampled_strips = 8, least_entries = 1 << 18;
  const RowBundles::Blocks& blocks = limits.blocks;
  const auto parted = [&](const Strip& strip) {
    return ColumnBlocks<Offset>(a, strip.first, strip.last, blocks.columns, limits.entries);
  };
  const std::int64_t nnz = a.nnz;
  std::vector<Strip> strips;
  std::int64_t spared = 0, sampled = 0;
  if (blocks.columns > 0) {
    const std::int64_t most_entries = std::max(least_entries, nnz / most_strips);
    strips = cut(a, blocks.strip_rows, [&](index_t) { return most_entries; });
    const std::int64_t step = (std::ssize(strips) + sampled_strips - 1) / sampled_strips;
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(+ : spared, sampled)
    for (std::int64_t s = 0; s < std::ssize(strips); s += step) {
      spared += parted(strips[s]).spared_loads(limits.x_row_bytes);
      sampled += a.row_ptr[strips[s].last] - a.row_ptr[strips[s].first];
    }
  }
  if (blocks.columns == 0 ||
      static_cast<double>(spared) < blocks.least_spared * static_cast<double>(sampled)) {
    return {{.first = 0, .last = a.rows}};
  }
  const std::int64_t least = nnz / std::max(64, 6 * threads);
  strips = cut(a, blocks.strip_rows, [&](index_t first) {
    return std::max(least, 2 * (nnz - a.row_ptr[first]) / (3 * threads));
  });
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::size_t s = 0; s < strips.size(); ++s) {
    strips[s].sizes = parted(strips[s]).sizes();
  }
  return strips;
}

}  // namespace

template <class Offset>
RowBundles::RowBundles(const CsrView<Offset, double>& a, const Limits& limits, int threads) {
  no_pack_ = limits.without.pack;
  place_windows(a, limits, threads);
  const bool fetches = limits.prefetch != Prefetch::none;
  const bool lists = tasks() >= limits.least_listed && !limits.without.listed;
  const bool parted = windows() > 0 && windows_.front().parted;
  const std::int64_t together = parted ? 1 : 32;  // so that NewRows know the windows before
#pragma omp parallel num_threads(threads)
  {
    typename ColumnBlocks<Offset>::Workspace workspace;
    NewRows new_rows(limits.x_row_bytes);
#pragma omp for schedule(dynamic, together)
    for (std::int64_t t = 0; t < tasks(); ++t) {
      std::int64_t w = first_window(t);
      Range& range = windows_[w];
      if (range.parted) {
        const ColumnBlocks<Offset> blocks(a, range.first, range.last, limits.blocks.columns,
                                          limits.entries);
        blocks.for_each(workspace, [&](const auto& block, const index_t* rows) {
          write(WindowWriter<std::int64_t>(block, 0, block.rows, true, rows), limits, w);
          windows_[w++].fetch = fetches ? Fetch::near : Fetch::none;
        });
        continue;
      }
      write(WindowWriter<Offset>(a, range.first, range.last, false, nullptr), limits, w);
      if (fetches) {
        if (t % together == 0) {
          new_rows.forget();
        }
        range.fetch = fetch_of(range, a.col_idx + a.row_ptr[range.first], limits.prefetch,
                               lists ? &new_rows : nullptr);
        if (limits.without.far && range.fetch == Fetch::far) {
          range.fetch = Fetch::near;
        }
      }
    }
  }
  if (!parted && threads > 1 && limits.least_part > 0) {
    constexpr std::int64_t tasks_of_thread = 4;
    split_windows(limits.least_part, tasks_of_thread * threads);
  }
}

/// Into tasks of `least_part` entries or more, about `most_tasks` in all, where there are fewer.
void RowBundles::split_windows(std::int64_t least_part, std::int64_t most_tasks) {
  if (tasks() >= most_tasks) {
    return;
  }
  std::int64_t weight = 0;
  for (const Range& range : windows_) {
    weight += range.entries + range.last - range.first;
  }
  const std::int64_t most = std::max(least_part, (weight + most_tasks - 1) / most_tasks);
  std::vector<Range> parts;
  for (const Range& range : windows_) {
    for (std::vector<Bundle>& bundles : parts_of(range.bundles, most)) {
      parts.push_back(range);
      parts.back().bundles = std::move(bundles);
    }
  }
  windows_ = std::move(parts);
  task_begin_.resize(windows_.size() + 1);
  std::iota(task_begin_.begin(), task_begin_.end(), 0);
}

/// Of the window whose entries have these columns. Lists its new rows if that pays.
Fetch RowBundles::fetch_of(Range& range, const index_t* columns, Prefetch prefetch,
                           NewRows* new_rows) {
  const Misses misses = misses_of(columns, range.entries);
  if (new_rows != nullptr) {
    std::vector<index_t> rows = new_rows->of(columns, range.entries);
    if (new_rows->pays(std::ssize(rows), range.entries)) {
      rows.shrink_to_fit();
      range.new_rows = std::move(rows);
      return Fetch::listed;
    }
  }
  const bool near = prefetch == Prefetch::all ||
                    (prefetch == Prefetch::new_rows && 4 * misses.all > range.entries);
  return 4 * misses.scattered > range.entries ? Fetch::far : near ? Fetch::near : Fetch::none;
}

/// Parts the rows into tasks and windows, and gives these their places. Windows that part no
/// units: 1.07 to 1.11 (FEM, K = 64), 1.02 to 1.04 (32), 1.0 to 1.02 (2 to 16).
template <class Offset>
void RowBundles::place_windows(const CsrView<Offset, double>& a, const Limits& limits,
                               int threads) {
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
  std::int64_t entries = 0, units = 0;
  const auto place = [&](Range range, std::int64_t count, std::int64_t most_units) {
    range.entry = entries;
    range.unit = units;
    range.entries = count;
    windows_.push_back(range);
    entries += (count + vector_places - 1) / vector_places * vector_places;
    units += most_units;
  };
  task_begin_.clear();
  for (const Strip& strip : strips_of(a, limits, threads)) {
    if (!strip.sizes.empty()) {
      task_begin_.push_back(windows());
      Range range{.first = strip.first, .last = strip.last, .parted = true};
      for (const BlockSize& size : strip.sizes) {
        if (!range.add || size.entries > 0) {
          place(range, size.entries, range.add ? size.rows : range.last - range.first);
        }
        range.add = true;
      }
    }
    for (index_t i = strip.first; i < strip.last;) {
      if (length(i) > limits.entries) {
        long_rows_.push_back(i++);
        continue;
      }
      const index_t first = i;
      std::int64_t count = 0;
      while (i < strip.last && i - first < limits.window_rows && length(i) <= limits.entries &&
             (i == first || count + length(i) <= limits.entries)) {
        count += length(i++);
      }
      while (i < strip.last && i % limits.aligned_rows != 0 && i - first > limits.aligned_rows) {
        count -= length(--i);
      }
      if (!limits.one_column && !limits.without.unit_windows &&
          i < strip.last) {  // the next window begins with a unit
        for (index_t rows = rows_of_unit(first, i); rows > 0 && i - first > 1; --rows) {
          count -= length(--i);
        }
      }
      if (strip.sizes.empty()) {
        task_begin_.push_back(windows());
        place({.first = first, .last = i}, count, i - first);
      }
    }
  }
  task_begin_.push_back(windows());
  first_row_.resize(static_cast<std::size_t>(units));
  columns_.resize(static_cast<std::size_t>(entries + columns_ahead));
  values_.resize(static_cast<std::size_t>(entries));
  advise_huge_pages(columns_);
  advise_huge_pages(values_);
  std::fill(columns_.end() - columns_ahead, columns_.end(), 0);
}

/// What `writer` finds, as window w.
template <class Writer>
void RowBundles::write(Writer writer, const Limits& limits, std::int64_t w) {
  Range& range = windows_[w];
  const auto entries = static_cast<std::int64_t>(values_.size());
  const std::int64_t next = w + 1 < windows() ? windows_[w + 1].entry : entries;
  writer.find_units(limits);
  writer.write(limits, first_row_.data() + range.unit, columns_.data() + range.entry,
               values_.data() + range.entry, range.bundles);
  std::fill(columns_.begin() + range.entry + writer.columns_written(), columns_.begin() + next, 0);
}

bool Window::rows_follow(const Bundle& bundle) const {
  if (bundle.layout == Layout::rows || no_pack) {
    return false;
  }
  const bool slices = bundle.layout == Layout::band || bundle.layout == Layout::shifted;
  const index_t step = bundle.rows * (slices ? bundle.lanes : 1), rows = bundle.count * step;
  const index_t* const row = first_row + bundle.unit;
  return rows >= least_followed && row[bundle.count - 1] - row[0] + step <= rows * 9 / 8;
}

Window RowBundles::window(std::int64_t w) const {
  const Range& range = windows_[w];
  const std::vector<index_t>* const later = w + 1 < windows() ? &windows_[w + 1].new_rows : nullptr;
  return {range.bundles.data(),
          static_cast<std::int64_t>(range.bundles.size()),
          first_row_.data() + range.unit,
          columns_.data() + range.entry,
          values_.data() + range.entry,
          range.entries,
          range.fetch,
          later != nullptr ? later->data() : nullptr,
          later != nullptr ? std::ssize(*later) : 0,
          range.parted,
          no_pack_,
          range.add};
}

std::int64_t RowBundles::bytes() const {
  std::size_t bytes = windows_.size() * sizeof(Range) + task_begin_.size() * sizeof(std::int64_t) +
                      long_rows_.size() * sizeof(index_t) +
                      (first_row_.size() + columns_.size()) * sizeof(index_t) +
                      values_.size() * sizeof(double);
  for (const Range& range : windows_) {
    bytes += range.bundles.size() * sizeof(Bundle) + range.new_rows.size() * sizeof(index_t);
  }
  return static_cast<std::int64_t>(bytes);
}

template RowBundles::RowBundles(const CsrView<std::int32_t, double>&, const Limits&, int);
template RowBundles::RowBundles(const CsrView<std::int64_t, double>&, const Limits&, int);

}  // namespace sparserepro::csr_blocks
