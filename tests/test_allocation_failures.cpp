// Where an allocation of a public function fails: each one of a call in turn. What comes of it is
// std::bad_alloc; nothing leaks, and the next call gives the right answer.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "formats/public_views.hpp"
#include "generate/generate.hpp"
#include "sparserepro/spmm.hpp"
#include "sparserepro/transpose.hpp"
#include "sparserepro/transpose_plan.hpp"
#include "sparserepro/triangles.hpp"
#include "support/catch.hpp"
#include "support/each_allocation.hpp"

using namespace sparserepro;
using testing::Ended, testing::fail_each, testing::with_failing;

namespace {

using Csr32 = Csr<std::int32_t, double>;

Csr32 matrix_of(const std::string& spec) {
  return csr_cast<std::int32_t, double>(generate(spec).csr);
}

bool same(const Csr32& a, const Csr32& b) {
  return a.row_ptr == b.row_ptr && a.col_idx == b.col_idx && a.values == b.values;
}

}  // namespace

TEST_CASE("a failing allocation ends a transposition with bad_alloc", "[memory]") {
  const Csr32 a = matrix_of("uniform:rows=900,cols=700,nnz=40000,seed=4");
  Csr32 want(a.cols, a.rows, a.nnz()), got(a.cols, a.rows, a.nnz());
  host::transpose(public_view(a), public_output(want), {.path = host::TransposePath::serial});
  const std::vector<std::int64_t> wide(a.col_idx.begin(), a.col_idx.end());
  std::vector<std::int64_t> wide_rows(wide.size());
  using enum host::TransposePath;
  for (const auto path : {automatic, serial, direct, columns, buckets}) {
    for (const int threads : {1, 3}) {
      CAPTURE(static_cast<int>(path), threads);
      const auto call = [&] {
        std::fill(got.col_idx.begin(), got.col_idx.end(), -1);
        host::transpose(public_view(a), public_output(got), {.threads = threads, .path = path});
      };
      CHECK(fail_each(call, [&] { return same(got, want); }) > 0);
    }
  }
  CsrInput in = public_view(a);
  in.col_idx = wide.data();
  CsrOutput out = public_output(got);
  out.col_idx = wide_rows.data();
  fail_each([&] { host::transpose(in, out, {.threads = 2}); },
            [&] {
              return got.values == want.values &&
                     std::equal(wide_rows.begin(), wide_rows.end(), want.col_idx.begin());
            });
}

TEST_CASE("an object takes the next call after one that found too little memory", "[memory]") {
  GraphCleaning cleaning;
  const Graph graph = graph_from_matrix(generate("rmat:scale=8").csr, cleaning, 2);
  const std::uint64_t triangles = host::triangle_count(public_view(graph));
  std::vector<std::uint64_t> of_vertex(static_cast<std::size_t>(graph.vertices));
  for (std::int64_t number = 0;; ++number) {
    host::TriangleCounter counter(public_view(graph), {.threads = 2});
    const auto count = [&] { counter.count({.of_vertex = of_vertex.data(), .of_entry = nullptr}); };
    const Ended ended = with_failing(number, count);
    REQUIRE(counter.count({.of_vertex = of_vertex.data(), .of_entry = nullptr}) == triangles);
    if (!ended.reached) {
      CHECK(number > 0);
      break;
    }
    CHECK(ended.failed);
  }
}

TEST_CASE("a failing allocation ends the plan of a transposition with bad_alloc", "[memory]") {
  // The larger one is sampled for its passes.
  const auto* const spec = GENERATE("uniform:rows=900,cols=700,nnz=40000,seed=4",
                                    "uniform:rows=3000,cols=3000,nnz=1600000,seed=4");
  CAPTURE(spec);
  const Csr32 a = matrix_of(spec);
  Csr32 want(a.cols, a.rows, a.nnz()), got(a.cols, a.rows, a.nnz());
  host::transpose(public_view(a), public_output(want));
  fail_each(
      [&] {
        std::fill(got.col_idx.begin(), got.col_idx.end(), -1);
        const host::TransposePlan plan(public_view(a), public_output(got), {.threads = 2});
        plan(a.values.data(), got.values.data());
      },
      [&] { return same(got, want); });
}

