// cuda_partition with two levels of splits: the division of columns, tiles of the second split, and
// entries that both levels must separate.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/transpose_check.hpp"
#include "transpose/cuda_partition/two_levels/policy.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

constexpr std::int64_t most = DevicePartitionPolicy::largest_digits;

/// Checks two levels with every size of tile and both methods of ranking.
void check_levels(const Matrix& matrix) {
  const auto& algorithm = transposition("cuda_partition");
  for (const char* value_type : {"fp64", "fp32", "pattern"}) {
    for (const std::int64_t bits : {32, 64}) {
      const TransposeProblem problem(matrix, storage(value_type, bits));
      const AnyCsr reference = problem.reference();
      CAPTURE(value_type, bits, matrix.name);
      for (const char* tile : {"auto", "small", "large"}) {
        for (const char* ranks : {"addition", "vote"}) {
          check_cell(algorithm, problem, reference,
                     {{"path", std::string("two_levels")},
                      {"tile", std::string(tile)},
                      {"ranks", std::string(ranks)},
                      {"launches", std::string("programmatic")}});
        }
      }
    }
  }
}

void check_levels(const std::string& spec) {
  Matrix matrix = generate(spec, 2);
  matrix.name = spec;
  check_levels(matrix);
}

}  // namespace

TEST_CASE("cuda_partition: two levels of buckets cover the columns within the limits",
          "[transpose][cuda]") {
  for (const std::int64_t rows : std::vector<std::int64_t>{1, 3000, 4194304, 2147483647}) {
    for (const std::int64_t cols :
         std::vector<std::int64_t>{1, 7, 65536, 65537, 4194304, most * most}) {
      for (const std::int64_t nnz :
           std::vector<std::int64_t>{1, 1000, 10000000, 67000000, 4000000000}) {
        for (const int threads :
             {DevicePartitionPolicy::small_threads, DevicePartitionPolicy::large_threads}) {
          const TwoLevels levels =
              choose_levels(rows, cols, nnz, threads * DevicePartitionPolicy::items(8));
          CAPTURE(rows, cols, nnz, threads, levels.units.width, levels.within.count,
                  levels.coarse.count, levels.per_bucket, levels.low_bits);
          const std::int64_t columns = std::int64_t{levels.per_bucket} * levels.units.width;
          CHECK(columns >= 1);
          CHECK(columns <= most);
          // A word holds the row and the column within a bucket, or the mark of no entry.
          CHECK((columns == 1 || columns + DevicePartitionPolicy::absent_columns <=
                                     std::int64_t{1} << levels.low_bits));
          CHECK((rows - 1) >> (32 - levels.low_bits) == 0);
          CHECK(std::int64_t{levels.units.count} * levels.units.width >= cols);
          CHECK(levels.within.width == levels.units.width);
          CHECK(levels.coarse.width == levels.within.count * levels.within.width);
          CHECK(std::int64_t{levels.coarse.count} * levels.coarse.width >= cols);
          CHECK(std::int64_t{levels.coarse.count - 1} * levels.coarse.width < cols);
          CHECK(levels.coarse.count <= most);
          CHECK(levels.within.count <= most);
        }
      }
    }
  }
}

TEST_CASE("cuda_partition: two levels for many entries in many columns", "[transpose][cuda]") {
  constexpr std::int64_t tile = 1024 * DevicePartitionPolicy::items(4);
  const auto pay = [](std::int64_t order, std::int64_t nnz) {
    return two_levels_pay(order, order, nnz, tile, 132);
  };
  CHECK(pay(1 << 22, 67000000));
  CHECK_FALSE(pay(500000, 10000000));
  CHECK_FALSE(pay(1000, 67000000));     // the first split could do it alone
  CHECK_FALSE(pay(1 << 24, 67000000));  // buckets would be far too narrow for rows to fit
}

TEST_CASE("cuda_partition: two levels on a small matrix", "[transpose][cuda][small]") {
  require_device();
  check_levels(uniform(700, 900, 3000));
}

