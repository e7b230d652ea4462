// CUDA transposition beyond the battery: the division of columns among buckets, numbers of entries
// around the size of a tile, rows in groups, buckets larger than a tile, and refusals.
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

TEST_CASE("cuda_partition: a column's bucket is the exact quotient", "[transpose][cuda]") {
  for (std::uint32_t width = 1; width <= most; ++width) {
    const std::uint32_t cols = std::min<std::uint32_t>(most * width, 1U << 24);
    const ColumnBuckets buckets(cols, width);
    REQUIRE(buckets.width == width);
    if (width == 1) {
      REQUIRE(buckets.low_bits == 0);
    } else {
      const std::uint32_t numbers = width + DevicePartitionPolicy::absent_columns;
      REQUIRE(numbers <= 1U << buckets.low_bits);
      REQUIRE(numbers > 1U << (buckets.low_bits - 1));
    }
    for (std::uint32_t begin = 0; begin < cols; begin += width) {
      for (const std::uint32_t c : {begin, begin + width - 1}) {
        const auto high = static_cast<std::uint32_t>(
            (std::uint64_t{2 * c} * std::uint64_t{buckets.multiplier}) >> 32);
        if (high >> buckets.shift != c / width) {
          FAIL("column " << c << ", width " << width);
        }
      }
    }
  }
}

TEST_CASE("cuda_partition: buckets cover the columns within the limits", "[transpose][cuda]") {
  for (const std::int64_t cols : {1, 7, most, most + 1, 100000, 4194304, most * most}) {
    for (const std::int64_t nnz : {1LL, 1000LL, 10000000LL, 4000000000LL}) {
      for (const std::int64_t blocks : {1, 108, 132}) {
        for (const int threads :
             {DevicePartitionPolicy::small_threads, DevicePartitionPolicy::large_threads}) {
          const ColumnBuckets buckets =
              choose_buckets(cols, nnz, threads * DevicePartitionPolicy::items(8), blocks);
          CAPTURE(cols, nnz, blocks, buckets.count, buckets.width);
          CHECK(buckets.count <= DevicePartitionPolicy::most_buckets);
          CHECK(buckets.width <= most);
          CHECK(std::int64_t{buckets.count} * buckets.width >= cols);
          CHECK(std::int64_t{buckets.count - 1} * buckets.width < cols);
        }
      }
    }
  }
}

TEST_CASE("cuda_partition: buckets of very many entries are full, or several tiles each",
          "[transpose][cuda]") {
  constexpr std::int64_t tile =
      std::int64_t{DevicePartitionPolicy::large_threads} * DevicePartitionPolicy::items(8);
  const auto entries = [](std::int64_t cols, std::int64_t nnz) {
    return nnz / choose_buckets(cols, nnz, tile, 132).count;
  };
  CHECK(entries(4194304, 65000000) < tile);       // 4884 buckets
  CHECK(entries(1000000, 50000000) < tile);       // 3828
  CHECK(entries(1000000, 100000000) > 5 * tile);  // 1188
  CHECK(entries(8388608, 134000000) > 2 * tile);  // 3564
  CHECK(entries(100000, 100000000) > 6 * tile);   // 1056: the least waves
}

TEST_CASE("cuda_partition: counts of the chunks' columns take 3 bytes an entry at most",
          "[transpose][cuda]") {
  for (const int threads :
       {DevicePartitionPolicy::small_threads, DevicePartitionPolicy::large_threads}) {
    for (const std::size_t bytes : {0, 4, 8}) {
      const std::int64_t tile = threads * DevicePartitionPolicy::items(bytes);
      for (std::int64_t width = 1; width <= most; ++width) {
        // Buckets that have chunks exceed a tile, so there are at most two chunks for the entries
        // of one full chunk.
        REQUIRE(2 * width * 4 <= 3 * chunk_entries(tile, width));
        REQUIRE(chunk_entries(tile, width) <= 2 * tile);
      }
    }
  }
}

