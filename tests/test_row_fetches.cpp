// Which rows of X the windows of omp_csr_blocked ask for before they come to them, and how.
#include <cstdint>
#include <numeric>
#include <vector>

#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"

using namespace sparserepro;
using namespace sparserepro::csr_blocks;
using namespace sparserepro::testing;

namespace {

/// Rows of `length` entries at columns c(i, p).
template <class Column>
Matrix matrix_of(const char* name, index_t rows, index_t cols, index_t length, Column column) {
  std::vector<Entry> entries;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t p = 0; p < length; ++p) {
      entries.emplace_back(i, column(i, p), 1.0);
    }
  }
  return matrix_from_entries(name, rows, cols, entries);
}

Matrix scattered() {
  return matrix_of("scattered", 100, 100000, 10,
                   [](index_t i, index_t p) { return (i * 7919 + p * 9973) % 100000; });
}

Matrix band() {
  return matrix_of("band", 100, 200, 10, [](index_t i, index_t p) { return i + p; });
}

}  // namespace

TEST_CASE("rows of X are prefetched from near or far, or not at all") {
  const auto fetch = [](const Matrix& matrix, Prefetch prefetch) {
    const RowBundles::Limits limits{false, {4, 4, 3}, 512, 1 << 15, 64, prefetch};
    return RowBundles(matrix.csr.view(), limits, 1).window(0).fetch;
  };
  const Matrix diagonals =
      matrix_of("diagonals", 100, 100000, 10, [](index_t i, index_t p) { return i + p * 10000; });
  for (const Prefetch prefetch : {Prefetch::new_rows, Prefetch::scattered_rows}) {
    CHECK(fetch(scattered(), prefetch) == Fetch::far);
    CHECK(fetch(band(), prefetch) == Fetch::none);
    CHECK(fetch(diagonals, prefetch) ==
          (prefetch == Prefetch::new_rows ? Fetch::near : Fetch::none));
  }
  CHECK(fetch(band(), Prefetch::all) == Fetch::near);
  CHECK(fetch(scattered(), Prefetch::none) == Fetch::none);
}

TEST_CASE("a few large rows of X are listed where they are met first") {
  for (const std::int64_t row_bytes : {40, 256, 320, 1024}) {
    INFO("rows of " << row_bytes << " bytes");
    const Matrix matrix = band();
    const RowBundles::Limits limits{false, {4, 4, 3}, 20, 1 << 15, row_bytes, Prefetch::new_rows};
    const RowBundles bundles(matrix.csr.view(), limits, 2);
    REQUIRE(bundles.windows() == 5);
    for (std::int64_t w = 0; w < 5; ++w) {
      const Window window = bundles.window(w);
      const bool listed = row_bytes == 256 || row_bytes == 320;
      CHECK(window.entries == 200);
      CHECK(window.fetch == (listed ? Fetch::listed : Fetch::none));
      std::vector<index_t> rows(listed && w < 4 ? 20 : 0);
      std::iota(rows.begin(), rows.end(), static_cast<index_t>(20 * w + 29));
      CHECK(std::vector<index_t>(window.later_rows, window.later_rows + window.later_count) ==
            rows);
    }
  }
  const RowBundles::Limits limits{false, {4, 4, 3}, 20, 1 << 15, 256, Prefetch::new_rows};
  CHECK(RowBundles(scattered().csr.view(), limits, 2).window(0).later_count == 0);
  RowBundles::Limits few = limits;
  few.least_listed = 6;
  CHECK(RowBundles(band().csr.view(), few, 2).window(0).fetch == Fetch::none);
}

TEST_CASE("lines of several rows of X are listed once") {
  // Rows 16 i, ..., 16 i + 9 take 80 bytes: two lines of 64, of which the next row meets none.
  const Matrix matrix =
      matrix_of("groups", 100, 1600, 10, [](index_t i, index_t p) { return 16 * i + p; });
  const RowBundles::Limits limits{false, {4, 4, 3}, 20, 1 << 15, 8, Prefetch::scattered_rows};
  const RowBundles bundles(matrix.csr.view(), limits, 1);
  for (std::int64_t w = 0; w < 4; ++w) {
    const Window window = bundles.window(w);
    REQUIRE(window.later_count == 40);
    for (index_t i = 0; i < 20; ++i) {
      const auto row = static_cast<index_t>(16 * (20 * w + 20 + i));
      CHECK(window.later_rows[2 * i] == row);
      CHECK(window.later_rows[2 * i + 1] == row + 8);
    }
  }
}
