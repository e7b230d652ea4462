// cuda_partition on narrow bands, which it sorts in one pass, and on matrices that nearly are
// bands.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/selection.hpp"
#include "support/transpose_check.hpp"
#include "transpose/cuda_partition/band/policy.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

constexpr int threads = DevicePartitionPolicy::large_threads;
constexpr std::int64_t least_tile = std::int64_t{threads} * DevicePartitionPolicy::items(8);

BandShape shape_of(std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
  return choose_band(rows, cols, nnz, least_tile, 8);
}

/// Compares every storage type (in a brief run every second one), with large tiles, with the
/// reference, and checks that the transposition takes one pass if `one_pass`.
void check_band(const Matrix& matrix, bool one_pass,
                const std::vector<std::string>& value_types = {"fp64", "fp32", "pattern"}) {
  const auto& algorithm = transposition("cuda_partition");
  std::size_t types = 0;
  for (const std::string& value_type : value_types) {
    for (const std::int64_t bits : {32, 64}) {
      if (types++ % 4 % 3 != 0 && brief()) {
        continue;
      }
      const TransposeProblem problem(matrix, storage(value_type, bits));
      const AnyCsr reference = problem.reference();
      for (const char* ranks : {"addition", "vote"}) {
        if (!next_cell_in_part()) {
          continue;
        }
        Params params = cells(algorithm).front();
        params.set("tile", "large");
        params.set("ranks", ranks);
        CAPTURE(value_type, bits, matrix.name, ranks);
        const auto run = algorithm.prepare(problem, params);
        check_executions(*run, problem, reference);
        const Measures measures = run->measures();
        const std::int64_t mean = BandPolicy::least_mean(value_type == "fp64" ? 8 : 4);
        const bool enough = matrix.csr.nnz() >= mean * matrix.csr.rows;
        const Measures::value_type expected{"band", one_pass && enough ? 1.0 : 0.0};
        CHECK(std::count(measures.begin(), measures.end(), expected) == 1);
      }
    }
  }
}

void check_spec_band(const std::string& spec, bool one_pass) {
  Matrix matrix = generate(spec, 2);
  matrix.name = spec;
  check_band(matrix, one_pass);
}

/// Entries of a band with `side` diagonals on each side of the main one.
std::vector<Entry> band(index_t rows, index_t cols, index_t side) {
  std::vector<Entry> entries;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = std::max(i - side, index_t{0}); j <= std::min(i + side, cols - 1); ++j) {
      entries.emplace_back(i, j, 1.0 + i - 2.0 * j);
    }
  }
  return entries;
}

}  // namespace

TEST_CASE("cuda_partition: a narrow band's reach touches two buckets at most",
          "[transpose][cuda]") {
  for (const std::int64_t rows : {1, 1000, 1000000, 100000000}) {
    for (const std::int64_t each : {1, 3, 9, 27, 81, 1000}) {
      const BandShape shape = shape_of(rows, rows, rows * each);
      CAPTURE(rows, each, shape.buckets.count, shape.buckets.width, shape.reach);
      CHECK((shape.buckets.count == 0) == (each > 27));
      if (shape.buckets.count > 0) {
        CHECK(shape.reach >= std::uint32_t{BandPolicy::least_reach});
        CHECK(2 * shape.reach <= shape.buckets.width);
        CHECK(std::int64_t{shape.buckets.width + 2 * shape.reach} * each <= least_tile);
        CHECK(std::int64_t{shape.buckets.count} * shape.buckets.width >= rows);
      }
    }
  }
}

TEST_CASE("CUDA transposition: narrow bands", "[transpose][cuda][battery]") {
  require_device();
  const auto banded = [](int rows, const std::string& more) {
    return "banded:rows=" + std::to_string(rows) + more;
  };
  const int fewer = brief() ? 8 : 1;
  check_spec_band(banded(9000, ",diagonals=1,half_bandwidth=0,fill=1"), true);
  check_spec_band(banded(9000, ",diagonals=3,half_bandwidth=0,fill=1"), true);
  check_spec_band(banded(30011 / fewer, ",diagonals=9,half_bandwidth=60,fill=0.7"), true);
  check_spec_band(banded(20000 / fewer, ",diagonals=27,half_bandwidth=0,fill=1"), true);
  check_spec_band(banded(20000 / fewer, ",diagonals=41,half_bandwidth=0,fill=1"), false);
  check_spec_band(banded(20000 / fewer, ",diagonals=5,half_bandwidth=2000,fill=1"), false);
  check_spec_band("fem:stencil=5,nx=20,ny=900,nz=1,dofs=1", true);
}

TEST_CASE("CUDA transposition: a small band", "[transpose][cuda][small]") {
  require_device();
  check_band(matrix_from_entries("small_band", 3000, 3000, band(3000, 3000, 2)), true, {"fp64"});
}

TEST_CASE("CUDA transposition: bands with empty ends, of few rows or columns",
          "[transpose][cuda][battery]") {
  require_device();
  auto entries = band(7000, 7000, 2);
  check_band(matrix_from_entries("empty_rows_at_end", 7050, 7000, entries), true);
  check_band(matrix_from_entries("many_empty_rows_at_end", 9000, 7000, entries), false);
  check_band(matrix_from_entries("empty_columns_at_end", 7000, 9000, entries), true);
  entries.erase(entries.begin(), entries.begin() + 300);
  check_band(matrix_from_entries("empty_rows_at_begin", 7000, 7000, entries), true);
  check_band(matrix_from_entries("one_row", 1, 3, {{0, 0, 1.0}, {0, 2, 2.0}}), true);
  check_band(matrix_from_entries("one_entry", 600, 600, {{599, 599, 3.0}}), true);
}

TEST_CASE("CUDA transposition: one column at a band's reach and beyond",
          "[transpose][cuda][battery]") {
  require_device();
  const index_t n = 20000;
  const auto entries = band(n, n, 1);
  const index_t reach = static_cast<index_t>(shape_of(n, n, entries.size() + 1).reach);
  for (const index_t row : {10001, 10016, 10031}) {
    for (const index_t beyond : {-BandPolicy::rows_at_once, 1}) {
      for (const index_t side : {-1, 1}) {
        // Not the last entry of the row, so that the ends of the row do not reveal it.
        auto more = entries;
        const auto at = std::find_if(more.begin(), more.end(),
                                     [&](const Entry& e) { return std::get<0>(e) == row; });
        more.emplace(at + 1, row, row + side * (reach + beyond), 5.0);
        check_band(matrix_from_entries("column_" + std::to_string(beyond) + "_beyond", n, n, more),
                   beyond < 0, {"fp64"});  // the others' tiles, and so their reach, are larger
      }
    }
  }
}

TEST_CASE("CUDA transposition: bands with repeated entries and crowded rows",
          "[transpose][cuda][battery]") {
  require_device();
  std::vector<Entry> repeated;
  for (const auto& [i, j, value] : band(8000, 8000, 1)) {
    repeated.emplace_back(i, j, value);
    repeated.emplace_back(i, j, value + 0.5);
  }
  check_band(matrix_from_entries("each_entry_twice", 8000, 8000, repeated), true);
  auto crowded = band(40000, 40000, 1);
  const auto dense = band(400, 400, 40);  // more than a tile in the rows of one bucket
  crowded.erase(std::remove_if(crowded.begin(), crowded.end(),
                               [](const Entry& e) { return std::get<0>(e) < 400; }),
                crowded.end());
  crowded.insert(crowded.begin(), dense.begin(), dense.end());
  check_band(matrix_from_entries("crowded_rows", 40000, 40000, crowded), false);
}
