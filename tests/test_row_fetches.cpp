// Prefetches of rows of X by the windows of omp_csr_blocked: which rows, and how.
#include <cstdint>
#include <vector>

#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"

using namespace sparserepro;
using namespace sparserepro::csr_blocks;
using namespace sparserepro::testing;

namespace {

/// A matrix whose row i has `length` entries at columns c(i, p).
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

TEST_CASE("rows of X are prefetched from near or far, at the last entries, or not at all") {
  const auto fetch = [](const Matrix& matrix, Prefetch prefetch, Layout last = Layout::band) {
    RowBundles::Limits limits{false, {4, 4, 3}, 512, 1 << 15, prefetch};
    limits.last = last;
    return RowBundles(matrix.csr.view(), limits, 1).window(0).fetch;
  };
  const Matrix diagonals =
      matrix_of("diagonals", 100, 100000, 10, [](index_t i, index_t p) { return i + p * 10000; });
  for (const Prefetch prefetch : {Prefetch::new_rows, Prefetch::scattered_rows}) {
    CHECK(fetch(scattered(), prefetch) == Fetch::far);
    CHECK(fetch(band(), prefetch) == (prefetch == Prefetch::new_rows ? Fetch::last : Fetch::none));
    const bool new_rows = prefetch == Prefetch::new_rows;
    CHECK(fetch(diagonals, prefetch) == (new_rows ? Fetch::last : Fetch::none));
    CHECK(fetch(diagonals, prefetch, Layout::lanes) == (new_rows ? Fetch::near : Fetch::none));
  }
  CHECK(fetch(scattered(), Prefetch::none) == Fetch::none);
}
