// Products of a sparse matrix and a multivector, compared with the reference and with numbers by
// hand; properties of products. test_spmm_check.cpp tests the check itself,
// test_spmm_forms.cpp products with A^T and in fp32.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "spmm/spmm.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/spmm_cells.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

SpmmProblem problem_of(const Matrix& matrix, std::int64_t k, const std::string& x_range = "signed",
                       std::int64_t offset_bits = 32) {
  return SpmmProblem(matrix, {{"k", k}, {"x_range", x_range}, {"offset_bits", offset_bits}});
}

Dense dense(std::int64_t rows, std::int64_t cols, const std::vector<double>& elements) {
  Dense x(rows, cols);
  REQUIRE(x.data.size() == elements.size());
  std::copy(elements.begin(), elements.end(), x.data.begin());
  return x;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every product agrees with the reference on the battery", "[spmm][battery]") {
  double omega = 0.0;
  for (const NamedMatrix& named : battery()) {
    for (const auto& [k, x_range] : {std::pair{1, "signed"},
                                     {1, "unit"},
                                     {2, "unit"},
                                     {3, "signed"},
                                     {3, "unit"},
                                     {5, "signed"},
                                     {8, "signed"},
                                     {8, "unit"},
                                     {17, "signed"}}) {
      if (brief() && k != 2 && std::string(x_range) == "unit") {
        continue;  // a brief run skips them: memory accesses are those with signed values
      }
      INFO(named.name << ", k = " << k << ", X " << x_range);
      const SpmmProblem problem = problem_of(named.matrix, k, x_range, k == 3 ? 64 : 32);
      const SpmmReference reference = problem.reference();
      for_each_cell(problem, [&](const auto& algorithm, const Params& params) {
        omega = std::max(omega, verify(algorithm, problem, reference, params));
      });
    }
  }
  // A row of one entry is rounded once, by at most u, so that some answer nearly attains its bound.
  CHECK((omega > 0.9 || !all_parts() || brief()));
  CHECK(omega <= 1.0);
}

TEST_CASE("no product of the battery is refused") {
  for (const NamedMatrix& named : battery()) {
    const SpmmProblem problem = problem_of(named.matrix, 1);
    for (const auto& algorithm : spmm_algorithms()) {
      const Params defaults = cells_of(algorithm).front();
      INFO(named.name << ", " << algorithm.name << " (" << to_string(defaults) << ")");
      CHECK((algorithm.peer || refusal(algorithm, problem, defaults).empty()));
    }
  }
}

TEST_CASE("an answer by hand") {
  //     | 1 0 2 |       | 1  2 |       | 11 14 |
  // A = | 0 0 0 |   X = | 3  4 |   Y = |  0  0 |
  //     | 0 3 4 |       | 5  6 |       | 29 36 |
  const Matrix a =
      matrix_from_entries("hand", 3, 3, {{0, 0, 1.0}, {0, 2, 2.0}, {2, 1, 3.0}, {2, 2, 4.0}});
  const SpmmProblem problem(a, dense(3, 2, {1, 2, 3, 4, 5, 6}), 32);
  const Dense expected = dense(3, 2, {11, 14, 0, 0, 29, 36});
  for_each_cell(problem, [&](const auto& algorithm, const Params& params) {
    CHECK(multiply(algorithm, problem, params).data == expected.data);
  });
  CHECK(problem.reference().high.data == expected.data);
  CHECK(problem.model().flops == 2 * 4 * 2);
  CHECK(problem.model().bytes == 4 * 12 + 4 * 4 + 3 * 2 * 8 + 3 * 2 * 8);
  CHECK(SpmmProblem(a, problem.x(), 64).model().bytes == problem.model().bytes + 4 * 4);
}

TEST_CASE("A I = A") {
  for (const NamedMatrix& named : battery()) {
    const Csr<std::int64_t, double>& a = named.matrix.csr;
    if (a.cols > 130 || a.rows > 3000) {
      continue;
    }
    INFO(named.name);
    Dense identity(a.cols, a.cols);
    std::fill(identity.data.begin(), identity.data.end(), 0.0);
    Dense expected(a.rows, a.cols);
    std::fill(expected.data.begin(), expected.data.end(), 0.0);
    for (index_t j = 0; j < a.cols; ++j) {
      identity(j, j) = 1.0;
    }
    for (index_t i = 0; i < a.rows; ++i) {
      for (std::int64_t p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
        expected(i, a.col_idx[p]) += a.values[p];  // duplicates add up
      }
    }
    const SpmmProblem problem(named.matrix, identity, 32);
    for_each_cell(problem, [&](const auto& algorithm, const Params& params) {
      CHECK(multiply(algorithm, problem, params).data == expected.data);
    });
  }
}

