// Which rows of about one length, near the diagonal or equal to their neighbours,
// cuda_csr_balanced takes packed by one load or one by one: host code, at its thresholds.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

TEST_CASE("rows of about one length in a band go packed by one load a row") {
  RowStatistics statistics{};
  statistics.sampled_entries = statistics.near.entries = 100;
  const auto packed = [&](double mean, std::int64_t k, std::size_t bytes,
                          std::int64_t rows = 300'000) {
    const auto nnz = static_cast<std::int64_t>(mean * static_cast<double>(rows));
    statistics.short_entries = statistics.padded_entries = static_cast<unsigned long long>(nnz);
    statistics.longest = static_cast<unsigned long long>(2 * mean);
    return choose_plan(statistics, rows, rows, k, bytes, 256, false, nnz).order == RowOrder::packed;
  };
  for (const auto& [k, bytes] :
       {std::pair{std::int64_t{1}, std::size_t{8}}, {2, 8}, {2, 4}, {4, 4}}) {
    INFO("k = " << k << ", " << bytes << " bytes");
    CHECK(packed(9, k, bytes));
    CHECK(packed(16, k, bytes, 280'000));
    CHECK_FALSE(packed(16.1, k, bytes, 270'000));
    CHECK(packed(9, k, bytes, 500'000));
    CHECK(packed(9, k, bytes, 510'000) == (k > 1));
  }
  CHECK(packed(5.5, 1, 8));
  CHECK_FALSE(packed(5.4, 1, 8));
  CHECK(packed(4.9, 1, 4));
  CHECK_FALSE(packed(4.8, 1, 4));
  CHECK_FALSE(packed(9, 1, 2));
  statistics.near.distances = 100 * 37'500;  // half of all columns within reach
  CHECK_FALSE(packed(9, 1, 4));
  statistics.near.distances -= 100;
  CHECK(packed(9, 1, 4));
  statistics.near = {};
  statistics.middle = {95, 95 * 30'000};  // a wide band
  CHECK(packed(9, 1, 4));
  CHECK_FALSE(packed(9, 1, 8));
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
  CHECK(order(32000, 18, 3) == RowOrder::grouped);
  CHECK(order(32000, 18, 7, 4) == RowOrder::grouped);
  CHECK(order(32000, 18, 5, 4) == RowOrder::packed);   // 20 bytes
  CHECK(order(32000, 18, 10, 4) == RowOrder::packed);  // loads of two columns
  CHECK(order(32000, 32, 2) == RowOrder::grouped);
  CHECK(order(31000, 32, 2) == RowOrder::natural);
  CHECK(order(40000, 29, 2) == RowOrder::natural);
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
    CHECK(grouped(k, 59, 0.67) == (!whole && !by_lanes));
    CHECK(grouped(k, 60, 0.67) == (!whole || k >= 25));
    CHECK(grouped(k, 30, 0.75) == ((!whole || k >= 25) && !by_lanes));
    if (k >= 33) {
      CHECK(grouped(k, 59, 0.67, 4) == (k % 2 == 0 || k > 56));
    }
  }
}

TEST_CASE("rows of about one length are packed whatever K is where Y is small") {
  RowStatistics statistics{};
  const auto packed = [&](std::int64_t rows, std::int64_t mean, std::int64_t k,
                          std::int64_t longest, std::size_t bytes = 8) {
    const std::int64_t nnz = rows * mean;
    statistics.short_entries = statistics.padded_entries = static_cast<unsigned long long>(nnz);
    statistics.longest = static_cast<unsigned long long>(longest);
    return choose_plan(statistics, rows, rows, k, bytes, 256, false, nnz).order == RowOrder::packed;
  };
  CHECK(packed(5000, 9, 64, 20));
  CHECK_FALSE(packed(5080, 9, 64, 20));  // 2.6 MB
  CHECK(packed(5000, 9, 64, 27));
  CHECK_FALSE(packed(5000, 9, 64, 28));
  CHECK(packed(10'000, 9, 64, 20, 4));
  CHECK_FALSE(packed(10'200, 9, 64, 20, 4));
  CHECK_FALSE(packed(4900, 9, 66, 20));  // 33 loads
  CHECK_FALSE(packed(5000, 14, 64, 20));
  CHECK_FALSE(packed(5000, 3, 64, 4));
  CHECK(packed(3600, 9, 31, 20));
  CHECK_FALSE(packed(3640, 9, 31, 20));  // 0.9 MB
}
