// Products with A^T and in fp32: against the reference and by hand; what records state; refusals.
#include <algorithm>
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

SpmmProblem form_of(const Matrix& matrix, std::int64_t k, std::int64_t offset_bits,
                    const std::string& op, const std::string& value_type) {
  return SpmmProblem(matrix, {{"k", k},
                              {"x_range", "signed"},
                              {"offset_bits", offset_bits},
                              {"op", op},
                              {"value_type", value_type}});
}

constexpr std::pair<const char*, const char*> other_forms[] = {
    {"transpose", "fp64"}, {"none", "fp32"}, {"transpose", "fp32"}};

Dense dense(std::int64_t rows, std::int64_t cols, const std::vector<double>& elements) {
  Dense x(rows, cols);
  REQUIRE(x.data.size() == elements.size());
  std::copy(elements.begin(), elements.end(), x.data.begin());
  return x;
}

}  // namespace

TEST_CASE("every product with A^T and in fp32 agrees with the reference", "[spmm][battery]") {
  for (const NamedMatrix& named : battery()) {
    for (const auto& [op, value_type] : other_forms) {
      for (const std::int64_t k : {1, 3, 8}) {
        INFO(named.name << ", k = " << k << ", op " << op << ", " << value_type);
        const SpmmProblem problem = form_of(named.matrix, k, k == 3 ? 64 : 32, op, value_type);
        const SpmmReference reference = problem.reference();
        for_each_cell(problem, [&](const auto& algorithm, const Params& params) {
          CHECK(verify(algorithm, problem, reference, params) <= 1.0);
        });
      }
    }
  }
}

TEST_CASE("A^T and fp32: an answer by hand, and one that is wrong") {
  //     | 1 0 2 |               | x00   x01  |
  // A = | 0 3 0 |,     A^T X =  | 3x10  3x11 |
  //                             | 2x00  2x01 |
  const Matrix a = matrix_from_entries("hand", 2, 3, {{0, 0, 1.0}, {0, 2, 2.0}, {1, 1, 3.0}});
  for (const bool narrow : {false, true}) {
    const SpmmProblem problem = form_of(a, 2, 32, "transpose", narrow ? "fp32" : "fp64");
    CHECK(problem.y_rows() == 3);
    REQUIRE(problem.x().rows == 2);
    const Dense& x = problem.x();
    Dense y = dense(3, 2, {x(0, 0), x(0, 1), 3 * x(1, 0), 3 * x(1, 1), 2 * x(0, 0), 2 * x(0, 1)});
    if (narrow) {
      for (double& element : y.data) {
        element = static_cast<float>(element);
      }
    }
    const SpmmReference reference = problem.reference();
    CHECK(problem.check(y, reference).ok);
    y(1, 0) *= 1 + (narrow ? 0x1p-22 : 0x1p-51);
    CHECK_FALSE(problem.check(y, reference).ok);
  }
  // (4 + V) nnz + 4 (M + 1) + V (N + M) K bytes; no bound by gathers of X.
  const SpmmProblem transposed = form_of(a, 2, 32, "transpose", "fp64");
  CHECK(transposed.model().bytes == 12 * 3 + 4 * 3 + 8 * 5 * 2);
  CHECK(form_of(a, 2, 32, "transpose", "fp32").model().bytes == 8 * 3 + 4 * 3 + 4 * 5 * 2);
  CHECK(transposed.model().second.name.empty());
}

TEST_CASE("records state op and value_type only beside their defaults") {
  const Matrix a = matrix_from_entries("hand", 2, 3, {{0, 0, 1.0}});
  CHECK(to_string(form_of(a, 2, 32, "none", "fp64").parameters()) ==
        "k=2 offset_bits=32 x_range=signed");
  CHECK(to_string(form_of(a, 2, 32, "transpose", "fp32").parameters()) ==
        "k=2 offset_bits=32 op=transpose value_type=fp32 x_range=signed");
}

TEST_CASE("products that do not know A^T or fp32 refuse it") {
  const Matrix a = matrix_from_entries("hand", 2, 3, {{0, 0, 1.0}});
  for (const auto& algorithm : spmm_algorithms()) {
    const Params defaults = cells_of(algorithm).front();
    if (algorithm.name == "omp_csr") {
      CHECK(refusal(algorithm, form_of(a, 1, 32, "transpose", "fp64"), defaults) ==
            "omp_csr does not compute A^T X");
      CHECK(refusal(algorithm, form_of(a, 1, 32, "none", "fp32"), defaults) ==
            "omp_csr does not take fp32");
    }
    if (algorithm.name == "cusparse_csr_kept") {
      CHECK(algorithm.applies(form_of(a, 1, 32, "transpose", "fp64")));
      CHECK_FALSE(algorithm.applies(form_of(a, 1, 32, "none", "fp64")));
    }
  }
}
