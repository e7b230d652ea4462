// What the public functions on the host refuse, in words.
#include <algorithm>
#include <cstdint>
#include <string>

#include "formats/asked_threads.hpp"
#include "sparserepro/spmm.hpp"
#include "sparserepro/transpose.hpp"
#include "sparserepro/transpose_plan.hpp"
#include "sparserepro/triangles.hpp"
#include "support/catch.hpp"
#include "support/public_check.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

TEST_CASE("public functions refuse what does not fit, in words", "[public]") {
  const std::int32_t row_ptr[] = {0, 1, 2}, col_idx[] = {0, 1}, bad_columns[] = {0, 2};
  const std::int32_t falling[] = {0, 3, 2};
  const double values[] = {1, 2};
  double out[4] = {};
  std::int32_t out_ptr[3] = {}, out_idx[2] = {};
  const CsrInput a{2, 2, 2, row_ptr, col_idx, values};
  const auto with = [&](auto change) {
    CsrInput changed = a;
    change(changed);
    return refusal([&] { host::Transposer transposer(changed); });
  };
  CHECK(with([](CsrInput&) {}).empty());
  CHECK(with([](CsrInput& m) { m.rows = -1; }) == "rows is -1; it must be from 0 to 2147483647");
  CHECK(with([](CsrInput& m) { m.cols = std::int64_t{1} << 31; }) ==
        "cols is 2147483648; it must be from 0 to 2147483647");
  CHECK(with([](CsrInput& m) { m.nnz = std::int64_t{1} << 31; }) ==
        "nnz with row_ptr of int32 is 2147483648; it must be from 0 to 2147483647");
  CHECK(with([](CsrInput& m) { m.col_idx = nullptr; }) ==
        "col_idx is of none; it must be of int32 or int64");
  CHECK(with([&](CsrInput& m) { m.row_ptr = values; }) ==
        "row_ptr is of fp64; it must be of int32 or int64");
  CHECK(with([](CsrInput& m) { m.values.data = nullptr; }) ==
        "values is missing; it has 2 elements");
  CHECK(with([](CsrInput& m) { m.rows = 0; }) == "2 entries in a matrix of 0 x 2");
  CHECK(refusal([&] {
          host::transpose(a, {out_ptr, out_idx, nullptr});
        }) == "values of the answer is of none, that of the matrix of fp64");
  CHECK(refusal([&] { host::transpose(a, {out_ptr, out_idx, out}); }).empty());
  CsrInput pattern = a;
  pattern.values = {};
  const host::TransposePlan plan(pattern, {out_ptr, out_idx, nullptr});
  CHECK(refusal([&] { plan(values, out_idx); }) ==
        "values are of fp64, those of the answer of int32; they must be of one type");
  CHECK(refusal([&] { plan(static_cast<const double*>(nullptr), out); }) ==
        "values is missing; it has 2 elements");
  CHECK(refusal([&] { host::validate(a); }).empty());
  CHECK(refusal([&] {
          host::validate({2, 2, 2, row_ptr, bad_columns, values});
        }) == "entry 1 is in column 2; the matrix has 2");
  CHECK(refusal([&] {
          host::validate({2, 2, 2, falling, col_idx, values});
        }) == "row_ptr falls at row 1");
  CHECK(refusal([&] {
          host::validate({2, 2, 1, row_ptr, col_idx, values});
        }) == "row_ptr runs from 0 to 2; it must run from 0 to nnz, 1");
  const std::int32_t none[] = {0, 0, 0};
  std::int32_t of_none[3] = {};
  const host::TransposePlan of_empty({2, 2, 0, none, {}, {}}, {of_none, {}, {}});
  CHECK(refusal([&] { of_empty({}, {}); }).empty());
  CHECK(refusal([&] {
          host::spmm(1.0, a, {2, 2, 1, out}, 0.0, {2, 2, 2, out});
        }) == "the stride of X, row_major, is 1; it must be at least 2");
  CHECK(refusal([&] {
          host::SpmmPlan plan({2, 2, 2, row_ptr, col_idx, nullptr}, 1);
        }) == "values are of none; the product takes fp64, fp32, fp16 and bf16");
  CHECK(refusal([&] {
          host::TriangleCounter counter({2, 3, 2, row_ptr, col_idx, nullptr});
        }) == "a graph's matrix is square, not 2 x 3");
}

