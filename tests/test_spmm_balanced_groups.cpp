// Groups of cuda_csr_balanced, rows with the columns of the row before: which rows go in groups, of
// how many rows, and by which lanes, loads and slots (host code, at its thresholds); and their
// products, exactly, by every number of rows and loads.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "support/catch.hpp"
#ifdef SPARSEREPRO_HAS_CUDA
#include "support/device.hpp"
#include "support/product_on_device.hpp"
#endif

using namespace sparserepro;

TEST_CASE("groups that fill the device take two slots in place of one") {
  const auto log_slots = [](std::int64_t rows, double mean, std::int64_t k, std::size_t bytes = 8,
                            int group_rows = 3) {
    BalancedPlan plan{};
    plan.group_rows = group_rows;
    choose_lanes(plan, k, static_cast<unsigned>(k), bytes);
    choose_group_lanes(plan, rows, mean, k, bytes);
    return plan.log_slots;
  };
  // 8 lanes: two thirds of the rows by one slot make rows / 6 warps, 1.4 times 4224.
  CHECK(log_slots(35'484, 18, 16) == 1);
  CHECK(log_slots(35'472, 18, 16) == 0);
  CHECK(log_slots(35'484, 17.9, 16) == 0);
  CHECK(log_slots(47'312, 18, 16, 8, 4) == 1);  // rows / 8
  CHECK(log_slots(47'296, 18, 16, 8, 4) == 0);
  for (const std::int64_t k : {6, 8, 12, 14}) {
    INFO("k = " << k);
    CHECK(log_slots(1'000'000, 18, k) == 1);
  }
  CHECK(log_slots(1'000'000, 19, 4) == 1);
  CHECK(log_slots(1'000'000, 56, 16) == 1);  // as bins
  CHECK(log_slots(1'000'000, 40, 18) == 1);  // three loads, 4 lanes
  CHECK(log_slots(1'000'000, 40, 32) == 0);
  CHECK(log_slots(1'000'000, 18, 16, 4) == 1);
  CHECK(log_slots(1'000'000, 18, 24, 4) == 0);
  CHECK(log_slots(1'000'000, 3, 2) == 0);
}

TEST_CASE("groups take three loads, pairs and smaller types two as well") {
  const auto lanes = [](int group_rows, std::int64_t k, std::size_t bytes = 8, double mean = 39,
                        std::int64_t rows = 1'000'000) {
    BalancedPlan plan{};
    plan.group_rows = group_rows;
    choose_lanes(plan, k, static_cast<unsigned>(k), bytes);
    choose_group_lanes(plan, rows, mean, k, bytes);
    CHECK(plan.column_block == static_cast<unsigned>(plan.width * plan.loads) << plan.log_lanes);
    return std::pair{plan.loads, 1 << plan.log_lanes};
  };
  for (const int rows : {2, 3, 4}) {
    INFO(rows << " rows");
    CHECK(lanes(rows, 16) == std::pair{1, 8});
    CHECK(lanes(rows, 16, 8, 40) == std::pair{1, 8});
    CHECK(lanes(rows, 8, 8, 40) == std::pair{1, 4});
    CHECK(lanes(rows, 12) == std::pair{1, 8});
    for (const std::int64_t k : {10, 12}) {
      CHECK(lanes(rows, k, 8, 40) == std::pair{3, 2});
      CHECK(lanes(rows, 2 * k, 4, 40) == std::pair{3, 2});
    }
    CHECK(lanes(rows, 24, 8, 20, 49'999) == (rows == 4 ? std::pair{1, 16} : std::pair{3, 4}));
    CHECK(lanes(rows, 24, 8, 20, 50'000) == std::pair{3, 4});
    CHECK(lanes(rows, 24, 8, 40, 1000) == std::pair{3, 4});
    CHECK(lanes(rows, 48, 8, 20, 1000) == std::pair{3, 8});
    CHECK(lanes(rows, 48, 4, 20, 1000) == std::pair{3, 4});
    CHECK(lanes(rows, 10, 4) == std::pair{3, 2});
    CHECK(lanes(rows, 14, 4) == std::pair{2, 4});
    CHECK(lanes(rows, 18) == std::pair{3, 4});
    CHECK(lanes(rows, 24) == std::pair{3, 4});
    CHECK(lanes(rows, 48) == std::pair{3, 8});
    CHECK(lanes(rows, 25) == std::pair{1, 32});  // loads of one column
    CHECK(lanes(rows, 22, 4) == std::pair{3, 4});
    CHECK(lanes(rows, 24, 4) == std::pair{1, 8});
    CHECK(lanes(rows, 26, 4) == std::pair{2, 8});
    CHECK(lanes(rows, 48, 4) == std::pair{3, 4});
    CHECK(lanes(rows, 68, 4) == std::pair{3, 8});
    CHECK(lanes(rows, 100, 4) == std::pair{2, 16});
    CHECK(lanes(rows, 26) == (rows == 2 ? std::pair{2, 8} : std::pair{1, 16}));
    CHECK(lanes(rows, 64) == (rows == 2 ? std::pair{2, 16} : std::pair{1, 32}));
    CHECK(lanes(rows, 52, 4) == (rows == 2 ? std::pair{2, 8} : std::pair{1, 16}));
  }
}

TEST_CASE("groups need rows with entries or many columns, and more where path packed takes rows") {
  RowStatistics statistics{};
  statistics.looked_entries = 1000;
  const auto order = [&](std::int64_t rows, std::int64_t mean, std::int64_t k,
                         std::size_t bytes = 8) {
    const std::int64_t nnz = rows * mean;
    statistics.short_entries = statistics.padded_entries = static_cast<unsigned long long>(nnz);
    statistics.longest = static_cast<unsigned long long>(2 * mean);
    return choose_plan(statistics, rows, rows, k, bytes, 256, false, nnz).order;
  };
  CHECK(order(8640, 27, 16) == RowOrder::packed);  // 2160 warps of one slot a row
  CHECK(order(8636, 27, 16) == RowOrder::natural);
  CHECK(order(3200, 9, 16) == RowOrder::packed);  // 800
  CHECK(order(3196, 9, 16) == RowOrder::natural);
  CHECK(order(12672, 50, 16) == RowOrder::packed);  // 3168
  CHECK(order(12668, 50, 16) == RowOrder::natural);
  statistics.same_entries = 670;
  CHECK(order(6000, 60, 24) == RowOrder::grouped);
  CHECK(order(6000, 60, 48, 4) == RowOrder::grouped);
  CHECK(order(5999, 60, 24) == RowOrder::natural);
  CHECK(order(6000, 60, 20) == RowOrder::natural);
  CHECK(order(8000, 60, 4) == RowOrder::grouped);
  CHECK(order(7999, 60, 4) == RowOrder::natural);
  CHECK(order(8000, 60, 2) == RowOrder::natural);
  CHECK(order(32000, 15, 12) == RowOrder::grouped);
  CHECK(order(32000, 15, 10) == RowOrder::packed);
  CHECK(order(900'000, 15, 10) == RowOrder::packed);
  CHECK(order(32000, 17, 4) == RowOrder::packed);
  CHECK(order(32000, 18, 4) == RowOrder::grouped);
  CHECK(order(12'000, 36, 3) == RowOrder::packed);  // triples
  CHECK(order(11'999, 36, 3) == RowOrder::grouped);
  CHECK(order(79'999, 50, 3) == RowOrder::packed);
  CHECK(order(80'000, 50, 3) == RowOrder::grouped);
  CHECK(order(90'000, 49, 3) == RowOrder::packed);
  CHECK(order(5500, 77, 5) == RowOrder::grouped);
  CHECK(order(5499, 77, 5) == RowOrder::natural);
  CHECK(order(5500, 76, 5) == RowOrder::natural);
  CHECK(order(32000, 18, 7, 4) == RowOrder::grouped);
  CHECK(order(32000, 18, 5, 4) == RowOrder::packed);   // 20 bytes
  CHECK(order(32000, 18, 10, 4) == RowOrder::packed);  // loads of two columns
  CHECK(order(20000, 50, 2) == RowOrder::grouped);
  CHECK(order(19999, 50, 2) == RowOrder::natural);
  CHECK(order(40000, 49, 2) == RowOrder::natural);
  statistics.same_entries = 750;  // fours
  CHECK(order(34000, 30, 2) == RowOrder::grouped);
  CHECK(order(33000, 30, 2) == RowOrder::natural);
  CHECK(order(40000, 29, 2) == RowOrder::natural);
  CHECK(order(12'000, 36, 3) == RowOrder::grouped);
  CHECK(order(202'752, 18, 3, 4) == RowOrder::grouped);  // 12 bytes, six turns of the device
  CHECK(order(202'744, 18, 3, 4) == RowOrder::packed);
  CHECK(order(202'752, 17, 3, 4) == RowOrder::packed);
}

TEST_CASE("odd K whose lanes are a warp take equal rows one by one, but long ones and fours") {
  RowStatistics statistics{};
  const auto grouped = [&](std::int64_t k, double mean, double same, std::size_t bytes = 8) {
    statistics.short_entries = statistics.padded_entries =
        static_cast<unsigned long long>(mean * 1e6);
    statistics.looked_entries = 1000;
    statistics.same_entries = static_cast<unsigned long long>(1000 * same);
    return choose_plan(statistics, 1'000'000, 1'000'000, k, bytes).order == RowOrder::grouped;
  };
  for (std::int64_t k = 3; k < 70; ++k) {
    INFO("k = " << k);
    const bool whole = k % 2 == 1 && k >= 17 && k < 32;
    const bool by_lanes = k % 2 == 1 && k >= 33 && k < 41;
    CHECK(grouped(k, 59, 0.67) == (!whole && !by_lanes && k != 3));
    CHECK(grouped(k, 60, 0.67) == ((!whole || k >= 25) && k != 3));
    CHECK(grouped(k, 30, 0.75) == ((!whole || k >= 25) && !by_lanes));
    if (k >= 33) {
      CHECK(grouped(k, 59, 0.67, 4) == (k % 2 == 0 || k > 56));
    }
  }
}

TEST_CASE("groups have as many rows as runs of equal rows fill") {
  RowStatistics statistics{};
  const auto of_runs = [&](std::uint64_t run) {
    statistics.short_entries = statistics.padded_entries = statistics.looked_entries = 60'000'000;
    statistics.same_entries = statistics.looked_entries / run * (run - 1);
    return choose_plan(statistics, 1'000'000, 1'000'000, 8, 8, 256, false, 60'000'000);
  };
  for (const auto& [run, rows] :
       {std::pair{2, 2}, {3, 3}, {4, 4}, {5, 3}, {6, 3}, {8, 4}, {40, 4}}) {
    INFO("runs of " << run);
    const BalancedPlan plan = of_runs(static_cast<std::uint64_t>(run));
    CHECK(plan.order == RowOrder::grouped);
    CHECK(plan.group_rows == rows);
  }
}

TEST_CASE("pairs need half of the entries in equal rows, and columns where rows are short") {
  RowStatistics statistics{};
  statistics.looked_entries = 1000;
  statistics.same_entries = 500;
  const auto grouped = [&](std::int64_t rows, std::int64_t mean, std::int64_t k,
                           std::size_t bytes = 8) {
    const std::int64_t nnz = rows * mean;
    statistics.short_entries = statistics.padded_entries = static_cast<unsigned long long>(nnz);
    statistics.longest = static_cast<unsigned long long>(2 * mean);
    const BalancedPlan plan = choose_plan(statistics, rows, rows, k, bytes, 256, false, nnz);
    return plan.order == RowOrder::grouped && plan.group_rows == 2;
  };
  CHECK(grouped(16'000, 30, 4));
  CHECK_FALSE(grouped(15'999, 30, 4));  // 480,000 entries
  CHECK(grouped(6000, 80, 4));
  CHECK_FALSE(grouped(5999, 81, 4));
  CHECK(grouped(14'000, 30, 3));
  CHECK_FALSE(grouped(13'999, 30, 3));
  CHECK_FALSE(grouped(50'000, 30, 2));
  CHECK(grouped(50'000, 30, 24));
  CHECK_FALSE(grouped(50'000, 30, 17));
  CHECK_FALSE(grouped(50'000, 29, 10));
  CHECK(grouped(50'000, 29, 12));
  CHECK(grouped(50'000, 14, 12));
  CHECK_FALSE(grouped(50'000, 13, 12));
  CHECK_FALSE(grouped(50'000, 29, 24));  // twelve loads
  CHECK_FALSE(grouped(50'000, 29, 47));
  CHECK_FALSE(grouped(50'000, 30, 4, 4));
  CHECK(grouped(50'000, 30, 6, 4));
  CHECK_FALSE(grouped(50'000, 30, 7, 4));
  CHECK(grouped(190'000, 30, 7, 4));  // 45 MB
  CHECK_FALSE(grouped(50'000, 30, 15, 4));
  CHECK(grouped(50'000, 30, 15));
  CHECK_FALSE(grouped(50'000, 30, 63));
  CHECK(grouped(50'000, 30, 65));
  CHECK_FALSE(grouped(50'000, 29, 20, 4));
  CHECK(grouped(50'000, 29, 22, 4));
  CHECK_FALSE(grouped(50'000, 29, 48, 4));
  statistics.same_entries = 450;
  CHECK_FALSE(grouped(50'000, 30, 4));
}

TEST_CASE("in fp32 groups by loads of two columns need longer rows") {
  RowStatistics statistics{};
  statistics.looked_entries = 1000;
  statistics.same_entries = 670;
  const auto grouped = [&](std::int64_t rows, double mean, std::int64_t k) {
    const auto nnz = static_cast<std::int64_t>(mean * static_cast<double>(rows));
    statistics.short_entries = statistics.padded_entries = static_cast<unsigned long long>(nnz);
    statistics.longest = 60;
    return choose_plan(statistics, rows, rows, k, 4, 256, false, nnz).order == RowOrder::grouped;
  };
  CHECK(grouped(50'000, 25.3, 18));
  CHECK(grouped(50'000, 25.3, 22));
  CHECK_FALSE(grouped(50'000, 25.1, 22));
  CHECK(grouped(50'000, 25.3, 10));
  CHECK_FALSE(grouped(50'000, 25.3, 6));
  CHECK_FALSE(grouped(18'000, 26, 22));  // 468,000 entries
}

#ifdef SPARSEREPRO_HAS_CUDA
namespace {

/// Runs of `run` equal rows of `mean` entries, with shorter runs and empty rows between; no entry
/// in column 0.
Csr<std::int64_t, double> rows_in_runs(index_t rows, index_t run, index_t mean) {
  Csr<std::int64_t, double> a;
  a.rows = rows;
  a.cols = 3 * mean + 700;
  a.row_ptr.push_back(0);
  for (index_t i = 0, of_run = 0, number = 0; i < rows; ++i) {
    const index_t length = number % 17 == 5 ? 0 : mean - number % 3;
    for (index_t e = 0; e < length; ++e) {
      a.col_idx.push_back(1 + number * 7 % 600 + 2 * e);
      a.values.push_back(0);
    }
    a.row_ptr.push_back(static_cast<std::int64_t>(a.col_idx.size()));
    if (++of_run >= (number % 23 == 11 ? 1 : run)) {
      of_run = 0;
      ++number;
    }
  }
  return a;
}

}  // namespace

TEST_CASE("groups are right with every number of rows and loads", "[cuda][spmm][small]") {
  using namespace sparserepro::testing;
  require_device();
  for (const index_t run : {2, 3, 4, 7}) {
    for (const auto& [rows, mean] : {std::pair<index_t, index_t>{1, 5}, {301, 6}, {1500, 40}}) {
      CAPTURE(run, rows, mean);
      const auto a = rows_in_runs(rows, run, mean);
      const auto check = [&]<class Element, class Offset>(std::int64_t k, const ProductForm& form) {
        check_product_on_device<Element, Offset>(a, k, device::SpmmPath::grouped, form);
      };
      for (const std::int64_t k :
           {2, 5, 10, 12, 14, 16, 18, 22, 24, 26, 31, 40, 48, 64, 72, 100, 140}) {
        check.operator()<double, std::int32_t>(k, {});
        check.operator()<float, std::int64_t>(k, {.alpha = -2, .beta = 3});
      }
      for (const std::int64_t k : {10, 14, 20, 26, 44}) {
        check.operator()<double, std::int64_t>(k, {.alpha = -2, .beta = 3});
        check.operator()<float, std::int32_t>(k, {});
        check.operator()<Half, std::int32_t>(k, {});
        check.operator()<Bfloat, std::int64_t>(k, {});
      }
    }
  }
}
#endif
