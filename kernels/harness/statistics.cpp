#include "harness/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace sparserepro {
namespace {

constexpr long double outside = 0.025L;  // on each side of the interval

/// Largest l >= 1 with P(B < l) <= 0.025 for B ~ Binomial(n, 1/2), for n up to 1000; 0 if there is
/// none. Adds P(B = 0), P(B = 1), ...
std::size_t rank_from_the_end(std::size_t n) {
  long double term = std::ldexp(1.0L, -static_cast<int>(n));
  long double below = 0.0L;
  std::size_t rank = 0;
  for (std::size_t i = 0; i < n; ++i) {
    below += term;
    if (below > outside) {
      break;
    }
    rank = i + 1;
    term *= static_cast<long double>(n - i) / static_cast<long double>(i + 1);
  }
  return rank;
}

/// The same for larger n, where 2^-n may vanish. P(B < l) is known at the middle by symmetry, and
/// loses P(B = l) with each step down, about sqrt(n) of them. The middle term is Stirling's series
/// of binomial(2m, m) / 4^m, whose relative error is below 1e-15 from m = 500 on.
std::size_t rank_from_the_middle(std::size_t n) {
  const auto m = static_cast<long double>((n + 1) / 2);
  const long double series =
      1 - 1 / (8 * m) + 1 / (128 * m * m) + 5 / (1024 * m * m * m) - 21 / (32768 * m * m * m * m);
  long double term = series / std::sqrt(std::numbers::pi_v<long double> * m);  // P(B = rank)
  std::size_t rank = n / 2;
  long double below = n % 2 == 1 ? 0.5L - term : 0.5L * (1 - term);  // P(B < rank)
  while (below > outside) {
    term *= static_cast<long double>(rank) / static_cast<long double>(n - rank + 1);
    --rank;
    below -= term;
  }
  return rank;
}

/// As `interval_ranks` of python/sparserepro/stats.py.
std::size_t lower_rank(std::size_t n) {
  return n <= 1000 ? rank_from_the_end(n) : rank_from_the_middle(n);
}

}  // namespace

MedianInterval median_interval(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  if (n == 0) {
    return {};
  }
  const double median = n % 2 == 1 ? samples[n / 2] : 0.5 * (samples[n / 2 - 1] + samples[n / 2]);
  const std::size_t rank = lower_rank(n);
  if (rank == 0) {
    return {median, samples.front(), samples.back(), false};
  }
  return {median, samples[rank - 1], samples[n - rank], true};
}

}  // namespace sparserepro
