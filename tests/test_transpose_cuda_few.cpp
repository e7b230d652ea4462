// cuda_partition on few entries, which a team of blocks sorts: numbers of entries around the
// limits.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/battery.hpp"
#include "support/device.hpp"
#include "support/selection.hpp"
#include "support/transpose_check.hpp"
#include "transpose/cuda_partition/few/policy.hpp"
#include "transpose/cuda_partition/policy.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

constexpr int most = DevicePartitionPolicy::largest_width;

void check(const std::string& spec) {
  check_spec(spec, {"cuda_partition"});
}

}  // namespace

TEST_CASE("CUDA transposition: the fewest entries of every kind", "[transpose][cuda][battery]") {
  require_device();
  std::vector<Entry> repeated, unsorted, column, row, corners;
  for (index_t k = 0; k < 4000; ++k) {
    repeated.emplace_back(k / 50, (k / 2 % 25) * 300, 1.0 + k);
    unsorted.emplace_back(k / 40, (k * 7919) % 9001, 1.0 + k);
    column.emplace_back(k, k % 3 == 0 ? k : 2000, 1.0 + k);
    row.emplace_back(k < 3900 ? 70 : k, k, 1.0 + k);
    corners.emplace_back(k < 2000 ? 0 : 999999, k % 3 == 0 ? 0 : 1499999, 1.0 + k);
  }
  const std::vector<Matrix> matrices{
      matrix_from_entries("each_entry_twice", 80, 9000, repeated),
      matrix_from_entries("unsorted_rows", 100, 9001, unsorted),
      matrix_from_entries("nearly_one_column", 4000, 4000, column),
      matrix_from_entries("nearly_one_row", 4000, 70000, row),
      matrix_from_entries("corners", 1000000, 1500000, corners),
      generate(uniform(4000, 1, 4000), 2),
      generate(uniform(1, 4000, 4000), 2),
      generate(uniform(4000000, 16, 3000), 2),  // nearly all rows empty
      generate(uniform(16, 4000000, 3000), 2),  // nearly all columns empty
      generate(uniform(50, 8000000, 700), 2)};
  for (const Matrix& matrix : matrices) {
    check_all(matrix, {"cuda_partition"});
  }
}

TEST_CASE("cuda_partition: teams hold all entries within their limits", "[transpose][cuda]") {
  constexpr std::size_t shared_bytes_of_block = 227 << 10;
  for (const std::int64_t multiprocessors : {16, 108, 132}) {
    for (const std::int64_t cols : {1, 2, 32, 33, 1024, 1025, 65536, 65537, 4194304, most * most}) {
      for (std::int64_t nnz = 1; team_pays(1, cols, nnz, multiprocessors); nnz += 1 + nnz / 7) {
        const TeamShape team = choose_team(cols, nnz, multiprocessors);
        CAPTURE(multiprocessors, cols, nnz, team.blocks, team.threads, team.items, team.digit_bits);
        REQUIRE(team.blocks <= multiprocessors);
        REQUIRE(team.threads >= 128);
        REQUIRE(team.threads <= TeamPolicy::most_threads);
        REQUIRE((team.threads & (team.threads - 1)) == 0);
        REQUIRE(team.items <= TeamPolicy::most_items);
        REQUIRE(std::int64_t{team.blocks} * team.threads * team.items >= nnz);
        REQUIRE(team.shared_bytes(8) <= shared_bytes_of_block);
        REQUIRE(cols <= std::int64_t{1} << team.column_bits);
        REQUIRE(team.shift(0) == 0);
        REQUIRE(team.shift(team.passes - 1) + team.digit_bits >= team.column_bits);
        for (int pass = 1; pass < team.passes; ++pass) {
          REQUIRE(team.shift(pass) <= team.shift(pass - 1) + team.digit_bits);
        }
      }
    }
  }
}

TEST_CASE("CUDA transposition: teams of every kind", "[transpose][cuda][battery]") {
  require_device();
  const int fewer = brief() ? 4 : 1;
  std::vector<Entry> repeated, unsorted, column, row;
  for (index_t k = 0; k < 45000 / fewer; ++k) {
    repeated.emplace_back(k / 50, (k / 2 % 25) * 300, 1.0 + k);
    unsorted.emplace_back(k / 40, k * 7919 % 9001, 1.0 + k);
    column.emplace_back(k, k % 3 == 0 ? k : 4000, 1.0 + k);
    row.emplace_back(k < 40000 / fewer ? 70 : k, k, 1.0 + k);
  }
  const std::vector<Matrix> matrices{
      matrix_from_entries("each_entry_twice_in_a_team", 900, 9000, repeated),
      matrix_from_entries("unsorted_rows_in_a_team", 1125, 9001, unsorted),
      matrix_from_entries("column_of_a_team", 45000, 45000, column),
      matrix_from_entries("row_of_a_team", 45000, 70000, row),
      generate(uniform(5000, 70000, 40000 / fewer), 2),
      generate(uniform(3000, 1024, 50000 / fewer), 2),
      generate(uniform(3000, 1025, 50000 / fewer), 2),
      generate(uniform(70, 1024, 40000 / fewer), 2),
      generate(uniform(50, 3000000, 40000 / fewer), 2),  // nearly all pointers between two entries
      generate(uniform(3000000, 50, 40000 / fewer), 2),  // nearly all rows empty
      generate(uniform(70, 5000000, 40000 / fewer), 2),  // three digits
      generate(uniform(90000, 70000, 140000 / fewer), 2)};
  for (const Matrix& matrix : matrices) {
    check_all(matrix, {"cuda_partition"});
  }
}

TEST_CASE("CUDA transposition: small teams", "[transpose][cuda][small]") {
  require_device();
  check(uniform(50, 70, 40));
  check(uniform(900, 70000, 3000));
}

TEST_CASE("CUDA transposition: one entry more or less than a team takes", "[transpose][cuda]") {
  require_device();
  const std::int64_t multiprocessors = gpu_info()->multiprocessors;
  for (const std::int64_t cols : {700, 5000, 70000}) {
    const std::int64_t least = 1;
    TeamShape before = choose_team(cols, least, multiprocessors);
    for (std::int64_t nnz = least + 1; team_pays(9000, cols, nnz, multiprocessors); ++nnz) {
      const TeamShape team = choose_team(cols, nnz, multiprocessors);
      const bool as_before = team.threads == before.threads && team.items == before.items;
      for (std::int64_t count = nnz - 1; !as_before && count <= nnz + 1; ++count) {
        check(uniform(9000, cols, count));
      }
      before = team;
    }
  }
  constexpr std::int64_t many = TeamPolicy::many;
  for (const std::int64_t more : {-1, 0, 1}) {
    const std::int64_t most_entries = multiprocessors * TeamPolicy::entries_each + more;
    check(uniform(9000, 70000, most_entries));
    const std::int64_t most_of_all = multiprocessors * TeamPolicy::most_entries_each + more;
    check(uniform(9000, many, most_of_all));
    check(uniform(9000, TeamPolicy::few_columns, most_of_all));
    check(uniform(9000, TeamPolicy::few_columns + 1, most_entries));
    check(uniform(many + more, 50, 40000));
  }
}
