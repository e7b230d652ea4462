// CUDA transposition on the battery, and beyond it: numbers of entries around the size of a tile,
// rows in groups, buckets larger than a tile.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/device_info.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/selection.hpp"
#include "support/transpose_check.hpp"
#include "transpose/cuda_partition/limits.hpp"
#include "transpose/cuda_partition/policy.hpp"
#include "transpose/transpose.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

constexpr int most = DevicePartitionPolicy::largest_width;

}  // namespace

TEST_CASE("CUDA transposition: the battery", "[transpose][cuda][battery]") {
  require_device();
  for (const auto& [name, matrix, graph] : battery()) {
    check_all(matrix);
  }
}

TEST_CASE("CUDA transposition: every parameter on a small matrix", "[transpose][cuda][small]") {
  require_device();
  check_spec(uniform(300, 200, 4000));
}

TEST_CASE("CUDA transposition: one entry more or less than a tile", "[transpose][cuda]") {
  require_device();
  for (const std::size_t bytes : {4, 8}) {
    const int tile = DevicePartitionPolicy::small_threads * DevicePartitionPolicy::items(bytes);
    for (const int nnz : {tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1}) {
      check_spec(uniform(700, 900, nnz), {"cuda_partition"});
      check_spec(uniform(1000, 5000, nnz), {"cuda_partition"});
      check_spec(uniform(1, 1000000, nnz), {"cuda_partition"});  // all entries in one row
      check_spec(uniform(nnz, 1, nnz), {"cuda_partition"});      // and in one column
    }
  }
}

TEST_CASE("CUDA transposition: every division of the columns", "[transpose][cuda]") {
  require_device();
  const auto check = [](const std::string& spec) { check_spec(spec, {"cuda_partition"}); };
  for (const int cols : {most - 1, most, most + 1, 100000, 1 << 20, most * most}) {
    check(uniform(5000, cols, 200000));
  }
  // Row and column together exceed 32 bits: rows are in groups, which divide tiles.
  check(uniform(3000000, 3000000, 300000));
  check(uniform(2000000, 20, 300000));
  check(uniform(20, 4000000, 200000));
}

TEST_CASE("CUDA transposition: wide buckets", "[transpose][cuda]") {
  require_device();
  const int blocks = gpu_info()->multiprocessors;  // each has a bucket of large tiles
  for (const int width : {2560, 2561, most}) {
    check_spec(uniform(2000, width * blocks, 100000), {"cuda_partition"});
  }
  check_spec(uniform(700000, most * blocks, 100000), {"cuda_partition"});  // rows in groups
  for (const std::size_t bytes : {4, 8}) {  // one bucket of a tile, the others are empty
    const int tile = DevicePartitionPolicy::large_threads * DevicePartitionPolicy::items(bytes);
    for (const int nnz : {tile - 1, tile, tile + 1, 2 * tile + 1}) {
      std::vector<Entry> entries;
      for (index_t k = 0; k < nnz; ++k) {
        entries.emplace_back(k / 16, (k / 16 * 7 + k % 16 * (most / 16)) % most, 1.0 + k);
      }
      check_all(matrix_from_entries("one_wide_bucket", nnz / 16 + 1, most * blocks, entries),
                {"cuda_partition"});
    }
  }
}

TEST_CASE("CUB's transposition: long rows and columns, long gaps between them",
          "[transpose][cuda]") {
  for (const char* payload : {"packed", "row_position"}) {
    const Matrix matrix = generate(uniform(3, 3, 4), 2);
    CHECK(transposition("cub_radix_sort")
              .refusal(TransposeProblem(matrix, storage("fp64", 32)), {{"payload", payload}})
              .empty());
    CHECK(transposition("cub_radix_sort")
              .refusal(TransposeProblem(matrix, storage("fp32", 32)), {{"payload", payload}}) ==
          std::string("payload ") + payload + " is for fp64; fused is as small without it");
  }
  require_device();
  const auto check = [](const std::string& spec) {
    check_spec(spec, {"cub_radix_sort", "cusparse_csr2csc", "cusparse_spmat_convert"});
  };
  check(uniform(1, 1000000, 70000));   // one row
  check(uniform(1000000, 1, 70000));   // one column
  check(uniform(2000000, 20, 30000));  // most rows are empty
  check(uniform(20, 2000000, 30000));  // most columns are empty
  check_all(matrix_from_entries(
                "corners", 1500000, 1500000,
                {{0, 0, 1.0}, {0, 1499999, 2.0}, {1499999, 0, 3.0}, {1499999, 1499999, 4.0}}),
            {"cub_radix_sort", "cusparse_csr2csc", "cusparse_spmat_convert"});
}

