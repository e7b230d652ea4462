// Order statistics of timing samples, for the stop rule and the table on the terminal. The report
// computes its own from the raw samples.
#pragma once

#include <vector>

namespace sparserepro {

struct MedianInterval {
  double median{};
  double low{}, high{};  ///< exact 95 % confidence interval of the median
  bool valid{};          ///< false below 6 samples: no such interval exists
};

/// The interval is [x_(l), x_(n+1-l)] of the sorted samples with the largest l for which
/// P(Binomial(n, 1/2) < l) <= 2.5 %; no assumption on the distribution.
MedianInterval median_interval(std::vector<double> samples);

}  // namespace sparserepro