TEST_CASE("public functions refuse row pointers that do not run from 0 to nnz", "[public]") {
  const auto refused = [](auto first, auto last, const std::string& words) {
    using Offset = decltype(first);
    const Offset row_ptr[] = {first, 1, last};
    const std::int32_t col_idx[] = {1, 0};
    const double values[] = {1, 2};
    const std::uint64_t of_vertex[] = {0, 0};
    double out[2] = {};
    Offset out_ptr[3] = {};
    std::int32_t out_idx[2] = {};
    const CsrInput a{2, 2, 2, row_ptr, col_idx, values};
    const CsrOutput to{out_ptr, out_idx, out};
    CHECK(refusal([&] { host::Transposer transposer(a); }) == words);
    CHECK(refusal([&] { host::transpose(a, to); }) == words);
    CHECK(refusal([&] { host::TransposePlan plan(a, to); }) == words);
    for (const Operation operation : {Operation::none, Operation::transpose}) {
      const auto plan = [&] { host::SpmmPlan made(a, 1, {.operation = operation}); };
      CHECK(refusal(plan) == words);
      const auto product = [&] {
        host::spmm(1.0, a, {2, 1, 1, values}, 0.0, {2, 1, 1, out}, {.operation = operation});
      };
      CHECK(refusal(product) == words);
    }
    CHECK(refusal([&] { host::TriangleCounter counter(a); }) == words);
    CHECK(refusal([&] { host::triangle_count(a); }) == words);
    CHECK(refusal([&] { host::local_clustering(a, of_vertex, out); }) == words);
    CHECK(refusal([&] { host::validate(a); }) == words);
  };
  refused(std::int32_t{0}, std::int32_t{2}, "");
  refused(std::int64_t{0}, std::int64_t{2}, "");
  refused(std::int32_t{0}, std::int32_t{1},
          "row_ptr runs from 0 to 1; it must run from 0 to nnz, 2");
  refused(std::int64_t{0}, std::int64_t{5},
          "row_ptr runs from 0 to 5; it must run from 0 to nnz, 2");
  refused(std::int32_t{1}, std::int32_t{2},
          "row_ptr runs from 1 to 2; it must run from 0 to nnz, 2");
  refused(std::int64_t{-1}, std::int64_t{2},
          "row_ptr runs from -1 to 2; it must run from 0 to nnz, 2");

  // Padding behind the last row, as a matrix with room for more entries has it.
  std::int32_t row_ptr[] = {0, 1, 2};
  const std::int32_t col_idx[] = {0, 1};
  std::int32_t out_ptr[3] = {}, out_idx[2] = {};
  host::Transposer transposer({2, 2, 2, row_ptr, col_idx, {}});
  row_ptr[2] = 1;  // contents may change between calls
  CHECK(refusal([&] {
          transposer({out_ptr, out_idx, {}});
        }) == "row_ptr runs from 0 to 1; it must run from 0 to nnz, 2");
  row_ptr[2] = 2;
  CHECK(refusal([&] { transposer({out_ptr, out_idx, {}}); }).empty());
}

