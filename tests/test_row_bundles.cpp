// The row bundles of omp_csr_blocked: every entry occurs once, in the order of its row, whatever
// the limits; the expected layouts are found; long rows are left out.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/csr_blocked.hpp"

using namespace sparserepro;
using namespace sparserepro::csr_blocks;
using namespace sparserepro::testing;

namespace {

using Rows = std::vector<std::vector<std::pair<index_t, double>>>;

Rows rows_of(const Csr<std::int64_t, double>& a, const std::vector<index_t>& left_out) {
  Rows rows(static_cast<std::size_t>(a.rows));
  for (index_t i = 0; i < a.rows; ++i) {
    if (std::find(left_out.begin(), left_out.end(), i) == left_out.end()) {
      for (std::int64_t p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
        rows[i].emplace_back(a.col_idx[p], a.values[p]);
      }
    }
  }
  return rows;
}

/// The places of units of more than p entries in a jagged slice, before entry p of its units.
struct Jagged {
  std::int64_t before{};
  index_t units{};
};
Jagged jagged_at(const Window& w, const Bundle& b, std::int64_t slice, index_t p) {
  Jagged at;
  for (index_t u = 0; u < slice * b.lanes; ++u) {
    at.before += w.lengths[b.unit + u];
  }
  const index_t* length = w.lengths + b.unit + slice * b.lanes;
  for (index_t lane = 0; lane < b.lanes; ++lane) {
    at.before += std::min(length[lane], p);
    at.units += length[lane] > p;
  }
  return at;
}

/// Entry p of row r of unit u in a bundle, by the formulas of row_bundles.hpp.
std::pair<index_t, double> entry_of(const Window& w, const double* window_values, const Bundle& b,
                                    index_t u, index_t r, index_t p) {
  const index_t* columns = w.columns + b.column;
  const double* values = window_values + b.value;
  const std::int64_t lanes = b.lanes, slice = u / lanes, lane = u % lanes, length = b.length;
  if (b.layout == Layout::rows) {
    return {columns[u * length + p], values[(std::int64_t{u} * b.rows + r) * length + p]};
  }
  if (b.layout == Layout::jagged) {
    const auto [before, units] = jagged_at(w, b, slice, p);
    return {columns[before + lane], values[before * b.rows + r * units + lane]};
  }
  const double value = values[((slice * length + p) * b.rows + r) * lanes + lane];
  if (b.layout == Layout::lanes) {
    return {columns[(slice * length + p) * lanes + lane], value};
  }
  const auto shift = static_cast<index_t>(lane * b.rows);
  return {
      b.layout == Layout::band ? columns[slice] + p + shift : columns[slice * length + p] + shift,
      value};
}

/// The entries of a bundle of diagonals behind those of `out`, and the rows that it has.
void unpack_diagonals(const Window& w, const double* value, const Bundle& b, index_t cols,
                      Rows& out, std::vector<int>& seen) {
  const index_t* column = w.columns + b.column;
  for (index_t s = 0; s < b.count; ++s) {
    const index_t head = *column++, diagonals = head / 2;
    const index_t first = w.first + w.first_row[b.unit + s];
    REQUIRE(diagonals > 0);
    const auto [least, largest] = std::minmax_element(column, column + diagonals);
    CHECK((head % 2 == 1) == (*least >= 0 && *largest + b.lanes <= cols));
    bool are_zero = true;  // places without an entry
    for (index_t d = 0; d < diagonals; ++d) {
      for (index_t lane = 0; lane < b.lanes; ++lane) {
        const bool has = column[diagonals + d] >> lane & 1;
        if (has) {
          out[first + lane].emplace_back(column[d] + lane, *value);
        } else if (b.layout == Layout::padded) {
          are_zero &= *value == 0;
        }
        value += has || b.layout == Layout::padded;
      }
    }
    CHECK(are_zero);
    for (index_t lane = 0; lane < b.lanes; ++lane) {
      ++seen[first + lane];
    }
    column += 2 * diagonals;
  }
}

Rows unpack(const RowBundles& bundles, const double* values, index_t rows, index_t cols) {
  Rows out(static_cast<std::size_t>(rows));
  std::vector<int> seen(static_cast<std::size_t>(rows));
  for (std::int64_t w = 0; w < bundles.windows(); ++w) {
    const Window& window = bundles.window(w);
    for (const Bundle& b : window.bundles) {
      if (b.has_diagonals()) {
        unpack_diagonals(window, values + window.entry + b.value, b, cols, out, seen);
        continue;
      }
      const bool slices = b.is_shifted();
      for (index_t u = 0; u < b.count * (slices ? b.lanes : 1); ++u) {
        const index_t first = slices ? window.first_row[b.unit + u / b.lanes] + u % b.lanes * b.rows
                                     : window.first_row[b.unit + u];
        for (index_t r = 0; r < b.rows; ++r) {
          const index_t row = window.first + first + r;
          REQUIRE(row < window.last);
          ++seen[row];
          const index_t length = b.layout == Layout::jagged ? window.lengths[b.unit + u] : b.length;
          for (index_t p = 0; p < length; ++p) {
            out[row].push_back(entry_of(window, values + window.entry, b, u, r, p));
          }
        }
      }
    }
  }
  for (index_t i = 0; i < rows; ++i) {
    const auto& left_out = bundles.long_rows();
    const bool is_long = std::find(left_out.begin(), left_out.end(), i) != left_out.end();
    REQUIRE(seen[i] <= 1);
    REQUIRE((is_long || seen[i] == 1));
  }
  return out;
}

std::vector<RowBundles::Limits> all_limits() {
  std::vector<RowBundles::Limits> all;
  for (const std::int64_t entries : {1, 8, 40, 100000}) {
    for (const SliceLanes lanes :
         {SliceLanes{8, 8, 8}, SliceLanes{4, 4, 3}, SliceLanes{2, 1, 1}, SliceLanes{1, 1, 1}}) {
      for (const Layout last : {Layout::lanes, Layout::shifted, Layout::band}) {
        for (const bool jagged : {false, true}) {
          all.push_back({.lanes = lanes, .entries = entries, .jagged = jagged, .last = last});
        }
      }
      for (const Layout last : {Layout::diagonals, Layout::padded}) {
        if (lanes[0] >= 4) {
          all.push_back({.lanes = lanes, .entries = entries, .last = last});
          all.push_back({.lanes = lanes, .entries = entries, .unit_diagonals = true, .last = last});
        }
      }
    }
  }
  return all;
}

void verify(const Matrix& matrix) {
  const auto& a = matrix.csr;
  for (const RowBundles::Limits& limits : all_limits()) {
    INFO(matrix.name << ", lanes " << limits.lanes[0] << ", entries " << limits.entries);
    const RowBundles bundles(pattern_of(a), limits, 2);
    for (const index_t row : bundles.long_rows()) {
      REQUIRE(a.row_ptr[row + 1] - a.row_ptr[row] > limits.entries);
    }
    std::vector<double> values(static_cast<std::size_t>(bundles.value_places()), -7.0);
    bundles.write_values(
        a.row_ptr.data(), [&](std::int64_t p) { return a.values[p]; }, values.data(), 2);
    REQUIRE(unpack(bundles, values.data(), a.rows, a.cols) == rows_of(a, bundles.long_rows()));
    // The only padding is behind the last entry of each window, else as much as there are entries.
    const std::int64_t places = a.nnz() * (limits.last == Layout::padded ? 2 : 1);
    CHECK(bundles.value_places() <= places + 8 * bundles.windows());
    CHECK(bundles.bytes() <= 4 * (places + 8 * bundles.windows() + 64) + 256 * a.rows +
                                 128 * (bundles.windows() + a.nnz()));
  }
}

}  // namespace

