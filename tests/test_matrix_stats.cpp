// Statistics of a matrix, compared with numbers by hand and with a direct count.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "formats/statistics/matrix_stats.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"

namespace {

using namespace sparserepro;

void check_histogram(const LengthSummary& summary, const std::vector<LengthBin>& want) {
  REQUIRE(summary.histogram.size() == want.size());
  for (std::size_t bin = 0; bin < want.size(); ++bin) {
    INFO("bin " << bin);
    CHECK(summary.histogram[bin].from == want[bin].from);
    CHECK(summary.histogram[bin].to == want[bin].to);
    CHECK(summary.histogram[bin].count == want[bin].count);
  }
}

}  // namespace

TEST_CASE("summary of a few lengths, by hand") {
  const LengthSummary summary = summarise_lengths({4, 0, 1, 9});
  CHECK(summary.min == 0);
  CHECK(summary.max == 9);
  CHECK(summary.q1 == Approx(0.75));
  CHECK(summary.median == Approx(2.5));
  CHECK(summary.q3 == Approx(5.25));
  CHECK(summary.mean == Approx(3.5));
  CHECK(summary.stddev == Approx(3.5));  // squared deviations 0.25 + 12.25 + 6.25 + 30.25 = 49
  CHECK(summary.empty == 1);
  check_histogram(summary, {{0, 0, 1}, {1, 1, 1}, {2, 3, 0}, {4, 7, 1}, {8, 15, 1}});
}

TEST_CASE("summary at the edges") {
  const LengthSummary none = summarise_lengths({});
  CHECK(none.max == 0);
  CHECK(none.histogram.empty());

  const LengthSummary zeros = summarise_lengths({0, 0, 0});
  CHECK(zeros.empty == 3);
  CHECK(zeros.median == 0.0);
  check_histogram(zeros, {{0, 0, 3}});

  const LengthSummary one = summarise_lengths({8});
  CHECK(one.q1 == 8.0);
  CHECK(one.q3 == 8.0);
  CHECK(one.stddev == 0.0);
  check_histogram(one, {{0, 0, 0}, {1, 1, 0}, {2, 3, 0}, {4, 7, 0}, {8, 15, 1}});
}

TEST_CASE("statistics of a small matrix, by hand") {
  // . x . . x      one duplicate at (3, 0), row 2 and column 3 empty
  // x . . . .
  // . . . . .
  // 2 . x . .
  const Matrix matrix = testing::matrix_from_entries(
      "small", 4, 5, {{0, 1, 1}, {0, 4, 2}, {1, 0, 3}, {3, 0, 4}, {3, 0, 5}, {3, 2, 0}});
  const MatrixStats stats = matrix_stats(matrix.csr, 2);
  CHECK(stats.duplicates == 1);
  CHECK(stats.bandwidth == 4);
  CHECK(stats.padding_factor == Approx(2.0));  // 4 rows of 3 for 6 entries
  CHECK_FALSE(stats.pattern_symmetric);        // not square
  CHECK(stats.row_length.empty == 1);
  CHECK(stats.row_length.max == 3);
  CHECK(stats.row_length.median == Approx(1.5));
  CHECK(stats.col_length.empty == 1);
  CHECK(stats.col_length.max == 3);
  CHECK(stats.col_length.mean == Approx(1.2));
  check_histogram(stats.col_length, {{0, 0, 1}, {1, 1, 3}, {2, 3, 1}});
  const Matrix row = testing::matrix_from_entries("row", 2, 4, {{0, 0, 1}, {0, 1, 1}, {0, 3, 1}});
  CHECK(matrix_stats(row.csr, 2).padding_factor == Approx(2.0));  // 2 rows of 3, not columns of 1
}

TEST_CASE("a pattern is symmetric whatever its values and duplicates") {
  const auto symmetric = [](const std::vector<std::tuple<index_t, index_t, double>>& entries) {
    return matrix_stats(testing::matrix_from_entries("m", 3, 3, entries).csr, 2).pattern_symmetric;
  };
  CHECK(symmetric({}));
  CHECK(symmetric({{1, 1, 1}}));
  CHECK(symmetric({{0, 2, 1}, {2, 0, -7}}));
  CHECK(symmetric({{0, 2, 1}, {0, 2, 1}, {2, 0, 0}}));
  CHECK_FALSE(symmetric({{0, 2, 1}}));
  CHECK_FALSE(symmetric({{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}));
}

TEST_CASE("a matrix without rows, columns or entries") {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 3}, {3, 0}, {3, 3}}) {
    const MatrixStats stats =
        matrix_stats(testing::matrix_from_entries("empty", rows, cols, {}).csr);
    CHECK(stats.padding_factor == 0.0);
    CHECK(stats.bandwidth == 0);
    CHECK(stats.row_length.empty == rows);
    CHECK(stats.col_length.empty == cols);
    CHECK(stats.pattern_symmetric == (rows == cols));
  }
}

TEST_CASE("statistics of the battery against a slow count") {
  int compared = 0;
  for (const testing::NamedMatrix& named : testing::battery()) {
    INFO(named.name);
    const auto& a = named.matrix.csr;
    const auto row = [&](std::int64_t i) { return a.col_idx.begin() + a.row_ptr[i]; };
    std::int64_t sorted = 0;
    while (sorted < a.rows && std::is_sorted(row(sorted), row(sorted + 1))) {
      ++sorted;
    }
    if (sorted < a.rows) {
      continue;  // matrix_stats requires ascending rows
    }
    ++compared;
    std::set<std::pair<index_t, index_t>> positions;
    std::vector<std::int64_t> rows(static_cast<std::size_t>(a.rows));
    std::vector<std::int64_t> cols(static_cast<std::size_t>(a.cols));
    std::int64_t bandwidth = 0;
    for (index_t i = 0; i < a.rows; ++i) {
      for (std::int64_t p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
        positions.emplace(i, a.col_idx[p]);
        ++rows[i];
        ++cols[a.col_idx[p]];
        bandwidth = std::max<std::int64_t>(bandwidth, std::abs(i - a.col_idx[p]));
      }
    }
    const bool symmetric =
        a.rows == a.cols && std::all_of(positions.begin(), positions.end(), [&](const auto& ij) {
          return positions.contains({ij.second, ij.first});
        });
    for (const int threads : {1, 3}) {
      const MatrixStats stats = matrix_stats(a, threads);
      CHECK(stats.duplicates == a.nnz() - static_cast<std::int64_t>(positions.size()));
      CHECK(stats.bandwidth == bandwidth);
      CHECK(stats.pattern_symmetric == symmetric);
      for (auto [got, lengths] :
           {std::pair{&stats.row_length, &rows}, {&stats.col_length, &cols}}) {
        if (lengths->empty()) {
          continue;
        }
        std::sort(lengths->begin(), lengths->end());
        CHECK(got->min == lengths->front());
        CHECK(got->max == lengths->back());
        CHECK(got->empty == std::count(lengths->begin(), lengths->end(), 0));
        if (lengths->size() % 4 == 1) {  // the quartiles are order statistics
          CHECK(got->q1 == static_cast<double>((*lengths)[lengths->size() / 4]));
          CHECK(got->median == static_cast<double>((*lengths)[lengths->size() / 2]));
          CHECK(got->q3 == static_cast<double>((*lengths)[lengths->size() / 4 * 3]));
        }
        for (const LengthBin& bin : got->histogram) {
          CHECK(bin.count == std::count_if(lengths->begin(), lengths->end(), [&](std::int64_t n) {
                  return bin.from <= n && n <= bin.to;
                }));
        }
      }
    }
  }
  CHECK(compared > 10);
}
