// The policy of CUDA transposition, which needs no device: the division of columns among buckets,
// the size of tiles, and what is refused.
#include <algorithm>
#include <cstdint>
#include <string>

#include "support/catch.hpp"
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
    return partition::limit_refusal(10, cols, nnz, 8, options, 132, shared_bytes);
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
  CHECK(refusal(10, 10, shared, {.path = partition::Path::symmetric}).empty());
  CHECK(refusal(11, 10, shared, {.path = partition::Path::symmetric}) ==
        "path symmetric is for square matrices; this one is 10 x 11");
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