TEST_CASE("bundles hold every entry once, in the order of its row") {
  for (const NamedMatrix& named : battery()) {
    verify(named.matrix);
  }
}

TEST_CASE("bundles of every count and length around a slice") {
  for (index_t rows = 1; rows <= 26; ++rows) {
    verify(matrix_of(
        "mixed", rows, 400, [](index_t i) { return i % 5 == 0   ? 0
                                                   : i % 7 == 0 ? 40
                                                                : i % 3 + 1; },
        [](index_t i, index_t p) { return (i * 37 + p * 9) % 400; }));
    for (const index_t of_unit : {1, 2, 3}) {
      verify(shifted_units(rows, of_unit));
    }
    verify(matrix_of(
        "band", rows, rows + 20, [](index_t) { return 20; },
        [](index_t i, index_t p) { return i + p; }));
    verify(band_with_holes(rows));
  }
}

TEST_CASE("bundles take duplicates, unsorted rows and columns far apart") {
  verify(matrix_of(
      "duplicates", 40, 3, [](index_t) { return 6; },
      [](index_t i, index_t p) { return (i + 2 * p) % 3; }));
  verify(matrix_of(
      "descending", 40, 100, [](index_t i) { return i % 2 + 9; },
      [](index_t i, index_t p) { return 60 + i - p; }));
  verify(matrix_of(
      "far apart", 40, 2000000000, [](index_t) { return 8; },
      [](index_t i, index_t p) { return p * 250000000 + i; }));
}

