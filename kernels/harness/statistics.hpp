// Median of timing samples and its confidence interval, for the stop rule and the table on the
// terminal. The report computes its own statistics from the raw samples.
#pragma once

#include <vector>

namespace sparserepro {

/// A median with its confidence interval, in the unit of the samples.
struct MedianInterval {
  double median{};
  double low{}, high{};  ///< 95 % confidence interval of the median
  bool valid{};          ///< false for fewer than 6 samples, which give no such interval
};

/// Median and interval [x_(l), x_(n+1-l)] of the sorted samples x_(1) .. x_(n), with the largest l
/// for which P(Binomial(n, 1/2) < l) <= 2.5 %. Requires no particular distribution of the samples.
/// Without an interval, low and high are the least and the largest sample.
MedianInterval median_interval(std::vector<double> samples);

}  // namespace sparserepro
