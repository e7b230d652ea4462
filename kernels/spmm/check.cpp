#include <cmath>
#include <cstdio>
#include <limits>

#include "spmm/spmm.hpp"

namespace sparserepro {
namespace {

constexpr double unit_roundoff = 0x1p-53;
constexpr double least_positive = std::numeric_limits<double>::denorm_min();

/// gamma_n = n u / (1 - n u); rows have fewer than 2^31 columns, so that n u < 1.
double gamma(std::int64_t n) {
  const double nu = static_cast<double>(n) * unit_roundoff;
  return nu / (1 - nu);
}

/// |y - (high + low)| over the bound; infinite for NaN and for a bound of 0 that is not met. The
/// first difference is exact when y is near the reference.
double error_quotient(double y, double high, double low, double bound) {
  const double error = std::fabs((y - high) - low);
  if (error == 0.0) {
    return 0.0;
  }
  return error < std::numeric_limits<double>::infinity() ? error / bound
                                                         : std::numeric_limits<double>::infinity();
}

std::string describe(std::int64_t i, std::int64_t j, double y, double want, double quotient) {
  char text[160];
  std::snprintf(text, sizeof text,
                "Y(%lld, %lld) is %.17g, expected %.17g: the error is %.3g times its bound",
                static_cast<long long>(i + 1), static_cast<long long>(j + 1), y, want, quotient);
  return text;
}

}  // namespace

CheckOutcome SpmmProblem::check(const Dense& result, const SpmmReference& reference) const {
  CheckOutcome outcome{true, "componentwise_bound", 0.0, 1.0, "", {}};
  if (result.rows != shape_.rows || result.cols != k()) {
    outcome.ok = false;
    outcome.error = std::numeric_limits<double>::infinity();
    outcome.detail = "Y is " + std::to_string(result.rows) + " x " + std::to_string(result.cols) +
                     ", expected " + std::to_string(shape_.rows) + " x " + std::to_string(k());
    return outcome;
  }
  double omega = 0.0;
  double max_relative = 0.0;
  double sum_relative = 0.0;
  for (std::int64_t i = 0; i < shape_.rows; ++i) {
    const std::int64_t n = std::visit(
        [i](const auto& a) -> std::int64_t { return a.row_ptr[i + 1] - a.row_ptr[i]; }, matrix_);
    const double gamma_n = gamma(n);
    const double underflow = static_cast<double>(n) * least_positive;
    for (std::int64_t j = 0; j < k(); ++j) {
      const double y = result(i, j);
      const double magnitude = reference.magnitude(i, j);
      const double bound = magnitude == 0.0 ? 0.0 : gamma_n * magnitude + underflow;
      const double quotient = error_quotient(y, reference.high(i, j), reference.low(i, j), bound);
      if (quotient > 1.0 && outcome.ok) {
        outcome.ok = false;
        outcome.detail = describe(i, j, y, reference.high(i, j), quotient);
      }
      omega = std::max(omega, quotient);
      const double serial = reference.serial(i, j);
      const double relative = std::fabs(serial - y) / (serial == 0.0 ? 1.0 : std::fabs(serial));
      max_relative = std::max(max_relative, relative);
      sum_relative += relative;
    }
  }
  const double elements = static_cast<double>(shape_.rows) * static_cast<double>(k());
  outcome.error = omega;
  outcome.measures = {{"omega", omega},
                      {"max_relative_error", max_relative},
                      {"mean_relative_error", elements == 0.0 ? 0.0 : sum_relative / elements}};
  return outcome;
}

}  // namespace sparserepro