TEST_CASE("a failing allocation ends a product with bad_alloc, and the plan stays", "[memory]") {
  // Long rows, bands, rows of equal columns, and others.
  for (const char* const spec :
       {"circuit:rows=3000,dense_rows=2,dense_cols=2,dense_length=2500", "banded:rows=900",
        "fem:nx=7,ny=6,nz=5,dofs=3", "uniform:rows=800,cols=800,nnz=9000,seed=1"}) {
    const Csr32 a = matrix_of(spec);
    const Buffer<float> floats(a.values.begin(), a.values.end());
    constexpr std::int64_t k = 5;
    for (const bool wide : {true, false}) {
      for (const auto operation : {Operation::none, Operation::transpose}) {
        CAPTURE(spec, wide, operation == Operation::transpose);
        CsrInput in = public_view(a);
        if (!wide) {
          in.values = floats.data();
        }
        const DataType type = wide ? DataType::fp64 : DataType::fp32;
        std::vector<double> x(static_cast<std::size_t>(a.cols * k), 0.0), y(x.size()),
            want(x.size());
        std::generate(x.begin(), x.end(), [n = 0.0f]() mutable {
          float pair[2] = {n += 1.0f, 0.5f};
          double both;
          std::memcpy(&both, pair, sizeof both);
          return both;
        });
        const DenseInput x_rows{a.cols, k, k, {x.data(), type}};
        const DenseOutput y_rows{a.cols, k, k, {y.data(), type}};
        const host::SpmmOptions options{.threads = 2, .operation = operation};
        std::fill(y.begin(), y.end(), -1.0);  // what fp32 leaves is compared too
        host::spmm(1.0, in, x_rows, 0.0, y_rows, options);
        want = y;
        const auto right = [&] { return y == want; };
        fail_each(
            [&] {
              std::fill(y.begin(), y.end(), -1.0);
              host::spmm(1.0, in, x_rows, 0.0, y_rows, options);
            },
            right);
        // Memory that a plan takes at its first call with scalars and other layouts.
        const DenseInput x_columns{a.cols, k, a.cols, {x.data(), type}, DenseLayout::column_major};
        const DenseOutput y_columns{a.cols, k, a.cols, {y.data(), type}, DenseLayout::column_major};
        host::SpmmPlan first(in, k, options);
        first(2.0, x_columns, 0.0, y_columns);
        want = y;
        for (std::int64_t number = 0;; ++number) {
          host::SpmmPlan plan(in, k, options);
          const Ended ended = with_failing(number, [&] { plan(2.0, x_columns, 0.0, y_columns); });
          plan(2.0, x_columns, 0.0, y_columns);
          REQUIRE(right());
          if (!ended.reached) {
            break;
          }
          CHECK(ended.failed);
        }
      }
    }
  }
}

TEST_CASE("a failing allocation ends a count of triangles with bad_alloc", "[memory]") {
  GraphCleaning cleaning;
  for (const char* const spec : {"rmat:scale=9,edge_factor=8,seed=1", "mesh:width=30,height=20"}) {
    const Graph graph = graph_from_matrix(generate(spec).csr, cleaning, 2);
    const std::uint64_t want = host::triangle_count(public_view(graph));
    std::uint64_t got = 0;
    using enum host::TrianglePath;
    for (const auto path : {automatic, low, ranked}) {
      CAPTURE(spec, static_cast<int>(path));
      fail_each(
          [&] { got = host::triangle_count(public_view(graph), {.threads = 2, .path = path}); },
          [&] { return got == want; });
    }
    std::vector<std::uint64_t> of_vertex(static_cast<std::size_t>(graph.vertices));
    fail_each(
        [&] {
          host::TriangleCounter counter(public_view(graph), {.threads = 2});
          got = counter.count({.of_vertex = of_vertex.data(), .of_entry = nullptr});
        },
        [&] { return got == want; });
  }
}
