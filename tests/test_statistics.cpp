// Order statistics of samples, and the definition of the speedup.
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "common/speedup.hpp"
#include "harness/statistics.hpp"
#include "support/catch.hpp"

namespace sparserepro {

TEST_CASE("median interval has the exact binomial ranks", "[statistics]") {
  // Sample size, lower rank, upper rank for at least 95 % coverage (1-based order statistics).
  const std::vector<std::tuple<int, int, int>> table = {
      {6, 1, 6},   {7, 1, 7},   {10, 2, 9},   {11, 2, 10},  {15, 4, 12},
      {20, 6, 15}, {25, 8, 18}, {30, 10, 21}, {50, 18, 33}, {100, 40, 61}};
  for (const auto& [n, low, high] : table) {
    std::vector<double> samples;
    for (int i = n; i >= 1; --i) {
      samples.push_back(i);
    }
    const MedianInterval interval = median_interval(samples);
    CAPTURE(n);
    CHECK(interval.valid);
    CHECK(interval.low == low);
    CHECK(interval.high == high);
    CHECK(interval.median == 0.5 * (n + 1));
  }
}

TEST_CASE("five samples or fewer have no 95 % interval", "[statistics]") {
  CHECK_FALSE(median_interval({1, 2, 3, 4, 5}).valid);
  CHECK(median_interval({3, 1, 2}).median == 2);
  CHECK_FALSE(median_interval({}).valid);
}

/// Ranks (l, u) of median_interval for n samples, 0 where it has none.
std::pair<int, int> ranks_of(int n) {
  std::vector<double> samples(static_cast<std::size_t>(n));
  std::iota(samples.begin(), samples.end(), 1.0);
  const MedianInterval interval = median_interval(samples);
  return interval.valid ? std::pair{static_cast<int>(interval.low), static_cast<int>(interval.high)}
                        : std::pair{0, 0};
}

TEST_CASE("every number of samples has the exact ranks", "[statistics]") {
  int lower = 0;             // largest with P(B < lower) <= 1/40
  long double term = 0.5L;   // P(B = lower)
  long double below = 0.5L;  // P(B < lower + 1)
  for (int n = 1; n <= 3000; ++n) {
    while (below <= 0.025L) {
      ++lower;
      term *= static_cast<long double>(n - lower + 1) / lower;
      below += term;
    }
    CAPTURE(n);
    CHECK(ranks_of(n) == (lower > 0 ? std::pair{lower, n + 1 - lower} : std::pair{0, 0}));
    below -= term / 2;
    term *= static_cast<long double>(n + 1) / (2 * (n + 1 - lower));
  }
}

TEST_CASE("many samples have the ranks of the report", "[statistics]") {
  // As tests/test_stats.py has them for python/sparserepro/stats.py.
  const std::vector<std::pair<int, int>> table = {{1000, 469},   {1001, 470},      {1023, 480},
                                                  {1024, 481},   {3000, 1446},     {16500, 8124},
                                                  {20000, 9861}, {1000000, 499020}};
  for (const auto& [n, lower] : table) {
    CAPTURE(n);
    CHECK(ranks_of(n) == std::pair{lower, n + 1 - lower});
  }
}

TEST_CASE("a speedup counts preparation once and a kernel a call, the baseline's too",
          "[speedup]") {
  const CallCost base{.preparation_s = 2.0, .kernel_s = 8.0};
  const CallCost cell{.preparation_s = 16.0, .kernel_s = 4.0};
  CHECK(speedup(base, cell, 1) == Approx(10.0 / 20.0));
  CHECK(speedup(base, cell, 10) == Approx(82.0 / 56.0));
  CHECK(speedup(base, cell, 100) == Approx(802.0 / 416.0));
  CHECK(speedup(base, cell, endless_calls) == Approx(2.0));
  CHECK(speedup(cell, base, 10) == Approx(56.0 / 82.0));
}

TEST_CASE("the break-even count is the first number of calls with a speedup above 1", "[speedup]") {
  const CallCost base{.preparation_s = 2.0, .kernel_s = 8.0};
  // 16 + 4 n < 2 + 8 n from n = 4: at n = 3 it is 28 against 26.
  CHECK(break_even_calls(base, {.preparation_s = 16.0, .kernel_s = 4.0}) == 4.0);
  // At n = 3 the costs are equal: the speedup is 1, not above it.
  CHECK(break_even_calls(base, {.preparation_s = 14.0, .kernel_s = 4.0}) == 4.0);
  CHECK(break_even_calls(base, {.preparation_s = 0.0, .kernel_s = 7.0}) == 1.0);
  CHECK(break_even_calls(base, {.preparation_s = 0.0, .kernel_s = 9.0}) == 1.0);  // of 2 calls: 18
  CHECK_FALSE(break_even_calls(base, {.preparation_s = 3.0, .kernel_s = 8.0}).has_value());
  CHECK_FALSE(break_even_calls(base, base).has_value());
}

}  // namespace sparserepro
