// Uniformly distributed entries: uniform, empty_rows, short_rows.
//
// uniform: `nnz` distinct cells; every subset of that size is equally likely. Drawing cells (row,
// column) one after the other, and dropping repeated ones until nnz are held, gives this
// distribution. Here the draws are made in parallel rounds:
//
//   1. each missing cell draws a row
//   2. a row with c draws so far holds the distinct columns among the first c of its own stream
//   3. cells that collided are the missing cells of the next round
//
// All numbers are integers, so that no rounding changes a count. If nnz exceeds half of all cells,
// the empty cells are drawn instead.
#include <algorithm>
#include <bit>
#include <numeric>

#include "formats/region_error.hpp"
#include "generate/build.hpp"

namespace sparserepro::generation {
namespace {

/// Draws `count` rows and adds one to drawn[i] for each draw of row i.
void draw_rows(Buffer<std::int64_t>& drawn, std::int64_t count, std::uint64_t seed,
               std::uint64_t round, int threads) {
  constexpr std::int64_t chunk = 1 << 16;  // rows of one stream
  const auto rows = static_cast<std::uint32_t>(drawn.size());
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t first = 0; first < count; first += chunk) {
    RandomStream stream(seed, Purpose::row_choice,
                        round << 48 | static_cast<std::uint64_t>(first / chunk));
    for (std::int64_t t = first; t < std::min(first + chunk, count); ++t) {
      const std::uint32_t i = stream.below(rows);
#pragma omp atomic
      ++drawn[i];
    }
  }
}

/// Sets `out` to the distinct columns, ascending, among the first `draws` of the stream of row i.
/// Sorts them, or marks them in a bitmap where draws >= cols / 16.
void held_columns(index_t i, std::int64_t draws, index_t cols, std::uint64_t seed,
                  std::vector<index_t>& out) {
  RandomStream stream(seed, Purpose::column_choice, static_cast<std::uint64_t>(i));
  const auto bound = static_cast<std::uint32_t>(cols);
  out.clear();
  if (draws < cols / 16) {
    for (std::int64_t t = 0; t < draws; ++t) {
      out.push_back(static_cast<index_t>(stream.below(bound)));
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return;
  }
  std::vector<std::uint64_t> present(static_cast<std::size_t>(cols) / 64 + 1);
  for (std::int64_t t = 0; t < draws; ++t) {
    const std::uint32_t j = stream.below(bound);
    present[j / 64] |= std::uint64_t{1} << (j % 64);
  }
  for (std::size_t word = 0; word < present.size(); ++word) {
    for (std::uint64_t bits = present[word]; bits != 0; bits &= bits - 1) {
      out.push_back(static_cast<index_t>(64 * word) + std::countr_zero(bits));
    }
  }
}

/// Draws of each row, [rows], after which all rows together hold exactly `target` cells; held[i] is
/// set to the number of cells of row i. Requires target <= rows * cols / 2.
Buffer<std::int64_t> draws_per_row(index_t rows, index_t cols, std::int64_t target,
                                   std::uint64_t seed, int threads, Buffer<std::int64_t>& held) {
  Buffer<std::int64_t> drawn(static_cast<std::size_t>(rows), 0);
  Buffer<std::int64_t> counted(static_cast<std::size_t>(rows), 0);
  held.assign(static_cast<std::size_t>(rows), 0);
  std::int64_t missing = target;
  for (std::uint64_t round = 0; missing > 0; ++round) {
    draw_rows(drawn, missing, seed, round, threads);
    std::int64_t gained = 0;
    RegionError error;
#pragma omp parallel num_threads(threads) reduction(+ : gained)
    {
      std::vector<index_t> columns;
#pragma omp for schedule(dynamic, 256)
      for (index_t i = 0; i < rows; ++i) {
        if (drawn[i] != counted[i]) {
          error.guard([&] { held_columns(i, drawn[i], cols, seed, columns); });
          const auto now = static_cast<std::int64_t>(columns.size());
          gained += now - held[i];
          held[i] = now;
          counted[i] = drawn[i];
        }
      }
    }
    error.rethrow();
    missing -= gained;
  }
  return drawn;
}

GeneratedCsr uniform_cells(index_t rows, index_t cols, std::int64_t nnz, std::uint64_t seed,
                           int threads) {
  const std::int64_t cells = std::int64_t{rows} * cols;
  require_memory(rows, nnz);
  const bool complement = nnz > cells / 2;
  Buffer<std::int64_t> held;
  const Buffer<std::int64_t> drawn =
      draws_per_row(rows, cols, complement ? cells - nnz : nnz, seed, threads, held);
  GeneratedCsr a(rows, cols, 0);
  a.row_ptr[0] = 0;
  std::transform(held.begin(), held.end(), a.row_ptr.begin() + 1,
                 [&](std::int64_t count) { return complement ? cols - count : count; });
  allocate_entries(a);
  RegionError error;
#pragma omp parallel num_threads(threads)
  {
    std::vector<index_t> columns;
#pragma omp for schedule(dynamic, 256)
    for (index_t i = 0; i < rows; ++i) {
      columns.clear();
      error.guard([&] { held_columns(i, drawn[i], cols, seed, columns); });
      index_t* out = a.col_idx.data() + a.row_ptr[i];
      if (!complement) {
        std::copy(columns.begin(), columns.end(), out);
        continue;
      }
      auto left_out = columns.begin();
      for (index_t j = 0; j < cols; ++j) {
        if (left_out != columns.end() && *left_out == j) {
          ++left_out;
        } else {
          *out++ = j;
        }
      }
    }
  }
  error.rethrow();
  return a;
}

void require_cells(const std::string& name, std::int64_t nnz, index_t rows, index_t cols) {
  require(nnz <= std::int64_t{rows} * cols,
          name + ": nnz=" + std::to_string(nnz) + " exceeds the " +
              std::to_string(std::int64_t{rows} * cols) + " cells of " + std::to_string(rows) +
              " x " + std::to_string(cols));
}

GeneratedCsr build_uniform(const SpecValues& values, int threads) {
  const index_t rows = values.index("rows"), cols = values.index("cols");
  require_cells("uniform", values.integer("nnz"), rows, cols);
  GeneratedCsr a = uniform_cells(rows, cols, values.integer("nnz"), values.seed(), threads);
  fill_values(a, values.seed(), threads);
  return a;
}

GeneratedCsr build_empty_rows(const SpecValues& values, int threads) {
  const index_t rows = values.index("rows"), cols = values.index("cols");
  const auto emptied = static_cast<index_t>(values.real("empty") * rows + 0.5);
  require_memory(rows, values.integer("nnz"));
  require_cells("empty_rows", values.integer("nnz"), rows - emptied, cols);
  RandomStream stream(values.seed(), Purpose::subset, 0);
  std::vector<index_t> kept;
  distinct_below(stream, rows, rows - emptied, kept);
  GeneratedCsr a =
      uniform_cells(rows - emptied, cols, values.integer("nnz"), values.seed(), threads);
  Buffer<std::int64_t> row_ptr(static_cast<std::size_t>(rows) + 1, 0);
  for (std::size_t r = 0; r < kept.size(); ++r) {
    row_ptr[kept[r] + 1] = a.row_ptr[r + 1] - a.row_ptr[r];
  }
  std::partial_sum(row_ptr.begin(), row_ptr.end(), row_ptr.begin());
  a.rows = rows;
  a.row_ptr = std::move(row_ptr);
  fill_values(a, values.seed(), threads);
  return a;
}

GeneratedCsr build_short_rows(const SpecValues& values, int threads) {
  const index_t rows = values.index("rows"), cols = values.index("cols");
  const index_t per_row = values.index("per_row");
  require(per_row <= cols || rows == 0, "short_rows: per_row=" + std::to_string(per_row) +
                                            " exceeds cols=" + std::to_string(cols));
  require_memory(rows, std::int64_t{rows} * per_row);
  GeneratedCsr a(rows, cols, 0);
  a.row_ptr[0] = 0;
  std::fill(a.row_ptr.begin() + 1, a.row_ptr.end(), per_row);
  allocate_entries(a);
  RegionError error;
#pragma omp parallel num_threads(threads)
  {
    std::vector<index_t> columns;
#pragma omp for schedule(static)
    for (index_t i = 0; i < rows; ++i) {
      RandomStream stream(values.seed(), Purpose::column_choice, static_cast<std::uint64_t>(i));
      error.guard([&] {
        distinct_below(stream, cols, per_row, columns);
        std::copy(columns.begin(), columns.end(), a.col_idx.begin() + a.row_ptr[i]);
      });
    }
  }
  error.rethrow();
  fill_values(a, values.seed(), threads);
  return a;
}

}  // namespace

std::vector<Family> uniform_families() {
  const GeneratorKey rows{"rows", "500000", "number of rows"};
  const GeneratorKey cols{"cols", "500000", "number of columns"};
  const GeneratorKey nnz{"nnz", "10000000", "entries, all at distinct positions", 0, 0x1p53 - 1};
  return {
      {{"uniform",
        "entries at distinct positions, every set of positions equally likely",
        {rows, cols, nnz, seed_key()}},
       false,
       build_uniform},
      {{"empty_rows",
        "uniform over the rows that remain when a share of the rows is emptied",
        {rows,
         cols,
         nnz,
         {"empty", "0.5", "share of the rows that hold nothing (others may by chance)", 0, 1,
          false},
         seed_key()}},
       false,
       build_empty_rows},
      {{"short_rows",
        "the same few entries in every row, columns uniform",
        {rows, cols, {"per_row", "3", "entries of each row"}, seed_key()}},
       false,
       build_short_rows},
  };
}

}  // namespace sparserepro::generation
