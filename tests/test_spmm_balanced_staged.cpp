// When cuda_csr_balanced copies entries to shared memory, by rows or by equal shares of them: host
// code, at its thresholds.
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

TEST_CASE("several columns: uneven rows of many entries go in equal shares") {
  RowStatistics uneven{};
  uneven.padded_entries = 70'000'000;
  uneven.longest = 100;
  const auto order = [&](std::int64_t entries, std::int64_t k, bool few = false) {
    uneven.short_entries = uneven.looked_entries = static_cast<unsigned long long>(entries);
    return choose_plan(uneven, 1'000'000, 1'000'000, k, 8, 256, few).order;
  };
  constexpr std::int64_t least = BalancedPolicy::least_shares;
  for (const std::int64_t k : {3, 5, 6, 7, 8, 9, 10, 12, 16, 18, 20}) {
    INFO("k = " << k);
    const std::int64_t of_k = k == 3 || k == 5 ? 100'000 : k == 9 ? 530'000 : least;
    CHECK(order(of_k, k) == RowOrder::flat);
    CHECK(order(of_k - 1, k) == RowOrder::binned);
    CHECK(order(of_k, k, true) == RowOrder::binned);
  }
  for (const std::int64_t k : {2, 4, 11, 13, 15, 22, 24, 32}) {
    INFO("k = " << k);
    CHECK(order(least, k) == RowOrder::binned);
  }
  const auto in_fp32 = [&](std::int64_t k, std::size_t bytes) {
    return choose_plan(uneven, 1'000'000, 1'000'000, k, bytes).order;
  };
  CHECK(in_fp32(16, 4) == RowOrder::flat);
  CHECK(in_fp32(16, 2) == RowOrder::binned);
  CHECK(in_fp32(7, 4) == RowOrder::binned);
  CHECK(in_fp32(5, 4) == RowOrder::binned);
  CHECK(in_fp32(3, 4) == RowOrder::flat);
  uneven.padded_entries = static_cast<unsigned long long>(least);
  CHECK(order(least, 5) == RowOrder::packed);
  CHECK(order(least, 8) == RowOrder::short_rows);
  uneven.same_entries = static_cast<unsigned long long>(least);
  CHECK(order(least, 12) == RowOrder::grouped);
}