TEST_CASE("cuda_partition: two levels and one entry more or less than a tile",
          "[transpose][cuda]") {
  require_device();
  for (const std::size_t bytes : {4, 8}) {
    const int tile = DevicePartitionPolicy::small_threads * DevicePartitionPolicy::items(bytes);
    for (const int nnz : {1, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1}) {
      check_levels(uniform(700, 900, nnz));
      check_levels(uniform(1, 200000, nnz));  // all entries in one row
      check_levels(uniform(nnz, 1, nnz));     // and in one column
    }
  }
}

TEST_CASE("cuda_partition: two levels with rows in groups and columns in many buckets",
          "[transpose][cuda]") {
  require_device();
  check_levels(uniform(3000000, 1 << 20, 200000));
  check_levels(uniform(20, 4000000, 200000));
  check_levels(uniform(30000, 40000, 1500000));
}

TEST_CASE("cuda_partition: two levels with buckets of many tiles and bands and equal entries",
          "[transpose][cuda]") {
  require_device();
  std::vector<Entry> column, band, repeated;
  for (index_t i = 0; i < 400000; ++i) {
    column.emplace_back(i, 4000, 1.0 + i);
    if (i % 5 == 0) {
      column.emplace_back(i, 4001 + i % 1000, -1.0 - i);
    }
    band.emplace_back(i, i, 1.0 + i);
    if (i + 7 < 400000) {
      band.emplace_back(i, i + 7, -1.0 - i);
    }
  }
  // The check of the order fails, and the second sort gives the answer.
  for (index_t k = 0; k < 200000; ++k) {
    repeated.emplace_back(k / 50, (k / 2 % 25) * 300, 1.0 + k);
  }
  check_levels(matrix_from_entries("heavy_column", 400000, 10000, column));
  check_levels(matrix_from_entries("two_diagonals", 400000, 400000, band));
  check_levels(matrix_from_entries("each_entry_twice", 4000, 9000, repeated));
}

TEST_CASE("cuda_partition: one level suits local matrices whose buckets fit a tile",
          "[transpose][cuda]") {
  constexpr std::int64_t tile = 1024 * DevicePartitionPolicy::items(8), cols = 1 << 22;
  const auto least = [](std::int64_t nnz) {
    return least_local_run(choose_buckets(cols, nnz, tile, 132), nnz, tile);
  };
  CHECK(least(40000000) == LevelsPolicy::local_run);
  CHECK(least(100000000) > tile);
}

TEST_CASE("cuda_partition: one level or two, as the device finds out", "[transpose][cuda]") {
  require_device();
  const auto& algorithm = transposition("cuda_partition");
  const auto check_either = [&](const std::string& spec, double levels) {
    const Matrix matrix = generate(spec, 2);
    for (const char* value_type : {"fp64", "fp32", "pattern"}) {
      const TransposeProblem problem(matrix, storage(value_type, 32));
      const AnyCsr reference = problem.reference();
      for (const char* tile : {"small", "large"}) {  // only large tiles detect bands
        for (const char* ranks : {"addition", "vote"}) {
          const Params params{{"path", std::string("by_locality")},
                              {"tile", std::string(tile)},
                              {"ranks", std::string(ranks)},
                              {"launches", std::string("programmatic")}};
          CAPTURE(spec, value_type, tile, ranks);
          check_cell(algorithm, problem, reference, params);
          const auto run = algorithm.prepare(problem, params);
          for (int execution = 0; execution < 2; ++execution) {
            run->execute();
            const Measures measures = run->measures();
            const auto found = std::find_if(measures.begin(), measures.end(),
                                            [](const auto& m) { return m.first == "levels"; });
            REQUIRE(found != measures.end());
            CHECK(found->second == levels);
          }
        }
      }
    }
  };
  check_either("banded:rows=60000,diagonals=27", 1);
  check_either("fem:stencil=9,nx=150,ny=150,nz=1,dofs=3", 1);
  check_either(uniform(30000, 4000000, 400000), 2);
  check_either(uniform(9, 9, 70), 1);  // fewer entries than a sample
}
