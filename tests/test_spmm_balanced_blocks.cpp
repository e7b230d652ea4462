// Which long rows of cuda_csr_balanced a block takes, are cut, or go side by side: host code, at
// its thresholds.
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

TEST_CASE("few long rows go by blocks, but in a dense matrix only with few columns") {
  RowStatistics statistics{};
  const auto blocks = [&](std::int64_t rows, std::int64_t mean, std::int64_t k,
                          std::int64_t cols = 1'000'000, std::size_t bytes = 8,
                          std::int64_t longest_in_means = 2) {
    statistics.longest = static_cast<unsigned long long>(longest_in_means * mean);
    return choose_plan(statistics, rows, cols, k, bytes, 256, false, rows * mean).order ==
           RowOrder::blocks;
  };
  for (const std::int64_t k : {1, 2, 3, 4, 5, 7, 8, 9, 16, 24, 31, 64, 65, 100, 256}) {
    INFO("k = " << k);
    CHECK(blocks(200, 60, k));
    CHECK_FALSE(blocks(199, 60, k));
    CHECK_FALSE(blocks(200, 59, k));
    CHECK(blocks(1055, 60, k));
    CHECK(blocks(1056, 100, k));
    CHECK(blocks(1056, 99, k) == (k == 3));
    CHECK(blocks(3168, 100, k));
    CHECK(blocks(3169, 120, k) == (k == 3 || k == 5 || k == 7));
    CHECK(blocks(3169, 120, k, 3800) == (k == 3));  // dense
    CHECK(blocks(1056, 120, k, 1'000'000, 8, 4));
    CHECK_FALSE(blocks(1056, 120, k, 1'000'000, 8, 5));
    CHECK(blocks(200, 60, k, 1'000'000, 8, 3) == (k <= 20));
    CHECK(blocks(200, 60, k, 1'000'000, 8, 6) == (k <= 20));
    CHECK_FALSE(blocks(200, 60, k, 1'000'000, 8, 7));
    CHECK_FALSE(blocks(200, 120, k, 1'000'000, 2));
    CHECK(blocks(1055, 120, k, 1000));
    CHECK(blocks(1056, 120, k, 959) == (k <= 16));
    CHECK(blocks(2111, 120, k, 960));
    CHECK(blocks(2112, 120, k, 960) == (k <= 16));
    CHECK(blocks(2112, 120, k, 120 * 32));
  }
  CHECK_FALSE(blocks(3169, 120, 5, 1'000'000, 4));
  CHECK(blocks(3169, 100, 5));
  CHECK_FALSE(blocks(3169, 99, 5));
  CHECK(blocks(1056, 80, 3));
  CHECK_FALSE(blocks(1056, 79, 3));
  CHECK(blocks(1000, 1000, 1, 1'000'000, 4));
  CHECK(blocks(1056, 128, 24, 1000, 4));
  CHECK_FALSE(blocks(1056, 128, 32, 1000, 4));
}

TEST_CASE("many long rows far from the diagonal go by blocks") {
  RowStatistics statistics{};
  statistics.sampled_entries = 100;
  statistics.longest = 200;
  const auto blocks = [&](std::int64_t rows, std::int64_t mean, std::int64_t k) {
    return choose_plan(statistics, rows, 1'000'000, k, 8, 256, false, rows * mean).order ==
           RowOrder::blocks;
  };
  for (const std::int64_t k : {4, 8, 16}) {
    INFO("k = " << k);
    CHECK(blocks(6000, 150, k));
    CHECK_FALSE(blocks(5999, 150, k));
    CHECK_FALSE(blocks(6000, 149, k));
  }
  CHECK(blocks(6000, 150, 17));
  CHECK(blocks(6000, 150, 31));
  CHECK_FALSE(blocks(6000, 150, 33));
  CHECK_FALSE(blocks(8000, 150, 1));
  CHECK_FALSE(blocks(8000, 150, 2));
  CHECK_FALSE(blocks(8000, 150, 18));
  CHECK(blocks(3169, 120, 3));
  CHECK_FALSE(blocks(3169, 119, 3));
  statistics.near.entries = 60;
  CHECK(blocks(8000, 150, 3));
  CHECK_FALSE(blocks(8000, 150, 8));
}