TEST_CASE(
    "several columns: uneven rows far from the diagonal go in equal shares with other K too") {
  RowStatistics uneven{};
  uneven.sampled_entries = 100;
  uneven.longest = 300;
  const auto order = [&](std::int64_t mean, std::int64_t k, std::int64_t cols = 1'000'000,
                         std::size_t bytes = 8) {
    constexpr std::int64_t rows = 500'000;
    uneven.short_entries = static_cast<unsigned long long>(mean * rows);
    uneven.padded_entries = 5 * uneven.short_entries;
    return choose_plan(uneven, rows, cols, k, bytes).order;
  };
  for (const std::int64_t k : {2, 4, 22, 24, 31, 32, 64}) {
    INFO("k = " << k);
    CHECK(order(6, k) == RowOrder::flat);
    CHECK((order(7, k) == RowOrder::flat) == (k == 4));
    CHECK(order(6, k, 1'000'000, 4) == RowOrder::flat);
    CHECK(order(6, k, 1'000'000, 2) == RowOrder::binned);
  }
  CHECK(order(6, 66) == RowOrder::binned);  // more than 32 loads
  CHECK(order(7, 4, 500'000) == RowOrder::flat);
  CHECK(order(7, 4, 499'999) == RowOrder::binned);
  CHECK(order(7, 8, 500'000, 4) == RowOrder::flat);
  CHECK(order(7, 5, 150'000, 4) == RowOrder::flat);
  CHECK(order(7, 5, 149'999, 4) == RowOrder::binned);
  CHECK(order(7, 7, 1'000'000, 4) == RowOrder::binned);
  uneven.bin_rows[0] = 250'000;  // the mean is that of the other rows
  CHECK(order(3, 24) == RowOrder::flat);
  CHECK(order(4, 24) == RowOrder::binned);
  uneven.bin_rows[0] = 0;
  uneven.repeated_entries = 20;
  CHECK(order(6, 24) == RowOrder::binned);
  uneven.repeated_entries = 0;
  uneven.near.entries = 60;
  CHECK(order(6, 24) == RowOrder::binned);
}

TEST_CASE("rows of about one length are even where many others have no entries") {
  RowStatistics statistics{};
  const auto order = [&](std::int64_t k, std::size_t bytes = 8) {
    statistics.short_entries = 2'000'000;  // four in each of 500,000 rows
    statistics.padded_entries = 20'000'000;
    return choose_plan(statistics, 2'000'000, 2'000'000, k, bytes).order;
  };
  statistics.bin_rows[0] = 1'500'000;
  statistics.longest = 24;
  CHECK(order(2) == RowOrder::natural);  // by one load
  for (const std::int64_t k : {3, 5}) {  // four in the mean of those that have some
    INFO("k = " << k);
    CHECK(order(k) == RowOrder::packed);
  }
  for (const std::int64_t k : {4, 6, 7, 64}) {
    INFO("k = " << k);
    CHECK(order(k) == RowOrder::short_rows);
  }
  CHECK(order(1, 4) == RowOrder::natural);
  CHECK(order(1, 2) == RowOrder::natural);
  CHECK(order(6, 4) == RowOrder::packed);
  CHECK(order(12, 4) == RowOrder::short_rows);
  for (const std::int64_t k : {8, 9, 16}) {
    INFO("k = " << k);
    CHECK(order(k) == RowOrder::short_rows);
  }
  CHECK(order(16, 4) == RowOrder::short_rows);
  statistics.bin_rows[0] = 1'560'000;  // 4.55 in the others
  for (const std::int64_t k : {8, 9, 16}) {
    INFO("k = " << k);
    CHECK(order(k) == RowOrder::flat);
  }
  CHECK(order(16, 4) == RowOrder::flat);
  statistics.bin_rows[0] = 1'500'000;
  statistics.longest = 25;  // more than six times the mean of rows with entries
  CHECK(order(2) == RowOrder::binned);
  statistics.longest = 24;
  statistics.segments = 1;
  CHECK(order(2) == RowOrder::binned);
  statistics.segments = 0;
  statistics.bin_rows[0] = 499'999;  // less than a quarter
  CHECK(order(2) == RowOrder::natural);
  statistics.longest = 25;
  CHECK(order(2) == RowOrder::binned);
  statistics.longest = 17;
  CHECK(order(3) == RowOrder::flat);
  CHECK(order(4) == RowOrder::binned);
  statistics.longest = 16;  // tiny
  CHECK(order(3) == RowOrder::packed);
  CHECK(order(4) == RowOrder::short_rows);
}

TEST_CASE("several columns: long rows far from the diagonal go in equal shares") {
  RowStatistics far{};
  far.sampled_entries = 100;
  const auto order = [&](std::int64_t rows, std::int64_t nnz, std::int64_t k, bool few = false) {
    far.segments = static_cast<unsigned long long>(rows);
    far.longest = static_cast<unsigned long long>(nnz / rows);
    return choose_plan(far, rows, 1'000'000, k, 8, 256, few, nnz).order;
  };
  for (const std::int64_t k : {6, 8, 16}) {
    INFO("k = " << k);
    CHECK(order(46'875, 3'000'000, k) == RowOrder::flat);
    CHECK(order(46'876, 3'000'000, k) != RowOrder::flat);
    CHECK(order(40'000, 2'999'999, k) != RowOrder::flat);
    CHECK(order(3200, 1'600'000, k) == RowOrder::flat);
    CHECK(order(3201, 1'600'000, k) != RowOrder::flat);
    CHECK(order(3000, 1'599'999, k) != RowOrder::flat);
    CHECK(order(40'000, 3'000'000, k, true) != RowOrder::flat);
  }
  CHECK(order(46'875, 3'000'000, 3) == RowOrder::flat);
  CHECK(order(3200, 1'600'000, 3) == RowOrder::blocks);
  CHECK(choose_plan(far, 40'000, 1'000'000, 24, 4, 256, false, 3'000'000).order != RowOrder::flat);
  CHECK(order(40'000, 3'000'000, 4) != RowOrder::flat);
  CHECK(order(40'000, 3'000'000, 18) != RowOrder::flat);  // nine lanes
  far.near.entries = 60;
  CHECK(order(40'000, 3'000'000, 8) != RowOrder::flat);
}

TEST_CASE("even rows far from the diagonal are staged, but for few entries or many columns") {
  RowStatistics far{};
  far.sampled_entries = 100;
  const auto staged = [&](double mean, std::int64_t k, std::int64_t rows = 1'000'000,
                          std::size_t bytes = 8) {
    far.short_entries = far.padded_entries =
        static_cast<unsigned long long>(mean * static_cast<double>(rows));
    return choose_plan(far, rows, 1'000'000, k, bytes).order == RowOrder::staged;
  };
  for (const std::int64_t k : {3, 4, 6, 8}) {
    INFO("k = " << k);
    CHECK(staged(6, k));
    CHECK_FALSE(staged(5.9, k));
    CHECK_FALSE(staged(6, k, 1'000'000, 4));
  }
  for (const std::int64_t k : {5, 7, 10, 16, 20}) {
    INFO("k = " << k);
    CHECK_FALSE(staged(6, k));
    CHECK(staged(12, k));
  }
  CHECK_FALSE(staged(20, 1));
  CHECK_FALSE(staged(20, 2));
  CHECK_FALSE(staged(20, 21));
  CHECK_FALSE(staged(20, 8, 50'000));  // fewer warps than three times the device's
  far.segments = 1;
  CHECK_FALSE(staged(20, 8));
  far.segments = 0;
  far.near.entries = 60;
  CHECK_FALSE(staged(20, 8));
}

TEST_CASE("teams of path flat with several columns") {
  for (const int width : {1, 2, 4}) {
    for (std::int64_t k = width; k <= 32 * width; k += width) {
      const ShareTeams teams = share_teams(k, width);
      INFO("k = " << k << ", width " << width);
      CHECK(teams.lanes * width == k);
      CHECK(teams.lanes * teams.count <= 32);
      CHECK(teams.lanes * (teams.count + 1) > 32);
      CHECK(teams.count << teams.log_share <= BalancedPolicy::share_entries);
      CHECK(1 << teams.log_share >= BalancedPolicy::share_batch);
      for (unsigned lane = 0; lane < 32; ++lane) {
        CHECK((lane * teams.inverse >> 16) == lane / teams.lanes);
      }
    }
  }
}
