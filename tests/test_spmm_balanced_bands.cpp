// The lanes of a row by one load, and which rows of about one length, near the diagonal or not,
// cuda_csr_balanced takes side by side or one by one: host code, at its thresholds.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

TEST_CASE("lanes of a row by one load take its mean by one batch, or more where rows differ") {
  RowStatistics statistics{};
  const auto log_lanes = [&](double mean, double padding, std::int64_t rows = 1'000'000,
                             std::int64_t k = 1, bool far = true, std::int64_t cols = 1'000'000) {
    const double entries = mean * static_cast<double>(rows);
    statistics.short_entries = static_cast<unsigned long long>(entries + 0.5);
    statistics.padded_entries = static_cast<unsigned long long>(padding * entries + 0.5);
    return one_load_log_lanes({statistics, rows, cols,
                               static_cast<std::int64_t>(statistics.short_entries), k, 8, far,
                               load_width(k, 8)});
  };
  const std::pair<double, int> of_even[] = {{0, 0},   {4, 0},  {4.1, 1}, {8, 1},
                                            {8.1, 2}, {16, 2}, {17, 3},  {32, 3},
                                            {33, 4},  {72, 4}, {73, 5},  {1e5, 5}};
  for (const auto& [mean, log] : of_even) {
    INFO("mean " << mean);
    CHECK(log_lanes(mean, 1) == log);
  }
  CHECK(log_lanes(4, 2) == 1);  // room for 6.4
  CHECK(log_lanes(4, 3) == 2);  // 8.4
  CHECK(log_lanes(10, 1.9) == 2);
  CHECK(log_lanes(10, 2.1) == 3);
  CHECK(log_lanes(5, 7) == 3);
  CHECK(log_lanes(96, 1, 1'000'000, 2) == 4);
  CHECK(log_lanes(97, 1, 1'000'000, 2) == 5);
  CHECK(log_lanes(70, 1, 8448) == 4);
  CHECK(log_lanes(70, 1, 8447) == 5);  // too few for the device
  CHECK(log_lanes(64, 1, 8447) == 4);
  CHECK(log_lanes(4, 1, 50'000) == 0);
  CHECK(log_lanes(4, 1, 49'999) == 1);  // few rows: twice the lanes
  CHECK(log_lanes(17, 1, 6250) == 3);
  CHECK(log_lanes(17, 1, 6249) == 4);
  CHECK(log_lanes(33, 1, 3124) == 4);
  // Loads of 16 bytes: room for a good half of the mean.
  CHECK(log_lanes(14, 1, 50'000, 2, false) == 1);
  CHECK(log_lanes(14, 1, 49'999, 2, false) == 2);
  CHECK(log_lanes(20, 1, 25'000, 2, false) == 2);
  CHECK(log_lanes(20, 1, 24'999, 2, false) == 3);
  CHECK(log_lanes(20, 1, 100'000, 2, true) == 3);
  CHECK(log_lanes(20, 1, 100'000, 2, true, 37'500) == 2);
  CHECK(log_lanes(20, 1, 100'000, 2, true, 37'501) == 3);
  CHECK(log_lanes(20, 3, 100'000, 2, true, 8000) == 3);
  CHECK(log_lanes(20, 3.1, 100'000, 2, true, 8000) == 4);
  CHECK(log_lanes(20, 1, 100'000, 1, false) == 3);
  CHECK(log_lanes(20, 1, 110'000, 2, false, 110'000) == 2);
  CHECK(log_lanes(20, 1, 170'000, 2, false, 170'000) == 3);  // more than L2 keeps
  statistics.short_entries = statistics.padded_entries = 20'000'000;
  CHECK(one_load_log_lanes({statistics, 1'000'000, 1'000'000, 20'000'000, 4, 4, false, 4}) == 2);
}

TEST_CASE("A leaves L2 first where A, X and Y take more than it keeps") {
  // 12, 8 and 6 bytes an entry, and an element of X and Y for each column.
  CHECK_FALSE(passes_l2(1000, 2000, 100'000, 1, 8, 1'224'000));
  CHECK(passes_l2(1000, 2000, 100'000, 1, 8, 1'223'999));
  CHECK_FALSE(passes_l2(1000, 2000, 100'000, 5, 4, 860'000));
  CHECK(passes_l2(1000, 2000, 100'000, 5, 4, 859'999));
  CHECK_FALSE(passes_l2(1000, 2000, 100'000, 1, 2, 606'000));
  CHECK(passes_l2(1'000'000'000, 1'000'000'000, 0, 1 << 20, 8, 1e16));
}

TEST_CASE("one column of more than L2 keeps goes by flat where it gathers from afar") {
  RowStatistics statistics{};
  statistics.sampled_entries = 100;
  std::int64_t rows = 1'000'000, empty = 0;
  const auto case_of = [&](std::int64_t mean, bool far, std::int64_t k = 1) {
    statistics.short_entries = statistics.padded_entries =
        static_cast<unsigned long long>(mean * rows);
    statistics.bin_rows[0] = static_cast<unsigned long long>(empty);
    statistics.longest = 2 * static_cast<unsigned long long>(mean);
    statistics.near.entries = far ? 0 : 100;
    return PathCase{statistics, rows, rows, mean * rows, k, 8, far, load_width(k, 8)};
  };
  CHECK(goes_flat(case_of(6, true)));
  CHECK_FALSE(goes_flat(case_of(5, true)));
  empty = 166'667;  // six in the others
  CHECK(goes_flat(case_of(5, true)));
  empty = 0;
  CHECK_FALSE(goes_flat(case_of(10, false)));
  rows = 330'000;  // 136 bytes a row of ten
  CHECK_FALSE(goes_flat(case_of(10, true)));
  rows = 331'000;
  CHECK(goes_flat(case_of(10, true)));
  CHECK(takes_one_load(case_of(7, true)));
  CHECK(takes_one_load(case_of(7, false, 2)));
  CHECK_FALSE(takes_one_load(case_of(7, true, 3)));
  statistics.segments = 1;
  CHECK_FALSE(takes_one_load(case_of(7, true)));
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
