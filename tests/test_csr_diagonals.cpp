// Slices by diagonals at K = 1: which rows get them, and what padded places do to the answer.
// test_row_bundles.cpp holds the entries of every layout to those of A, test_csr_blocks.cpp the
// products.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "formats/public_views.hpp"
#include "sparserepro/spmm.hpp"
#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"
#include "spmm/spmm.hpp"
#include "support/catch.hpp"
#include "support/csr_blocked.hpp"

using namespace sparserepro;
using namespace sparserepro::csr_blocks;
using namespace sparserepro::testing;

TEST_CASE("slices of few diagonals are found, exact shifts stay") {
  using Found = std::vector<Layout>;
  RowBundles::Limits limits{.lanes = {8, 8, 8}, .entries = 1 << 15, .last = Layout::diagonals};
  CHECK(layouts(band_with_holes(64), limits) == Found{Layout::diagonals});
  limits.last = Layout::padded;
  CHECK(layouts(band_with_holes(64), limits) == Found{Layout::padded});
  CHECK(layouts(shifted_units(16, 1), limits) == Found{Layout::shifted});
  const Matrix blocks = matrix_of(
      "blocks", 64, 100, [](index_t) { return 8; },
      [](index_t i, index_t p) { return i / 2 * 2 + p; });
  CHECK(layouts(blocks, limits) == Found{Layout::shifted});
  limits.unit_diagonals = true;
  CHECK(layouts(blocks, limits) == Found{Layout::padded});
  // Slices of 32 entries on six diagonals, a quarter less two; and on seven.
  const auto slice = [](index_t diagonals) {
    return matrix_of(
        "slice", 512, 700, [](index_t) { return 4; },
        [=](index_t i, index_t p) { return i + (p + i % 8 * (diagonals - 4) / 7) * 10; });
  };
  CHECK(layouts(slice(6), limits) == Found{Layout::padded});
  CHECK(layouts(slice(7), limits) == Found{Layout::lanes});
  CHECK(RowBundles::shared_entries(pattern_of(slice(6).csr), limits) == 1.0);
  CHECK(RowBundles::shared_entries(pattern_of(slice(7).csr), limits) == 0.0);
  CHECK(RowBundles::shared_entries(pattern_of(shifted_units(64, 1).csr), limits) > 0.9);
}

TEST_CASE("windows of many rows end with a slice") {
  const Matrix band = band_with_holes(1000);
  const RowBundles bundles(pattern_of(band.csr), {.lanes = {8, 8, 8}, .entries = 1500}, 1);
  REQUIRE(bundles.windows() > 5);
  for (std::int64_t w = 0; w + 1 < bundles.windows(); ++w) {
    CHECK((bundles.window(w).last - bundles.window(w).first) % RowBundles::most_lanes == 0);
  }
}

TEST_CASE("padded places meet no element of X, finite or not, and change no bit") {
  const Matrix band = band_with_holes(500);
  const auto& a = band.csr;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> x(static_cast<std::size_t>(a.cols), 0.75);
  x[100] = infinite;
  x[200] = -infinite;
  x[300] = std::numeric_limits<double>::quiet_NaN();
  for (index_t j = 400; j < a.cols; ++j) {
    x[j] = 1e308;
  }
  std::vector<std::vector<double>> all;
  for (const char* name : {"rows", "diagonals", "padded"}) {
    if (!blocked().refusal(problem_of(band, 1, 64), {{"path", name}}).empty()) {
      continue;
    }
    using host::SpmmPath;
    const auto path = std::string(name) == "rows"     ? SpmmPath::rows
                      : std::string(name) == "padded" ? SpmmPath::padded
                                                      : SpmmPath::diagonals;
    host::SpmmPlan plan(public_view(a.view()), 1, {.threads = 2, .path = path});
    std::vector<double> y(static_cast<std::size_t>(a.rows));
    plan(1, {a.cols, 1, 1, x.data()}, 0, {a.rows, 1, 1, y.data()});
    for (index_t i = 0; i < a.rows; ++i) {
      const auto has = [&](index_t j) {
        return std::find(&a.col_idx[a.row_ptr[i]], &a.col_idx[0] + a.row_ptr[i + 1], j) !=
               &a.col_idx[0] + a.row_ptr[i + 1];
      };
      CAPTURE(name, i);
      if (i < 390) {
        CHECK(std::isfinite(y[i]) == !(has(100) || has(200) || has(300)));
        CHECK(std::isnan(y[i]) == has(300));
      }
    }
    all.push_back(y);
  }
  if (all.size() == 3) {
    CHECK(std::memcmp(all[1].data(), all[2].data(), all[1].size() * sizeof(double)) == 0);
  }
}
