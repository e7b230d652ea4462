// Statistics for tests of distributions.
#pragma once

namespace sparserepro::testing {

/// sum (observed - expected)^2 / expected.
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
