// The reference and the check of SpMM: answers by any order of summation pass, wrong answers fail.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "spmm/spmm.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A matrix with long rows whose last row is empty.
Matrix long_rows() {
  std::vector<Entry> entries;
  for (index_t i = 0; i < 20; ++i) {
    for (index_t j = 0; j < 1000; ++j) {
      entries.emplace_back(i, j, std::sin(37.0 * i + j));
    }
  }
  return matrix_from_entries("long_rows", 21, 1000, entries);
}

SpmmProblem problem_of(const Matrix& matrix, std::int64_t k) {
  return SpmmProblem(matrix, {{"k", k}, {"x_range", "signed"}, {"offset_bits", std::int64_t{64}}});
}

const Csr<std::int64_t, double>& csr_of(const SpmmProblem& problem) {
  return std::get<Csr<std::int64_t, double>>(problem.matrix());
}

double measure(const CheckOutcome& outcome, const std::string& name) {
  for (const auto& [key, value] : outcome.measures) {
    if (key == name) {
      return value;
    }
  }
  FAIL("no measure " + name);
  return not_a_number;
}

bool near(double value, double expected, double relative) {
  return std::fabs(value - expected) <= relative * std::fabs(expected);
}

/// The product with the entries of each row taken from the last to the first, with or without
/// fused operations.
Dense backwards(const SpmmProblem& problem, bool fused) {
  const auto& a = csr_of(problem);
  Dense y(a.rows, problem.k());
  for (index_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < problem.k(); ++j) {
      double sum = 0.0;
      for (std::int64_t p = a.row_ptr[i + 1] - 1; p >= a.row_ptr[i]; --p) {
        const double x = problem.x()(a.col_idx[p], j);
        sum = fused ? std::fma(a.values[p], x, sum) : sum + a.values[p] * x;
      }
      y(i, j) = sum;
    }
  }
  return y;
}

/// The product by four interleaved partial sums, which are added in pairs.
Dense in_four_parts(const SpmmProblem& problem) {
  const auto& a = csr_of(problem);
  Dense y(a.rows, problem.k());
  for (index_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < problem.k(); ++j) {
      double part[4] = {};
      for (std::int64_t p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
        part[p % 4] += a.values[p] * problem.x()(a.col_idx[p], j);
      }
      y(i, j) = (part[0] + part[1]) + (part[2] + part[3]);
    }
  }
  return y;
}

Dense one_column(std::initializer_list<double> elements) {
  Dense x(static_cast<std::int64_t>(elements.size()), 1);
  std::copy(elements.begin(), elements.end(), x.data.begin());
  return x;
}

}  // namespace

TEST_CASE("the reference is exact where doubles are not") {
  const Matrix a = matrix_from_entries(
      "cancelling", 2, 3, {{0, 0, 1e17}, {0, 1, 1.0}, {0, 2, -1e17}, {1, 0, 1 + 0x1p-30}});
  const SpmmProblem problem(a, one_column({1 + 0x1p-30, 1.0, 1 + 0x1p-30}), 64);
  const SpmmReference reference = problem.reference();
  CHECK(reference.high(0, 0) == 1.0);
  CHECK(reference.low(0, 0) == 0.0);
  CHECK(reference.serial(0, 0) == 0.0);  // 1 is lost beside 1e17
  CHECK(near(reference.magnitude(0, 0), 2e17, 1e-8));
  CHECK(reference.high(1, 0) == 1 + 0x1p-29);  // (1 + 2^-30)^2 = 1 + 2^-29 + 2^-60
  CHECK(reference.low(1, 0) == 0x1p-60);
}

TEST_CASE("every order of summation passes") {
  for (const NamedMatrix& named : battery()) {
    INFO(named.name);
    const SpmmProblem problem = problem_of(named.matrix, 3);
    const SpmmReference reference = problem.reference();
    for (const Dense& y : {backwards(problem, false), backwards(problem, true),
                           in_four_parts(problem), reference.high, reference.serial}) {
      const CheckOutcome outcome = problem.check(y, reference);
      INFO(outcome.detail);
      CHECK(outcome.ok);
      CHECK(outcome.error == measure(outcome, "omega"));
    }
  }
}

TEST_CASE("an error just beyond the bound fails, one just within passes") {
  const SpmmProblem problem = problem_of(long_rows(), 2);
  const SpmmReference reference = problem.reference();
  const double bound = 1000 * 0x1p-53 / (1 - 1000 * 0x1p-53) * reference.magnitude(7, 1);
  for (const double sign : {1.0, -1.0}) {
    Dense y = reference.high;
    y(7, 1) += sign * bound * 0.999;
    CHECK(problem.check(y, reference).ok);
    CHECK(near(problem.check(y, reference).error, 0.999, 1e-3));
    y(7, 1) = reference.high(7, 1) + sign * bound * 1.001;
    const CheckOutcome outcome = problem.check(y, reference);
    CHECK_FALSE(outcome.ok);
    CHECK(outcome.error > 1.0);
    CHECK(outcome.detail.find("Y(8, 2)") == 0);
  }
}

