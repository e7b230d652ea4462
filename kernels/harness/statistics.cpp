#include "harness/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sparserepro {
namespace {

/// Largest l >= 1 with P(B <= l - 1) <= 0.025 for B ~ Binomial(n, 1/2); 0 if there is none.
std::size_t lower_rank(std::size_t n) {
  long double term = std::ldexp(1.0L, -static_cast<int>(n));  // P(B = 0), > 0 up to n = 16,000
  long double cumulative = 0.0L;
  std::size_t rank = 0;
  for (std::size_t i = 0; i < n; ++i) {
    cumulative += term;
    if (cumulative > 0.025L) {
      break;
    }
    rank = i + 1;
    term *= static_cast<long double>(n - i) / static_cast<long double>(i + 1);
  }
  return rank;
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
