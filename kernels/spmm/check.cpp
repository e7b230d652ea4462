// Check of the product against its componentwise rounding bound, and the seed's error measures.
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "harness/machine.hpp"
#include "spmm/spmm.hpp"

namespace sparserepro {
namespace {

/// Unit roundoff and least positive number of a type.
struct Arithmetic {
  double unit_roundoff, least_positive;
};

Arithmetic arithmetic_of(DataType type) {
  return type == DataType::fp32 ? Arithmetic{0x1p-24, std::numeric_limits<float>::denorm_min()}
                                : Arithmetic{0x1p-53, std::numeric_limits<double>::denorm_min()};
}

/// gamma_n = n u / (1 - n u); rows have fewer than 2^31 entries, in fp32 at most 2^23, so that n u
/// < 1.
double gamma(std::int64_t n, double unit_roundoff) {
  const double nu = static_cast<double>(n) * unit_roundoff;
  return nu / (1 - nu);
}

/// |y - (high + low)| / bound. Infinite if y is NaN or differs from the reference where the bound
/// is 0. The difference y - high is exact if y is close to the reference.
double error_quotient(double y, double high, double low, double bound) {
  const double error = std::fabs((y - high) - low);
  if (error == 0.0) {
    return 0.0;
  }
  return error < std::numeric_limits<double>::infinity() ? error / bound
                                                         : std::numeric_limits<double>::infinity();
}

/// Rounding bound of the elements of a row: gamma_n (|A| |X|)_ij + n times the least positive, or 0
/// if
/// (|A| |X|)_ij = 0.
struct Bound {
  double gamma_n, underflow;
  double of(double magnitude) const {
    return magnitude == 0.0 ? 0.0 : gamma_n * magnitude + underflow;
  }
};

Bound row_bound(const SpmmMatrix& matrix, std::int64_t i, Arithmetic arithmetic) {
  const std::int64_t n = std::visit(
      [i](const auto& a) -> std::int64_t { return a.row_ptr[i + 1] - a.row_ptr[i]; }, matrix);
  return {gamma(n, arithmetic.unit_roundoff), static_cast<double>(n) * arithmetic.least_positive};
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
  if (result.rows != y_rows() || result.cols != k()) {
    outcome.ok = false;
    outcome.error = std::numeric_limits<double>::infinity();
    outcome.detail = "Y is " + std::to_string(result.rows) + " x " + std::to_string(result.cols) +
                     ", expected " + std::to_string(y_rows()) + " x " + std::to_string(k());
    return outcome;
  }
  const std::int64_t rows = y_rows();
  const Arithmetic arithmetic = arithmetic_of(value_type_);
  double omega = 0.0;
  double max_relative = 0.0;
  std::int64_t first_wrong = rows;
  Buffer<double> row_sums;  // of the relative errors; added in the order of rows below
  row_sums.resize(static_cast<std::size_t>(rows));
#pragma omp parallel for schedule(static) num_threads(machine_info().cores_available) \
    reduction(max                                                                     \
              : omega, max_relative) reduction(min                                    \
                                               : first_wrong)
  for (std::int64_t i = 0; i < rows; ++i) {
    const Bound bound = row_bound(product_matrix(), i, arithmetic);
    double sum_relative = 0.0;
    for (std::int64_t j = 0; j < k(); ++j) {
      const double y = result(i, j);
      const double quotient = error_quotient(y, reference.high(i, j), reference.low(i, j),
                                             bound.of(reference.magnitude(i, j)));
      if (quotient > 1.0) {
        first_wrong = std::min(first_wrong, i);
      }
      omega = std::max(omega, quotient);
      const double serial = reference.serial(i, j);
      const double relative = std::fabs(serial - y) / (serial == 0.0 ? 1.0 : std::fabs(serial));
      max_relative = std::max(max_relative, relative);
      sum_relative += relative;
    }
    row_sums[i] = sum_relative;
  }
  if (first_wrong < rows) {
    outcome.ok = false;
    const Bound bound = row_bound(product_matrix(), first_wrong, arithmetic);
    for (std::int64_t j = 0; j < k() && outcome.detail.empty(); ++j) {
      const double y = result(first_wrong, j);
      const double high = reference.high(first_wrong, j);
      const double quotient = error_quotient(y, high, reference.low(first_wrong, j),
                                             bound.of(reference.magnitude(first_wrong, j)));
      if (quotient > 1.0) {
        outcome.detail = describe(first_wrong, j, y, high, quotient);
      }
    }
  }
  const double sum_relative = std::accumulate(row_sums.begin(), row_sums.end(), 0.0);
  const double elements = static_cast<double>(rows) * static_cast<double>(k());
  outcome.error = omega;
  outcome.measures = {{"omega", omega},
                      {"max_relative_error", max_relative},
                      {"mean_relative_error", elements == 0.0 ? 0.0 : sum_relative / elements}};
  return outcome;
}

}  // namespace sparserepro