TEST_CASE("CUDA transposition: several tiles for each block", "[transpose][cuda]") {
  require_device();
  check_spec(uniform(30000, 40000, 2300000), {"cuda_partition"});
}

TEST_CASE("CUDA transposition: few tiles", "[transpose][cuda]") {
  require_device();
  using Policy = DevicePartitionPolicy;
  const std::int64_t threads = gpu_info()->multiprocessors * std::int64_t{Policy::block_threads};
  for (const int items : Policy::few_items) {
    for (const std::int64_t more : {0, 1}) {
      const std::int64_t nnz = Policy::few_fill * threads * items / 100 + more;
      check_spec(uniform(60000, 70000, nnz), {"cuda_partition"});
    }
  }
  // A bucket beyond a tile; one that has whole tiles of the split; more chunks than blocks; entries
  // twice.
  std::vector<Entry> column, stretch, chunks, repeated;
  for (index_t k = 0; k < 400000; ++k) {
    column.emplace_back(k / 4, k % 4 == 0 ? 5000 : (k * 7919LL) % 20000, 1.0 + k);
    stretch.emplace_back(k / 40, (k * 7919LL) % (k / 40 % 5000 < 2000 ? 60 : 20000), 1.0 + k);
    chunks.emplace_back(k / 40, (k * 7919LL) % 2000, 1.0 + k);
    repeated.emplace_back(k / 40, (k / 2 * 7919LL) % 20000, 1.0 + k);
  }
  check_all(matrix_from_entries("few_and_a_column", 100000, 20000, column), {"cuda_partition"});
  check_all(matrix_from_entries("few_and_a_stretch", 10000, 20000, stretch), {"cuda_partition"});
  check_all(matrix_from_entries("few_in_chunks", 10000, 20000, chunks), {"cuda_partition"});
  check_all(matrix_from_entries("few_twice", 10000, 20000, repeated), {"cuda_partition"});
  for (const index_t cols : {700000, 1000000}) {  // buckets wider than the fewest tiles
    std::vector<Entry> wide;
    for (index_t k = 0; k < 400000; ++k) {
      wide.emplace_back(k / 8, k % 8 == 0 ? 5000 : (k * 7919LL) % cols, 1.0 + k);
    }
    check_all(matrix_from_entries("few_in_wide_buckets", 50000, cols, wide), {"cuda_partition"});
  }
}

TEST_CASE("CUDA transposition: buckets of many tiles", "[transpose][cuda]") {
  require_device();
  std::vector<Entry> column, repeated;
  for (index_t i = 0; i < 1000000; ++i) {
    column.emplace_back(i, 4000, 1.0 + i);
    if (i % 5 == 0) {
      column.emplace_back(i, 4001 + i % 1000, -1.0 - i);
    }
  }
  check_all(matrix_from_entries("column_of_a_million", 1000000, 10000, column));
  // With rows in groups, without and with equal rows.
  for (const bool twice : {false, true}) {
    std::vector<Entry> far;
    for (index_t i = 0; i < 100000; ++i) {
      far.emplace_back(30 * i, 1500000, 1.0 + i);
      if (i % 3 == 0) {
        far.emplace_back(30 * i, 1500001 + i % 2000, -1.0 - i);
      }
      if (twice && i % 1000 == 0) {
        far.emplace_back(30 * i, 2500000, 2.0 + i);
        far.emplace_back(30 * i, 2500000, -2.0 - i);
      }
    }
    check_all(matrix_from_entries("column_in_groups", 3000000, 3000000, far), {"cuda_partition"});
  }
  // With equal rows in a column the check of the order fails, and the second sort gives the answer.
  for (index_t k = 0; k < 200000; ++k) {
    repeated.emplace_back(k / 50, (k / 2 % 25) * 300, 1.0 + k);
  }
  check_all(matrix_from_entries("each_entry_twice", 4000, 9000, repeated));
  check_all(matrix_from_entries("each_entry_twice_few_columns", 4000, 7300 - 99, [&] {
    auto entries = repeated;
    for (auto& [i, j, value] : entries) {
      j /= 300;
    }
    return entries;
  }()));
}
