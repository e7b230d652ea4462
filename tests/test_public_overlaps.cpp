// The public functions on the host refuse to write memory that they read, or that they write as
// another array; memory beside it, or between its rows, they take.
#include <cstdint>
#include <string>
#include <vector>

#include "formats/check_apart.hpp"
#include "sparserepro/spmm.hpp"
#include "sparserepro/transpose.hpp"
#include "sparserepro/transpose_plan.hpp"
#include "sparserepro/triangles.hpp"
#include "support/catch.hpp"
#include "support/public_check.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

std::string shared(const std::string& written, const std::string& other) {
  return written + " and " + other + " share memory; what is written must lie apart";
}

/// Whether two places share a byte, by looking at each.
bool share_a_byte(const Place& a, const Place& b) {
  const auto* const first = static_cast<const char*>(a.data);
  const auto* const second = static_cast<const char*>(b.data);
  for (std::uint64_t i = 0; i < a.runs * a.run; ++i) {
    for (std::uint64_t j = 0; j < b.runs * b.run; ++j) {
      if (first + i / a.run * a.stride + i % a.run == second + j / b.run * b.stride + j % b.run) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

TEST_CASE("places share memory where they share a byte", "[public]") {
  std::vector<char> memory(64);
  int yes = 0, no = 0;
  for (int at = 0; at < 24; ++at) {
    for (std::uint64_t run = 0; run <= 3; ++run) {
      for (std::uint64_t runs = 0; runs <= 3; ++runs) {
        const Place first{"first", &memory[8], 2, 3, 5};
        const Place second{"second", &memory[at], run, runs, 5};
        const bool wanted = share_a_byte(first, second);
        CAPTURE(at, run, runs);
        REQUIRE(share_memory(first, second) == wanted);
        REQUIRE(share_memory(second, first) == wanted);
        ++(wanted ? yes : no);
      }
    }
  }
  CHECK(yes > 50);
  CHECK(no > 50);
  // Of different strides the ranges alone count.
  const Place by_five{"five", &memory[8], 2, 3, 5}, by_ten{"ten", &memory[10], 1, 2, 10};
  CHECK_FALSE(share_a_byte(by_five, by_ten));
  CHECK(share_memory(by_five, by_ten));
}

TEST_CASE("transposition: an answer in memory of A or of itself is refused", "[public]") {
  std::int32_t row_ptr[] = {0, 1, 2}, col_idx[] = {0, 1}, out_ptr[4] = {}, out_idx[4] = {};
  std::int32_t values[] = {1, 2}, out[2] = {};
  const CsrInput a{2, 2, 2, row_ptr, col_idx, values};
  const auto refused = [&](const CsrOutput& to) {
    return refusal([&] { host::transpose(a, to); });
  };
  CHECK(refused({out_ptr, out_idx, out}).empty());
  CHECK(refused({row_ptr, out_idx, out}) == shared("row_ptr of the answer", "row_ptr of A"));
  CHECK(refused({out_ptr, col_idx, out}) == shared("col_idx of the answer", "col_idx of A"));
  CHECK(refused({out_ptr, out_idx, values}) == shared("values of the answer", "values of A"));
  CHECK(refused({out_ptr, out_idx, row_ptr + 1}) == shared("values of the answer", "row_ptr of A"));
  CHECK(refused({out_ptr, out_ptr + 2, out}) ==
        shared("col_idx of the answer", "row_ptr of the answer"));
  CHECK(refused({out_ptr, out_idx, out_idx + 1}) ==
        shared("values of the answer", "col_idx of the answer"));

  const auto plan_refused = [&](const CsrOutput& to) {
    return refusal([&] { host::TransposePlan plan(a, to); });
  };
  CHECK(plan_refused({out_ptr, col_idx, nullptr}) ==
        shared("col_idx of the answer", "col_idx of A"));
  CHECK(plan_refused({out_ptr, values, nullptr}).empty());  // values are not read
}

TEST_CASE("plan of transposition: values are not moved in place", "[public]") {
  const std::int32_t row_ptr[] = {0, 1, 2}, col_idx[] = {1, 0};
  std::int32_t out_ptr[3] = {}, out_idx[2] = {};
  double values[] = {1, 2, 0, 0};
  const host::TransposePlan plan({2, 2, 2, row_ptr, col_idx, nullptr}, {out_ptr, out_idx, nullptr});
  const std::string words = shared("values of the answer", "values of A");
  CHECK(refusal([&] { plan(values, values); }) == words);
  CHECK(refusal([&] { plan(values, values + 1); }) == words);
  CHECK(refusal([&] { plan(values + 1, values); }) == words);
  CHECK(refusal([&] { plan(values, values + 2); }).empty());
  CHECK(values[2] == 2);
  CHECK(values[3] == 1);
}

TEST_CASE("product: Y in memory of X or A is refused", "[public][spmm]") {
  // Room for Y in each, though two entries are A's.
  std::int64_t row_ptr[4] = {0, 1, 2};
  std::int64_t col_idx[4] = {1, 0};
  double values[4] = {1, 2}, both[12] = {1, 2, 0, 0, 3, 4}, y[4] = {}, other[4] = {5, 6};
  const CsrInput a{2, 2, 2, row_ptr, col_idx, values};
  constexpr DenseLayout columns = DenseLayout::column_major;
  for (const Operation operation : {Operation::none, Operation::transpose}) {
    for (const std::int64_t calls : {0, 1}) {
      CAPTURE(to_string(operation), calls);
      const host::SpmmOptions options{.threads = 1, .operation = operation, .calls = calls};
      host::SpmmPlan plan(a, 2, options);
      const auto refused = [&](const DenseInput& x, const DenseOutput& to) {
        return refusal([&] { plan(1.0, x, 0.0, to); });
      };
      const auto in = [](double* data) { return DenseOutput{2, 2, 2, data}; };
      CHECK(refused({2, 2, 2, both}, in(y)).empty());
      CHECK(refused({2, 2, 2, both}, in(both)) == shared("Y", "X"));
      CHECK(refused({2, 2, 2, both}, in(both + 3)) == shared("Y", "X"));
      CHECK(refused({2, 2, 2, both + 3}, in(both)) == shared("Y", "X"));
      CHECK(refused({2, 2, 2, both, columns}, in(both)) == shared("Y", "X"));
      CHECK(refused({2, 2, 2, both}, {2, 2, 2, {values, DataType::fp64}}) ==
            shared("Y", "values of A"));
      CHECK(refused({2, 2, 2, both}, {2, 2, 2, {row_ptr, DataType::fp64}}) ==
            shared("Y", "row_ptr of A"));
      CHECK(refused({2, 2, 2, both}, {2, 2, 2, {col_idx, DataType::fp64}}) ==
            shared("Y", "col_idx of A"));
      // Columns of one array side by side are apart.
      for (const DenseLayout layout : {DenseLayout::row_major, columns}) {
        CHECK(refused({2, 2, 4, both, layout}, {2, 2, 4, both + 2, layout}).empty());
        CHECK(refused({2, 2, 4, both, layout}, {2, 2, 4, both + 1, layout}) == shared("Y", "X"));
        CHECK(refused({2, 2, 4, both, layout}, {2, 2, 4, both + 3, layout}) == shared("Y", "X"));
      }
      CHECK(refusal([&] {
              host::spmm(1.0, a, {2, 2, 2, both}, 0.0, in(both), options);
            }) == shared("Y", "X"));
      plan.set_values(other);
      CHECK(refused({2, 2, 2, both}, in(other)) == shared("Y", "values of A"));
      CHECK(refused({2, 2, 2, y}, {2, 2, 2, both + 6}).empty());
    }
  }
}

TEST_CASE("triangles: counts in memory of the graph or of each other are refused", "[public]") {
  std::int64_t row_ptr[] = {0, 2, 4, 6}, col_idx[] = {1, 2, 0, 2, 0, 1};
  std::uint64_t values[6] = {}, counts[9] = {};
  double coefficients[3] = {};
  const CsrInput graph{3, 3, 6, row_ptr, col_idx, {values, DataType::int64}};
  host::TriangleCounter counter(graph, {.threads = 1});
  counter.prepare();
  const auto refused = [&](const host::TriangleCounts& to) {
    return refusal([&] { counter.count(to); });
  };
  auto* const pointers = reinterpret_cast<std::uint64_t*>(row_ptr);
  auto* const columns = reinterpret_cast<std::uint64_t*>(col_idx);
  CHECK(refused({counts, counts + 3}).empty());
  CHECK(refused({values, nullptr}).empty());  // values are not read
  CHECK(refused({counts, counts + 2}) == shared("of_entry", "of_vertex"));
  CHECK(refused({pointers, nullptr}) == shared("of_vertex", "row_ptr of A"));
  CHECK(refused({nullptr, columns}) == shared("of_entry", "col_idx of A"));

  const auto clustering = [&](double* out) {
    return refusal([&] { host::local_clustering(graph, counts, out); });
  };
  CHECK(clustering(coefficients).empty());
  CHECK(clustering(reinterpret_cast<double*>(counts)) == shared("coefficients", "of_vertex"));
  CHECK(clustering(reinterpret_cast<double*>(row_ptr)) == shared("coefficients", "row_ptr of A"));
}
