// Statistics for tests of distributions.
#pragma once

namespace sparserepro::testing {

/// The chi-square statistic: sum of (count - expected)^2 / expected over all counts.
template <class Counts>
double chi_square(const Counts& counts, double expected) {
  double sum = 0;
  for (const auto count : counts) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference;
  }
  return sum / expected;
}

}  // namespace sparserepro::testing