TEST_CASE("shifted rows, units and bands are found") {
  const RowBundles::Limits one{.lanes = {8, 8, 8}, .entries = 1 << 15, .last = Layout::shifted};
  const RowBundles::Limits four{.lanes = {4, 4, 3}, .entries = 1 << 15};
  const Matrix band = matrix_of(
      "band", 16, 40, [](index_t) { return 20; }, [](index_t i, index_t p) { return i + p; });
  using Found = std::vector<Layout>;
  CHECK(layouts(band, one) == Found{Layout::shifted});
  CHECK(layouts(band, four) == Found{Layout::band});
  for (const index_t rows : {1, 2, 3}) {
    CHECK(layouts(shifted_units(16, rows), one) == Found{Layout::shifted});
    CHECK(layouts(shifted_units(12, rows), four) == Found{Layout::shifted});
  }
  const Matrix equal = matrix_of(
      "equal", 18, 100, [](index_t) { return 3; },
      [](index_t i, index_t p) { return (i * i + 31 * p) % 100; });
  RowBundles::Limits up_to = four;
  up_to.last = Layout::shifted;
  CHECK(layouts(band, up_to) == Found{Layout::shifted});
  up_to.last = Layout::lanes;
  CHECK(layouts(band, up_to) == Found{Layout::lanes});
  CHECK(layouts(equal, one) == Found{Layout::lanes, Layout::rows});
  CHECK(layouts(equal, four) == Found{Layout::lanes, Layout::rows});
}

TEST_CASE("windows have about as many entries and rows together each") {
  const Matrix mixed = matrix_of(
      "mixed", 500, 400, [](index_t i) { return i == 100 ? 400 : i % 20; },
      [](index_t i, index_t p) { return (i + p) % 400; });
  const auto& a = mixed.csr;
  for (const std::int64_t entries : {19, 50, 300}) {
    const RowBundles windows(pattern_of(a), {.bundles = false, .entries = entries}, 2);
    CHECK(windows.long_rows() == std::vector<index_t>{100});
    index_t next = 0;
    for (std::int64_t w = 0; w < windows.windows(); ++w) {
      const Window& window = windows.window(w);
      CHECK(window.first == (next == 100 ? 101 : next));
      next = window.last;
      const std::int64_t own = a.row_ptr[next] - a.row_ptr[window.first];
      CHECK(own + next - window.first <= entries + 20);
      CHECK(window.bundles.empty());
    }
    CHECK(next == a.rows);
    CHECK(windows.windows() <= (a.nnz() + a.rows) / entries + 2);
  }
}

TEST_CASE("no window asks for rows of X by columns that are not there") {
  const Matrix band = matrix_of(
      "band", 100, 200, [](index_t) { return 10; }, [](index_t i, index_t p) { return i + p; });
  for (const bool bundles : {true, false}) {
    const RowBundles::Limits limits{
        .bundles = bundles, .lanes = {4, 4, 3}, .entries = 500, .fetch = true};
    const RowBundles windows(pattern_of(band.csr), limits, 1);
    REQUIRE(windows.windows() == 3);
    CHECK(windows.window(0).fetch);
    CHECK(windows.window(2).fetch == bundles);  // a copy has columns behind its last ones
  }
}

TEST_CASE("windows whose columns lie near ask for no rows of X") {
  const Matrix band = matrix_of(
      "band", 100, 200, [](index_t i) { return i % 2 == 0 ? 10 : 0; },
      [](index_t i, index_t p) { return i + p; });
  for (const std::int64_t near : {40, 10000}) {
    const RowBundles windows(pattern_of(band.csr),
                             {.bundles = false, .entries = 200, .fetch = true, .near = near}, 1);
    REQUIRE(windows.windows() == 3);
    for (std::int64_t w = 0; w < 2; ++w) {
      const Window& window = windows.window(w);
      const index_t first = (window.first + 1) / 2 * 2, last = (window.last - 1) / 2 * 2 + 10;
      CHECK(window.fetch == (last - first > near));
    }
  }
}
