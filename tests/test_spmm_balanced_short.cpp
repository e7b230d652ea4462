// Which rows path short_rows of cuda_csr_balanced takes, and its lanes; where most rows are empty,
// and where path packed would take a little more than one turn: host code, at its thresholds.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

TEST_CASE("even rows of few entries take several loads and rows a thread") {
  constexpr std::int64_t rows = 1'000'000;
  RowStatistics statistics{};
  const auto is_short = [&](std::int64_t entries, std::int64_t k, std::size_t bytes = 8) {
    statistics.short_entries = static_cast<unsigned long long>(entries);
    statistics.padded_entries = 2 * statistics.short_entries;
    statistics.longest = 30;
    return choose_plan(statistics, rows, rows, k, bytes, 256, false, entries).order ==
           RowOrder::short_rows;
  };
  for (const std::int64_t k : {2, 4, 6, 7, 8, 31, 64, 100, 256}) {
    INFO("k = " << k);
    CHECK(is_short(2'700'000, k));
    CHECK_FALSE(is_short(2'710'000, k));
    CHECK(is_short(2'700'000, k, 4) == (k % 4 == 0 || k % 2 == 1));
    CHECK(is_short(2'710'000, k, 4) == (k == 31));
    CHECK_FALSE(is_short(2'000'000, k, 2));
  }
  for (const auto& [k, least_rows] : {std::pair{16, 25'000}, {4, 100'000}, {20, 175'000}}) {
    for (const int few : {0, 1}) {
      const std::int64_t some = least_rows - few;
      statistics.short_entries = statistics.padded_entries = 2 * static_cast<unsigned>(some);
      CHECK((choose_plan(statistics, some, rows, k).order == RowOrder::short_rows) == (few == 0));
    }
  }
  for (const std::int64_t k : {24, 48, 96, 192}) {  // three loads
    CHECK(is_short(2'200'000, k));
    CHECK_FALSE(is_short(2'210'000, k));
  }
  for (const std::int64_t k : {1, 3, 5}) {
    INFO("k = " << k);
    CHECK_FALSE(is_short(1'000'000, k));
    CHECK(is_short(1'000'000, k, 4) == (k != 1));
  }
  CHECK(is_short(7'000'000, 15, 4));
  CHECK_FALSE(is_short(7'010'000, 15, 4));
  CHECK(is_short(10'000'000, 13, 4));
  CHECK_FALSE(is_short(10'010'000, 13, 4));
  statistics.bin_rows[0] = 777'000;  // 223,000 rows have entries
  CHECK(is_short(1'000'000, 64));
  CHECK_FALSE(is_short(1'010'000, 64));
  for (const std::int64_t k : {66, 100, 128, 256}) {  // more than a block of columns
    CHECK(is_short(1'010'000, k));
    CHECK(is_short(1'010'000, 2 * k, 4));
  }
  for (const std::int64_t k : {24, 48, 96, 192}) {  // three loads
    CHECK(is_short(490'000, k));
    CHECK_FALSE(is_short(495'000, k));
  }
  CHECK_FALSE(is_short(1'010'000, 99));
  CHECK(is_short(1'000'000, 24, 4));
  CHECK_FALSE(is_short(1'000'000, 48, 4));
  CHECK(is_short(1'560'000, 31, 4));
  CHECK(is_short(2'230'000, 31, 4));  // longer ones with K = 25 to 31
  CHECK_FALSE(is_short(2'240'000, 31, 4));
  CHECK(is_short(1'560'000, 23, 4));
  CHECK_FALSE(is_short(1'570'000, 23, 4));
  CHECK(is_short(1'000'000, 33, 4));
  CHECK_FALSE(is_short(1'010'000, 33, 4));
  CHECK_FALSE(is_short(1'010'000, 63, 4));
  CHECK(is_short(1'560'000, 65, 4));
  statistics.bin_rows[0] = 0;
  statistics.segments = 1;
  CHECK_FALSE(is_short(1'000'000, 64));
}

TEST_CASE("in fp32 odd K takes rows of more entries where they share columns or lie near") {
  const auto is_short = [](double mean, std::int64_t k, bool near, bool shares,
                           std::int64_t rows = 1'000'000, std::int64_t cols = 1'000'000) {
    RowStatistics statistics{};
    statistics.short_entries = static_cast<unsigned long long>(mean * static_cast<double>(rows));
    statistics.padded_entries = 2 * statistics.short_entries;
    statistics.longest = 30;
    statistics.sampled_entries = 100;
    statistics.near.entries = near ? 100 : 0;
    statistics.repeated_entries = shares ? 30 : 29;
    return choose_plan(statistics, rows, cols, k, 4).order == RowOrder::short_rows;
  };
  for (const std::int64_t k : {9, 11, 13}) {
    INFO("k = " << k);
    CHECK(is_short(4.9, k, false, false));
    CHECK_FALSE(is_short(4.95, k, false, false));
    for (const bool near : {false, true}) {
      CHECK(is_short(10, k, near, true));
      CHECK_FALSE(is_short(10.1, k, near, true));
      CHECK(is_short(10, k, near, false) == near);
    }
    CHECK(is_short(4.9, k, false, false, 2'600'000 / k + 1));
    CHECK_FALSE(is_short(4.9, k, false, false, 2'600'000 / k - 1));
    CHECK(is_short(4.9, k, false, false, 1'000'000, 250'000 / k + 1));
    CHECK_FALSE(is_short(4.9, k, false, false, 1'000'000, 250'000 / k - 1));
  }
  for (const std::int64_t k : {5, 7}) {
    INFO("k = " << k);
    CHECK(is_short(10, k, true, true));
    CHECK_FALSE(is_short(10.1, k, true, true));
    CHECK_FALSE(is_short(2.8, k, true, false));
    CHECK(is_short(2.7, k, true, false, 1'500'000 / k + 1));
    CHECK_FALSE(is_short(2.7, k, true, false, 1'500'000 / k - 1));
  }
  CHECK(is_short(2.7, 3, true, false));
  CHECK_FALSE(is_short(2.8, 3, true, true));
  CHECK_FALSE(is_short(2.7, 3, true, false, 860'000));
}

TEST_CASE("few loads of 16 bytes in fp32, and eight of a large X, take rows of more entries") {
  const auto is_short = [](double mean, std::int64_t k, std::size_t bytes,
                           std::int64_t cols = 1'000'000) {
    RowStatistics statistics{};
    statistics.short_entries = static_cast<unsigned long long>(mean * 1e6);
    statistics.padded_entries = 2 * statistics.short_entries;
    statistics.longest = 30;
    return choose_plan(statistics, 1'000'000, cols, k, bytes).order == RowOrder::short_rows;
  };
  for (const std::int64_t k : {16, 20, 24, 28}) {
    INFO("k = " << k);
    CHECK(is_short(6.1, k, 4));
    CHECK_FALSE(is_short(6.2, k, 4));
  }
  CHECK_FALSE(is_short(6.1, 12, 4));
  for (const auto& [k, bytes] : {std::pair{std::int64_t{16}, std::size_t{8}}, {32, 4}}) {
    CHECK(is_short(7.4, k, bytes));
    CHECK_FALSE(is_short(7.5, k, bytes));
    CHECK(is_short(7.4, k, bytes, 258'000));
    CHECK_FALSE(is_short(7.4, k, bytes, 257'000));  // X in 33 MB
  }
  CHECK_FALSE(is_short(7.4, 18, 8));
}

TEST_CASE("with few columns rows of somewhat more entries count as short") {
  constexpr std::int64_t rows = 1'000'000;
  const auto is_short = [&](double mean, std::int64_t cols, std::int64_t k, std::size_t bytes) {
    RowStatistics statistics{};
    statistics.short_entries = static_cast<unsigned long long>(mean * rows);
    statistics.padded_entries = 2 * statistics.short_entries;
    statistics.longest = 30;
    return choose_plan(statistics, rows, cols, k, bytes).order == RowOrder::short_rows;
  };
  for (const std::int64_t k : {16, 32, 64, 72, 100, 128, 256}) {
    INFO("k = " << k);
    CHECK(is_short(6.5, 2048, k, 8));
    CHECK_FALSE(is_short(6.6, 2048, k, 8));
    CHECK_FALSE(is_short(6.5, 2049, k, 8));
    CHECK(is_short(12, 2048, k, 4));
    CHECK_FALSE(is_short(12.1, 2048, k, 4));
  }
  for (const std::int64_t k : {8, 14, 24, 48, 192}) {
    INFO("k = " << k);
    CHECK_FALSE(is_short(6, 20, k, 8));  // few lanes, or three loads
  }
}

TEST_CASE("lanes of short rows leave few idle") {
  const auto lanes = [](std::int64_t k, int width) {
    const ShortLanes of = short_lanes(k, width);
    CHECK(of.rows == (width == 1 ? 2 : 1));
    return std::pair{of.lanes, of.loads};
  };
  CHECK(lanes(4, 2) == std::pair{2U, 1});
  CHECK(lanes(14, 2) == std::pair{7U, 1});
  CHECK(lanes(16, 2) == std::pair{4U, 2});
  CHECK(lanes(100, 2) == std::pair{25U, 2});
  CHECK(lanes(128, 2) == std::pair{32U, 2});
  CHECK(lanes(130, 2) == std::pair{17U, 2});  // two blocks of 68
  CHECK(lanes(256, 4) == std::pair{32U, 2});
  CHECK(lanes(1, 1) == std::pair{1U, 2});
  CHECK(lanes(7, 1) == std::pair{4U, 2});
  CHECK(lanes(65, 1) == std::pair{17U, 2});
  BalancedPlan plan{};
  plan.width = 2;
  choose_short_lanes(plan, 130);
  CHECK(plan.column_block == 68);
  CHECK(plan.loads == 2);
}

TEST_CASE(
    "most rows empty and the others long: in bins, or all columns at once where rows are many") {
  constexpr std::int64_t rows = 250'000;
  RowStatistics statistics{};
  statistics.bin_rows[0] = 150'000;
  statistics.longest = 24;
  const auto order = [&](std::int64_t some, std::int64_t k, std::size_t bytes = 8) {
    statistics.short_entries = static_cast<unsigned long long>(some);
    statistics.padded_entries = 4 * statistics.short_entries;
    return choose_plan(statistics, rows, rows, k, bytes, 256, false, some).order;
  };
  for (const std::size_t bytes : {8, 4}) {
    const auto columns = static_cast<std::int64_t>(16 / bytes);  // of a load
    CHECK(order(750'000, 4 * columns, bytes) == RowOrder::binned);
    CHECK(order(750'000, 16 * columns, bytes) == RowOrder::binned);
    CHECK(order(750'000, 17 * columns, bytes) == RowOrder::packed);
    CHECK(order(750'000, 32 * columns, bytes) == RowOrder::packed);
    CHECK(order(750'000, 33 * columns, bytes) == RowOrder::short_rows);
    for (const std::int64_t loads : {3, 4, 16, 32, 64}) {  // too short; too few loads
      INFO("loads = " << loads);
      CHECK(order(749'000, loads * columns, bytes) != RowOrder::binned);
      CHECK(order(749'000, loads * columns, bytes) != RowOrder::short_rows);
    }
    CHECK(order(750'000, 3 * columns, bytes) != RowOrder::binned);
  }
  CHECK(order(750'000, 264, 2) == RowOrder::binned);  // 33 loads of no whole words
  CHECK(order(750'000, 31) != RowOrder::binned);
  statistics.bin_rows[0] = 125'000;  // half of the rows
  CHECK(order(1'000'000, 64) == RowOrder::natural);
  CHECK(order(1'000'000, 16) != RowOrder::binned);
  statistics.bin_rows[0] = 150'000;
  statistics.longest = 48;  // six times 8; longer is not alike
  CHECK(order(800'000, 64) == RowOrder::packed);
  statistics.longest = 49;
  CHECK(order(800'000, 64) == RowOrder::binned);
  // four fifths of the rows
  statistics.bin_rows[0] = 200'000;
  statistics.longest = 24;
  for (const std::size_t bytes : {8, 4}) {
    const auto columns = static_cast<std::int64_t>(16 / bytes);
    CHECK(order(375'000, 2 * columns, bytes) == RowOrder::binned);
    CHECK(order(375'000, columns, bytes) != RowOrder::binned);
    CHECK(order(375'000, 17 * columns, bytes) == RowOrder::short_rows);
  }
  statistics.bin_rows[0] = 199'999;
  CHECK(order(400'000, 4) != RowOrder::binned);
  CHECK(order(400'000, 34) == RowOrder::packed);
  // 200,000 rows
  const auto of = [&](std::int64_t some_rows) {
    statistics.bin_rows[0] = static_cast<unsigned long long>(some_rows) * 3 / 5;
    statistics.short_entries = static_cast<unsigned long long>(some_rows) * 4;
    statistics.padded_entries = 4 * statistics.short_entries;
    return choose_plan(statistics, some_rows, some_rows, 64, 8, 256, false, some_rows * 4).order;
  };
  CHECK(of(200'000) == RowOrder::packed);
  CHECK(of(199'990) == RowOrder::binned);
}

TEST_CASE("path packed takes no quarter of a second turn") {
  const auto order = [](std::int64_t rows, std::int64_t k, std::size_t bytes = 8,
                        std::int64_t mean = 8) {
    RowStatistics statistics{};
    statistics.short_entries = statistics.padded_entries =
        static_cast<unsigned long long>(rows * mean);
    statistics.longest = static_cast<unsigned>(mean);
    statistics.bin_rows[4] = static_cast<unsigned long long>(rows);
    return choose_plan(statistics, rows, rows, k, bytes, 256, false, rows * mean).order;
  };
  for (const std::int64_t lanes : {2, 4, 8}) {  // 5280 warps are a turn, 2 % more pass as one
    INFO("lanes = " << lanes);
    for (const std::size_t bytes : {8, 4}) {
      const auto k = lanes * static_cast<std::int64_t>(16 / bytes);
      const auto rows = [&](std::int64_t warps) { return warps * 32 / lanes; };
      CHECK(order(rows(5385), k, bytes) == RowOrder::packed);
      CHECK(order(rows(5386), k, bytes) == RowOrder::natural);
      CHECK(order(rows(6600), k, bytes) == RowOrder::natural);
      CHECK(order(rows(6601), k, bytes) == RowOrder::packed);
      CHECK(order(rows(6000), k, bytes, 7) != RowOrder::natural);  // other blocks hold more
      CHECK(order(rows(6000) * lanes / (lanes + 1), k + 16 / static_cast<std::int64_t>(bytes),
                  bytes) == RowOrder::packed);
    }
  }
}