TEST_CASE("NaN, infinity, a lost entry and swapped elements fail") {
  const SpmmProblem problem = problem_of(long_rows(), 2);
  const SpmmReference reference = problem.reference();
  const auto rejected = [&](const Dense& y) {
    const CheckOutcome outcome = problem.check(y, reference);
    CHECK(outcome.detail.empty() == outcome.ok);
    return !outcome.ok;
  };
  for (const double wrong : {not_a_number, infinity, -infinity}) {
    Dense y = reference.high;
    y(19, 0) = wrong;
    CHECK(rejected(y));
    CHECK(problem.check(y, reference).error == infinity);
  }
  Dense lost = reference.high;
  lost(3, 1) -= csr_of(problem).values[3 * 1000 + 5] * problem.x()(5, 1);
  CHECK(rejected(lost));
  Dense swapped = reference.high;
  std::swap(swapped(2, 0), swapped(2, 1));
  CHECK(rejected(swapped));
  CHECK(rejected(Dense(20, 2)));
  CHECK(rejected(Dense(21, 3)));
  const std::string shape = std::to_string(reference.high.rows) + " x 2";
  CHECK(problem.check(Dense(7, 3), reference).detail == "Y is 7 x 3, expected " + shape);
}

TEST_CASE("where nothing is added the answer is exactly zero") {
  // An explicit zero, and an empty row.
  const Matrix a = matrix_from_entries("zeros", 3, 2, {{0, 0, 0.0}, {1, 1, 1.0}});
  const SpmmProblem problem(a, one_column({1.0, 1.0}), 64);
  const SpmmReference reference = problem.reference();
  for (const std::int64_t i : {0, 2}) {
    REQUIRE(reference.magnitude(i, 0) == 0.0);
    Dense y = reference.high;
    y(i, 0) = -0.0;
    CHECK(problem.check(y, reference).ok);
    y(i, 0) = std::numeric_limits<double>::denorm_min();
    CHECK_FALSE(problem.check(y, reference).ok);
  }
}

TEST_CASE("products that underflow are within the bound") {
  const Matrix a = matrix_from_entries(
      "tiny", 2, 2, {{0, 0, 1e-200}, {0, 1, 3e-160}, {1, 0, 1e-200}, {1, 1, 7e-164}});
  const SpmmProblem problem(a, one_column({1e-200, 0.7e-160}), 64);
  const SpmmReference reference = problem.reference();
  CHECK(problem.check(backwards(problem, false), reference).ok);
  CHECK(problem.check(backwards(problem, true), reference).ok);
}

TEST_CASE("the seed's measures: relative to the serial product, 1 for a zero denominator") {
  const Matrix a = matrix_from_entries("diagonal", 3, 3, {{0, 0, 2.0}, {1, 1, -4.0}});
  const SpmmProblem problem(a, one_column({1.0, 1.0, 1.0}), 64);
  const CheckOutcome outcome = problem.check(one_column({2.5, -3.0, 0.125}), problem.reference());
  CHECK_FALSE(outcome.ok);
  CHECK(measure(outcome, "max_relative_error") == 0.25);
  CHECK(near(measure(outcome, "mean_relative_error"), (0.25 + 0.25 + 0.125) / 3, 1e-15));
}

TEST_CASE("the mean of the relative errors is over the elements of all columns") {
  const Matrix a = matrix_from_entries("diagonal", 2, 2, {{0, 0, 2.0}, {1, 1, -4.0}});
  Dense ones(2, 3), y(2, 3);
  std::fill(ones.data.begin(), ones.data.end(), 1.0);
  for (std::int64_t j = 0; j < 3; ++j) {
    y(0, j) = 2.0;
    y(1, j) = j == 0 ? -3.0 : -4.0;  // a quarter off
  }
  const SpmmProblem problem(a, ones, 64);
  const CheckOutcome outcome = problem.check(y, problem.reference());
  CHECK(near(measure(outcome, "mean_relative_error"), 0.25 / 6, 1e-15));
}

TEST_CASE("the reference has more than the working precision") {
  // A product just below 2, whose bound is just below a unit in the last place: the double above
  // it is right where the exact product is nearer to it than that.
  int tried = 0;
  for (int step = 0; step < 400; ++step) {
    const double value = 1.30 + step * 1.1e-4, x = 1.4876543210987;
    const Matrix a = matrix_from_entries("one", 1, 1, {{0, 0, value}});
    const SpmmProblem problem(a, one_column({x}), 64);
    const SpmmReference reference = problem.reference();
    const double high = reference.high(0, 0), low = reference.low(0, 0);
    const double above = std::nextafter(high, 3.0);
    if (high > 1.93 && high < 1.99 && low > 0.2 * (above - high)) {
      ++tried;
      CHECK(problem.check(one_column({above}), reference).ok);
    }
  }
  CHECK(tried > 20);
}

TEST_CASE("cancellation makes the relative error large and leaves omega small") {
  const Matrix a = matrix_from_entries("cancelling", 1, 4,
                                       {{0, 0, 1e10}, {0, 1, 0.1}, {0, 2, -1e10}, {0, 3, 1e-3}});
  const SpmmProblem problem(a, one_column({1.0, 1.0, 1.0, 1.0}), 64);
  const CheckOutcome outcome = problem.check(backwards(problem, false), problem.reference());
  CHECK(outcome.ok);
  CHECK(measure(outcome, "omega") < 1.0);
  CHECK(measure(outcome, "max_relative_error") > 1e-10);
}