TEST_CASE("A (X + 2 Z) = A X + 2 A Z, exactly for small integers") {
  std::vector<Entry> entries;
  for (index_t i = 0; i < 70; ++i) {
    for (index_t e = 0; e < i % 5; ++e) {
      entries.emplace_back(i, (i * 7 + e * 11) % 50, (i + 3 * e) % 9 - 4.0);
    }
  }
  const Matrix a = matrix_from_entries("integers", 70, 50, entries);
  Dense x(50, 3), z(50, 3), combined(50, 3);
  for (std::size_t e = 0; e < x.data.size(); ++e) {
    x.data[e] = static_cast<double>(e * 5 % 13) - 6.0;
    z.data[e] = static_cast<double>(e * 3 % 11) - 5.0;
    combined.data[e] = x.data[e] + 2 * z.data[e];
  }
  const SpmmProblem of_x(a, x, 32), of_z(a, z, 32), of_combined(a, combined, 32);
  for_each_cell(of_x, [&](const auto& algorithm, const Params& params) {
    Dense sum = multiply(algorithm, of_x, params);
    const Dense az = multiply(algorithm, of_z, params);
    for (std::size_t e = 0; e < sum.data.size(); ++e) {
      sum.data[e] += 2 * az.data[e];
    }
    CHECK(sum.data == multiply(algorithm, of_combined, params).data);
  });
}

TEST_CASE("X is fixed, within its range, and continued by more columns") {
  const Matrix a = matrix_from_entries("wide", 1, 4000, {{0, 3999, 1.0}});
  const Dense narrow = problem_of(a, 2).x();
  const Dense wide = problem_of(a, 7).x();
  const Dense unit = problem_of(a, 7, "unit").x();
  CHECK(problem_of(a, 7).x().data == wide.data);
  double low = 1.0, high = -1.0, mean = 0.0;
  for (std::int64_t n = 0; n < 4000; ++n) {
    for (std::int64_t j = 0; j < 7; ++j) {
      CHECK((j >= 2 || narrow(n, j) == wide(n, j)));
      CHECK((unit(n, j) >= 0.0 && unit(n, j) < 1.0));
      low = std::min(low, wide(n, j));
      high = std::max(high, wide(n, j));
      mean += unit(n, j) / 28000;
    }
  }
  CHECK((low >= -1.0 && low < -0.999));
  CHECK((high <= 1.0 && high > 0.999));
  CHECK(std::fabs(mean - 0.5) < 5 / std::sqrt(12.0 * 28000));  // five standard deviations
}

TEST_CASE("padding beyond the limit is refused with factor and size") {
  std::vector<Entry> entries;
  for (index_t j = 0; j < 5000; ++j) {
    entries.emplace_back(3, j, 1.0);
  }
  const SpmmProblem problem =
      problem_of(matrix_from_entries("one_long_row", 40000, 5000, entries), 1);
  for (const auto& algorithm : spmm_algorithms()) {
    INFO(algorithm.name);
    if (algorithm.name == "cusparse_bsr") {  // stores blocks; test_spmm_cuda.cpp has its refusals
      continue;
    }
    const bool padded = algorithm.name == "serial_ellpack" || algorithm.name == "omp_ellpack" ||
                        algorithm.name == "cuda_ellpack_column_major";
    const std::string reason = refusal(algorithm, problem, cells_of(algorithm).front());
    CHECK((algorithm.peer || reason.empty() == !padded));  // a peer may refuse fp64, or K = 1
    CHECK(contains(reason, "padding") == padded);
    CHECK((!padded || contains(reason, "40000 times the entries (padding factor) in 2288 MiB")));
    CHECK((!padded || contains(reason, "limit is 2048 MiB")));
  }
}

TEST_CASE("runs on the host report padding, workspace and the transposition of X") {
  const Matrix a =
      matrix_from_entries("hand", 3, 3, {{0, 0, 1.0}, {0, 2, 2.0}, {2, 1, 3.0}, {2, 2, 4.0}});
  const SpmmProblem problem = problem_of(a, 2);
  for_each_cell(problem, [&](const auto& algorithm, const Params& params) {
    if (algorithm.backend == Backend::cuda || algorithm.peer) {
      return;
    }
    const auto run = algorithm.prepare(problem, params);
    const bool no_padding = contains(algorithm.name, "no_padding");
    const bool padded = contains(algorithm.name, "ellpack") && !no_padding;
    const bool blocked = algorithm.name == "omp_csr_blocked";
    CHECK(run->has_preprocess() == (algorithm.backend == Backend::omp));
    if (blocked) {  // a copy of A in bundles; test_row_bundles.cpp tests its size
      CHECK(run->workspace_bytes() < 4 * 12);
      run->preprocess();
      const bool copies = params.text("path") != "csr";
      const std::int64_t shares = 64 * params.integer("threads");
      CHECK((run->workspace_bytes() - shares >= 200) == copies);  // less is a window
      CHECK(run->workspace_bytes() - shares < 2000);
      return;
    }
    const std::int64_t own = run->has_preprocess() ? 3 * 2 * 8 : 0;
    const std::int64_t format = padded ? 3 * 2 * 12 + 3 * 4 : no_padding ? 4 * 12 + 3 * (4 + 8) : 0;
    CHECK(run->workspace_bytes() == own + format);
    CHECK(run->measures() == (padded ? Measures{{"padding_factor", 1.5}} : Measures{}));
  });
}

TEST_CASE("an instance that cannot be is refused") {
  const Matrix a = matrix_from_entries("hand", 2, 2, {{0, 0, 1e308}, {0, 1, 1e308}});
  CHECK_THROWS_AS(SpmmProblem(a, dense(3, 1, {1, 2, 3}), 32), InputError);
  const SpmmProblem overflowing(a, dense(2, 1, {1, -1}), 32);
  CHECK_THROWS_AS(overflowing.reference(), InputError);
}