TEST_CASE(
    "even long rows far from the diagonal go packed where all of them are under way at once") {
  RowStatistics statistics{};
  statistics.sampled_entries = 100;
  const auto packed = [&](std::int64_t rows, std::int64_t mean, std::int64_t k, std::int64_t cols,
                          std::size_t bytes = 8) {
    statistics.longest = static_cast<unsigned long long>(2 * mean);
    statistics.short_entries = statistics.padded_entries =
        static_cast<unsigned long long>(rows * mean);
    return choose_plan(statistics, rows, cols, k, bytes, 1 << 30, false, rows * mean).order ==
           RowOrder::packed;
  };
  for (const std::int64_t k : {12, 16, 24, 32}) {
    INFO("k = " << k);
    CHECK(packed(20'000, 500, k, 1'000'000));
    CHECK(packed(20'000, 64, k, 1'000'000));
    CHECK_FALSE(packed(20'000, 63, k, 1'000'000));
    CHECK(packed(20'000, 500, 2 * k, 1'000'000, 4));
    const std::int64_t lanes = k / 2;
    CHECK(packed(100'000 / lanes + 1, 500, k, 1'000'000));
    CHECK_FALSE(packed(100'000 / lanes - 1, 500, k, 1'000'000));
    CHECK(packed(20'000, 500, k, 45'000'000 / (8 * k) + 1));
    CHECK_FALSE(packed(20'000, 500, k, 45'000'000 / (8 * k) - 1));
  }
  for (const std::int64_t k : {10, 13, 15, 34, 64}) {
    INFO("k = " << k);
    CHECK_FALSE(packed(20'000, 500, k, 5'000'000));
  }
  statistics.segments = 1;
  CHECK_FALSE(packed(20'000, 500, 16, 1'000'000));
  statistics.segments = 0;
  statistics.near.entries = 60;
  CHECK_FALSE(packed(20'000, 500, 16, 1'000'000));
}

TEST_CASE("paths that count on with 32-bit row pointers leave larger matrices to others") {
  RowStatistics statistics{};
  statistics.sampled_entries = 100;
  const auto order = [&](std::int64_t rows, std::int64_t nnz, std::int64_t k) {
    statistics.short_entries = statistics.padded_entries = static_cast<unsigned long long>(nnz);
    statistics.longest = static_cast<unsigned long long>(2 * nnz / rows);
    return choose_plan(statistics, rows, 100'000'000, k, 8, 1 << 30, false, nnz).order;
  };
  CHECK(order(2000, most_uncut, 8) == RowOrder::blocks);
  CHECK(order(2000, std::int64_t{most_uncut} + 1, 8) != RowOrder::blocks);
  CHECK(order(100'000'000, most_counted, 8) == RowOrder::staged);
  CHECK(order(100'000'000, std::int64_t{most_counted} + 1, 8) == RowOrder::packed);
  statistics.segments = 1;
  CHECK(order(100'000'000, most_counted, 1) == RowOrder::flat);
  CHECK(order(100'000'000, std::int64_t{most_counted} + 1, 1) == RowOrder::natural);
  CHECK(may_go_by_shares(most_counted, 8, 8));
  CHECK_FALSE(may_go_by_shares(std::int64_t{most_counted} + 1, 8, 8));
}

TEST_CASE("rows are not cut when the longest is short enough") {
  CHECK(uncut_entries(1) == 1024);
  CHECK(uncut_entries(2) == 1024);
  CHECK(uncut_entries(3) == 256);
  CHECK(uncut_entries(64) == 32);
}

TEST_CASE("threads and teams of path blocks") {
  for (const int width : {1, 2, 4}) {
    for (const std::int64_t vectors : {1, 2, 3, 12, 31, 32, 33, 65, 100}) {
      for (const std::int64_t rows : {1, 198, 199, 396, 397, 792, 3168, 1'000'000}) {
        const RowBlock block = row_block(rows, vectors * width, width);
        const std::int64_t column_blocks = ceil_div<std::int64_t>(vectors, block.lanes);
        INFO(rows << " rows, " << vectors << " loads of " << width);
        CHECK(block.lanes <= 32);
        CHECK(column_blocks == ceil_div<std::int64_t>(vectors, 32));
        CHECK((block.threads >= 64 && block.threads <= 512));
        const std::int64_t threads = rows * column_blocks * block.threads;
        CHECK((block.threads == 64 || threads <= BalancedPolicy::device_row_threads));
        CHECK((block.threads == 512 || 2 * threads > BalancedPolicy::device_row_threads));
        const unsigned inverse = ceil_div(65536U, block.lanes);
        for (unsigned t = 0; t < block.threads; ++t) {
          REQUIRE((t * inverse >> 16) == t / block.lanes);
        }
      }
    }
  }
}