TEST_CASE("CUDA transposition: what cannot run is refused", "[transpose][cuda]") {
  // On an H200: 132 multiprocessors, 227 KiB of shared memory for a block.
  const auto refusal = [](std::int64_t cols, std::int64_t nnz, std::int64_t shared_bytes,
                          const partition::Options& options = {}) {
    return partition::limit_refusal(cols, nnz, 8, options, 132, shared_bytes);
  };
  constexpr std::int64_t shared = 227 * 1024;
  CHECK(refusal(most * most, 0, shared).empty());
  CHECK(refusal(most * most + 1, 0, shared) == std::to_string(most * most + 1) +
                                                   " columns; two passes divide at most " +
                                                   std::to_string(most * most));
  CHECK(refusal(10, partition::most_entries, shared).empty());
  CHECK(refusal(10, partition::most_entries + 1, shared) ==
        "4227858433 entries; places are 32-bit numbers, at most 4227858432");
  CHECK(refusal(10, 132 * 4096, shared, {.path = partition::Path::team}).empty());
  CHECK(refusal(10, 132 * 4096 + 1, shared, {.path = partition::Path::team}) ==
        "540673 entries; a team sorts at most 540672 on this device");
  CHECK(refusal(10, 10, 48 * 1024).find("bytes of shared memory; a block has 49152") !=
        std::string::npos);
  Matrix wide;
  wide.csr = Csr<std::int64_t, double>(1, 10, 0);
  wide.csr.row_ptr = {0, 0};
  CHECK(transposition("cusparse_csr2csc")
            .refusal(TransposeProblem(wide, storage("pattern", 64)), {}) ==
        "cuSPARSE's csr2csc takes 32-bit row pointers only");
}

TEST_CASE("cuda_partition: large tiles for many entries in full buckets", "[transpose][cuda]") {
  constexpr std::int64_t blocks = 132;
  const auto tile = [](std::size_t bytes) {
    return std::int64_t{DevicePartitionPolicy::large_threads} * DevicePartitionPolicy::items(bytes);
  };
  const auto pay = [&](std::int64_t cols, std::int64_t nnz, std::size_t bytes) {
    return large_tiles_pay(choose_buckets(cols, nnz, tile(bytes), blocks), nnz, bytes, blocks);
  };
  for (const std::size_t bytes : {0, 4, 8}) {
    const std::int64_t enough = DevicePartitionPolicy::large_waves * blocks * tile(bytes);
    CHECK(pay(500000, enough, bytes));
    CHECK_FALSE(pay(500000, enough - 1, bytes));
    CHECK_FALSE(pay(11000000, enough, bytes));  // so many columns that buckets are half empty
  }
  // The widest buckets, three quarters full in fp64, less in fp32.
  CHECK(pay(4000000, 10000000, 8));
  CHECK_FALSE(pay(4000000, 10000000, 4));
}

TEST_CASE("cuda_partition: few tiles for what one wave of them holds", "[transpose][cuda]") {
  using Policy = DevicePartitionPolicy;
  constexpr std::int64_t multiprocessors = 132, blocks = 264;
  int before = 0;
  for (const int items : Policy::few_items) {
    const std::int64_t tile = std::int64_t{Policy::small_threads} * items;
    const std::int64_t most_entries = Policy::few_fill * blocks * tile / 100;
    const auto buckets = [&](std::int64_t cols, std::int64_t nnz) {
      return choose_buckets(cols, nnz, tile, blocks, Policy::few_fill);
    };
    const auto pay = [&](std::int64_t cols, std::int64_t nnz) {
      return few_tiles_pay(buckets(cols, nnz), nnz, multiprocessors, items);
    };
    CHECK(pay(100000, most_entries));
    CHECK_FALSE(pay(100000, most_entries + 1));
    CHECK(buckets(1000000, most_entries).count == blocks);  // a single wave
    CHECK(buckets(900, most_entries / 8).count == 100);     // not narrow
    CHECK_FALSE(pay(8, most_entries / 8));
    CHECK(std::int64_t{buckets(4000000, most_entries).count} == ceil_div(4000000, most));
    const std::int64_t widest = std::min(tile, std::int64_t{most});
    CHECK(pay(blocks * widest, most_entries));
    CHECK(pay(blocks * widest + 1, most_entries) == (tile >= most));  // wider than a tile
    CHECK(before < items);
    before = items;
  }
  CHECK(before < Policy::items(8));
}

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
