// The raster of a matrix, by hand and against a slow count.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "formats/statistics/spy.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

TEST_CASE("a matrix of fewer rows and columns than the raster has a block for each position") {
  const Matrix matrix = testing::matrix_from_entries(
      "small", 3, 4, {{0, 1, 1}, {0, 3, 2}, {2, 0, 3}, {2, 0, 4}, {2, 2, 0}});
  CHECK(spy(matrix.csr) == std::vector<std::string>{"0101", "0000", "2010"});
}

TEST_CASE("without rows or columns there are no blocks") {
  CHECK(spy(testing::matrix_from_entries("none", 0, 3, {}).csr).empty());
  CHECK(spy(testing::matrix_from_entries("none", 2, 0, {}).csr) ==
        std::vector<std::string>{"", ""});
}

TEST_CASE("a count is told by its binary digits") {
  std::vector<std::tuple<index_t, index_t, double>> entries;
  for (index_t i = 0; i < 480; ++i) {
    for (index_t j = 0; j < 52; ++j) {
      entries.emplace_back(i, j, 1.0);  // the first five blocks of ten columns, and 2 of the sixth
    }
  }
  const std::vector<std::string> raster =
      spy(testing::matrix_from_entries("left", 480, 480, entries).csr, 2);
  REQUIRE(raster.size() == 48);
  for (const std::string& line : raster) {
    CHECK(line == "777775" + std::string(42, '0'));  // 100 and 20 entries
  }
}

TEST_CASE("the raster of the battery against a slow count") {
  for (const testing::NamedMatrix& named : testing::battery()) {
    INFO(named.name);
    const auto& a = named.matrix.csr;
    const std::int64_t lines = std::min(a.rows, spy_size);
    const std::int64_t columns = std::min(a.cols, spy_size);
    std::vector<std::int64_t> count(static_cast<std::size_t>(lines * columns), 0);
    for (std::int64_t i = 0; i < a.rows; ++i) {
      for (std::int64_t p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
        ++count[i * lines / a.rows * columns + a.col_idx[p] * columns / a.cols];
      }
    }
    for (const int threads : {1, 3}) {
      const std::vector<std::string> raster = spy(a, threads);
      REQUIRE(static_cast<std::int64_t>(raster.size()) == lines);
      for (std::int64_t line = 0; line < lines; ++line) {
        REQUIRE(static_cast<std::int64_t>(raster[line].size()) == columns);
        for (std::int64_t column = 0; column < columns; ++column) {
          const char c = raster[line][column];
          const int digits = c <= '9' ? c - '0' : c - 'a' + 10;
          const auto found = static_cast<std::uint64_t>(count[line * columns + column]);
          CHECK(digits == static_cast<int>(std::bit_width(found)));
        }
      }
    }
  }
}
