// Slices of rows of several lengths at K = 1: which rows get them, and where their sums go.
#include <cstdint>
#include <vector>

#include "spmm/omp_csr_blocked/product/product.hpp"
#include "support/catch.hpp"
#include "support/csr_blocked.hpp"

using namespace sparserepro;
using namespace sparserepro::csr_blocks;
using namespace sparserepro::testing;

namespace {

const RowBundles::Limits limits{
    .lanes = {8, 8, 8}, .entries = 1 << 15, .jagged = true, .last = Layout::jagged};

/// Rows of these lengths that share no columns.
Matrix rows_of_lengths(const std::vector<index_t>& lengths) {
  return matrix_of(
      "jagged", static_cast<index_t>(lengths.size()), 5000, [&](index_t i) { return lengths[i]; },
      [](index_t i, index_t p) { return (i * i * 5 + p * 7) % 5000; });
}

/// Lengths of the rows of a bundle, in its order.
std::vector<index_t> lengths_of(const std::vector<index_t>& rows, std::size_t bundle) {
  const Matrix matrix = rows_of_lengths(rows);
  const RowBundles bundles(pattern_of(matrix.csr), limits, 1);
  REQUIRE(bundles.windows() == 1);
  const Window& window = bundles.window(0);
  REQUIRE(bundle < window.bundles.size());
  const Bundle& b = window.bundles[bundle];
  std::vector<index_t> lengths;
  for (index_t u = b.unit; u < b.unit + b.count; ++u) {
    lengths.push_back(rows[window.first_row[u]]);
    CHECK(lengths.back() == (b.layout == Layout::jagged ? window.lengths[u] : b.length));
  }
  return lengths;
}

}  // namespace

TEST_CASE("rows that are not enough for a slice of one length go side by side, the longest first") {
  using Found = std::vector<Layout>;
  const std::vector<index_t> mixed = {3, 5, 3, 7, 0, 5, 9, 4};
  CHECK(layouts(rows_of_lengths(mixed), limits) == Found{Layout::jagged});
  CHECK(lengths_of(mixed, 0) == std::vector<index_t>{9, 7, 5, 5, 4, 3, 3, 0});
  std::vector<index_t> equal(8, 6);
  CHECK(layouts(rows_of_lengths(equal), limits) == Found{Layout::lanes});
  equal.insert(equal.end(), mixed.begin(), mixed.end());
  CHECK(layouts(rows_of_lengths(equal), limits) == Found{Layout::lanes, Layout::jagged});
  CHECK(lengths_of(equal, 1) == std::vector<index_t>{9, 7, 5, 5, 4, 3, 3, 0});
  std::vector<index_t> one_more = mixed;  // the shortest goes alone
  one_more.push_back(8);
  CHECK(layouts(rows_of_lengths(one_more), limits) == Found{Layout::jagged, Layout::rows});
  CHECK(lengths_of(one_more, 1) == std::vector<index_t>{0});
}

TEST_CASE("rows that lengthen a slice by more than they take alone go alone") {
  // Alone a row of 16 takes 16 / 8 + 4 steps; two of 20 take 12.
  CHECK(lengths_of({9, 16, 9, 10, 9, 9, 9, 9}, 0).size() == 8);
  CHECK(lengths_of({9, 17, 9, 10, 9, 9, 9, 9, 9}, 1) == std::vector<index_t>{17});
  CHECK(lengths_of({9, 21, 9, 22, 9, 9, 9, 9, 9, 9}, 1) == std::vector<index_t>{22});
  CHECK(lengths_of({9, 21, 9, 22, 9, 9, 9, 9, 9, 9}, 2) == std::vector<index_t>{21});
}

TEST_CASE("sums of a jagged slice go to their rows, though the first and the last are apart by 7") {
  if (!fastest_set<double>().one_column.jagged) {
    SKIP("this processor has no fast gathers with AVX-512");
  }
  const Matrix matrix = rows_of_lengths({30, 12, 28, 11, 27, 10, 26, 9});
  const SpmmProblem problem = problem_of(matrix, 1, 32);
  const auto run = blocked().prepare(
      problem, {{"path", "jagged"}, {"threads", std::int64_t{1}}, {"calls", std::int64_t{0}}});
  run->preprocess();
  run->poison();
  run->execute();
  CHECK(problem.check(run->result(), problem.reference()).ok);
}