TEST_CASE("public functions refuse more threads than OpenMP can start", "[public]") {
  const std::int32_t row_ptr[] = {0, 1, 2}, col_idx[] = {1, 0};
  const double values[] = {1, 2};
  const std::uint64_t of_vertex[2] = {};
  double out[4] = {};
  std::int32_t out_ptr[3] = {}, out_idx[2] = {};
  const CsrInput a{2, 2, 2, row_ptr, col_idx, values};
  constexpr std::int64_t wide = std::int64_t{1} << 32;
  for (const std::int64_t threads : {std::int64_t{most_threads} + 1, std::int64_t{100000},
                                     std::int64_t{-1}, wide + 1, -wide + 1}) {
    if (threads > 0 && threads <= available_cores()) {
      continue;
    }
    const std::string words = "threads is " + std::to_string(threads) + "; it must be from 0 to " +
                              std::to_string(std::max(most_threads, available_cores()));
    CHECK(refusal([&] { host::Transposer transposer(a, {.threads = threads}); }) == words);
    CHECK(refusal([&] {
            host::transpose(a, {out_ptr, out_idx, out}, {.threads = threads});
          }) == words);
    CHECK(refusal([&] {
            host::TransposePlan plan(a, {out_ptr, out_idx, {}}, {.threads = threads});
          }) == words);
    CHECK(refusal([&] { host::SpmmPlan plan(a, 1, {.threads = threads}); }) == words);
    CHECK(refusal([&] { host::TriangleCounter counter(a, {.threads = threads}); }) == words);
    CHECK(refusal([&] { host::local_clustering(a, of_vertex, out, {.threads = threads}); }) ==
          words);
  }
  // Small matrices are taken by one thread, so that this starts none.
  CHECK(refusal([&] { host::Transposer transposer(a, {.threads = most_threads}); }).empty());
}

TEST_CASE("public product: refusals of types, layouts and values", "[public][spmm]") {
  const std::int32_t row_ptr[] = {0, 1, 2}, col_idx[] = {0, 2};
  const double values[] = {1, 2};
  const float floats[] = {1, 2};
  double out[12] = {};
  const CsrInput a{2, 3, 2, row_ptr, col_idx, values};
  host::SpmmPlan plan(a, 2), transposed(a, 2, {.operation = Operation::transpose});
  CHECK(refusal([&] {
          plan(1.0, {2, 2, 2, out}, 0.0, {2, 2, 2, out + 6});
        }) == "X is 2 x 2; the plan is for 3 x 2");
  CHECK(refusal([&] {
          transposed(1.0, {2, 2, 2, out}, 0.0, {2, 2, 2, out + 6});
        }) == "Y is 2 x 2; the plan is for 3 x 2");
  CHECK(refusal([&] {
          plan(1.0, {3, 2, 1, out}, 0.0, {2, 2, 2, out + 6});
        }) == "the stride of X, row_major, is 1; it must be at least 2");
  CHECK(refusal([&] {
          plan(1.0, {3, 2, 2, out, DenseLayout::column_major}, 0.0, {2, 2, 2, out + 6});
        }) == "the stride of X, column_major, is 2; it must be at least 3");
  CHECK(refusal([&] {
          plan(1.0, {3, 2, 2, floats}, 0.0, {2, 2, 2, out + 6});
        }) == "X is of fp32, A of fp64; they must be of one type");
  CHECK(refusal([&] {
          host::SpmmPlan({2, 3, 2, row_ptr, col_idx, row_ptr}, 2);
        }) == "values are of int32; the product takes fp64, fp32, fp16 and bf16");
  CHECK(refusal([&] {
          host::SpmmPlan(a, 999, {.path = host::SpmmPath::band});
        }).starts_with("path band: slices are made for one tile of columns, at most "));
  CHECK(refusal([&] {
          host::SpmmPlan(a, 1, {.path = host::SpmmPath::band});
        }).starts_with("path band: K = 1 stores"));
  CHECK_FALSE(refusal([&] { host::SpmmPlan(a, 2, {.calls = -1}); }).empty());
  CHECK(refusal([&] { plan.set_values(floats); }) ==
        "values are of fp32; those of the plan are of fp64");
  CHECK(refusal([&] { plan.set_values(static_cast<const double*>(nullptr)); }) ==
        "values is missing; it has 2 elements");
}
