// The public functions on the host: every combination of types against the reference, arrays that
// begin anywhere, scalars, and several callers at once.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "formats/public_views.hpp"
#include "generate/generate.hpp"
#include "sparserepro/spmm.hpp"
#include "sparserepro/transpose.hpp"
#include "sparserepro/transpose_plan.hpp"
#include "sparserepro/triangles.hpp"
#include "spmm/spmm.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/public_check.hpp"
#include "transpose/transpose.hpp"
#include "triangles/triangles.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// Elements of any type that begin `shift` elements behind a cache line.
template <class T>
class Shifted {
 public:
  Shifted(std::size_t count, std::size_t shift) : shift_(shift), memory_(count + shift) {
    if (!memory_.empty()) {
      std::memset(static_cast<void*>(memory_.data()), 0xff, memory_.size() * sizeof(T));
    }
  }
  T* data() { return memory_.data() + shift_; }

 private:
  std::size_t shift_;
  Buffer<T> memory_;
};

/// Transposes `matrix` with these types and compares with the reference, the values being stamps.
template <class Offset, class Index, class Value>
void check_transpose(const Matrix& matrix, host::TransposePath path, std::size_t shift) {
  const auto& csr = matrix.csr;
  const auto nnz = static_cast<std::size_t>(csr.nnz());
  const Buffer<Offset> row_ptr(csr.row_ptr.begin(), csr.row_ptr.end());
  const Buffer<Index> col_idx(csr.col_idx.begin(), csr.col_idx.end());
  const auto wanted = transpose_reference(numbered(matrix));

  Shifted<Offset> out_ptr(static_cast<std::size_t>(csr.cols) + 1, shift);
  Shifted<Index> out_idx(nnz, shift);
  Shifted<Value> values(nnz, shift), out_values(nnz, shift);
  constexpr DataType type = sizeof(Value) == 2   ? DataType::fp16
                            : sizeof(Value) == 4 ? DataType::fp32
                                                 : DataType::int64;
  for (std::size_t p = 0; p < nnz; ++p) {
    values.data()[p] = stamp<Value>(static_cast<std::int64_t>(p));
  }
  const CsrInput a{csr.rows,       csr.cols,       csr.nnz(),
                   row_ptr.data(), col_idx.data(), {values.data(), type}};
  host::Transposer transposer(a, {.threads = 3, .path = path});
  for (int call = 0; call < 2; ++call) {
    transposer({out_ptr.data(), out_idx.data(), {out_values.data(), type}});
    CHECK(same_pattern(wanted, out_ptr.data(), out_idx.data()));
    CHECK(stamped(wanted, out_values.data()));
  }
}

constexpr host::TransposePath all_paths[] = {
    host::TransposePath::automatic, host::TransposePath::serial, host::TransposePath::direct,
    host::TransposePath::columns, host::TransposePath::buckets};

}  // namespace

TEST_CASE("public transposition: every type, path and alignment", "[public]") {
  for (const auto& [name, matrix, graph] : battery()) {
    for (const host::TransposePath path : all_paths) {
      CAPTURE(name, static_cast<int>(path));
      check_transpose<std::int32_t, std::int32_t, std::uint16_t>(matrix, path, 1);
      check_transpose<std::int32_t, std::int64_t, std::uint32_t>(matrix, path, 0);
      check_transpose<std::int64_t, std::int32_t, std::uint64_t>(matrix, path, 1);
      check_transpose<std::int64_t, std::int64_t, std::uint16_t>(matrix, path, 0);
    }
  }
  // Long columns and many entries: whole lines are streamed, or where they cannot be, copied.
  for (const char* const spec : {"uniform:rows=3000,cols=40,nnz=60000,seed=3",
                                 "uniform:rows=20000,cols=30000,nnz=400000,seed=5"}) {
    const Matrix matrix = generate(spec);
    for (const host::TransposePath path : all_paths) {
      for (const std::size_t shift : {0, 1, 3}) {
        CAPTURE(spec, static_cast<int>(path), shift);
        check_transpose<std::int32_t, std::int32_t, std::uint16_t>(matrix, path, shift);
        check_transpose<std::int32_t, std::int32_t, std::uint32_t>(matrix, path, shift);
        check_transpose<std::int64_t, std::int64_t, std::uint64_t>(matrix, path, shift);
      }
    }
  }
}

TEST_CASE("public plan: the permutation, and values of every width", "[public]") {
  std::vector<Matrix> matrices;
  for (const auto& named : battery()) {
    matrices.push_back(named.matrix);
  }
  matrices.push_back(generate("uniform:rows=20000,cols=30000,nnz=400000,seed=6"));
  // Two passes are chosen, over several tiles the last of which is not full.
  matrices.push_back(generate("uniform:rows=200000,cols=90000,nnz=1600001,seed=7"));
  const auto path =
      GENERATE(host::PlanPath::automatic, host::PlanPath::gather, host::PlanPath::two_passes);
  for (const Matrix& matrix : matrices) {
    CAPTURE(matrix.name, matrix.source, static_cast<int>(path));
    const auto& csr = matrix.csr;
    const auto nnz = static_cast<std::size_t>(csr.nnz());
    const auto from = numbered(matrix);
    const auto wanted = transpose_reference(from);
    Csr<std::int64_t, double> got(csr.cols, csr.rows, csr.nnz());
    const host::TransposePlan plan(public_view(csr), public_output(got), {.threads = 3}, path);
    CHECK(got.row_ptr == wanted.row_ptr);
    CHECK(got.col_idx == wanted.col_idx);
    REQUIRE(plan.permutation().type == DataType::int32);
    const auto* const source = static_cast<const std::int32_t*>(plan.permutation().data);
    bool same = true;
    for (std::size_t q = 0; q < nnz; ++q) {
      same = same && source[q] == static_cast<std::int32_t>(wanted.values[q]);
    }
    for (int call = 0; call < 2; ++call) {
      std::fill(got.values.begin(), got.values.end(), -1.0);
      plan(from.values.data(), got.values.data());
      CHECK(got.values == wanted.values);
    }
    const auto check_width = [&](auto value, DataType type) {
      using Value = decltype(value);
      Buffer<Value> values(nnz), moved(nnz);
      for (std::size_t p = 0; p < nnz; ++p) {
        values[p] = stamp<Value>(static_cast<std::int64_t>(p));
      }
      plan({values.data(), type}, {moved.data(), type});
      for (std::size_t q = 0; q < nnz; ++q) {
        same = same && moved[q] == values[source[q]];
      }
    };
    check_width(std::uint16_t{}, DataType::bf16);
    check_width(std::uint32_t{}, DataType::int32);
    CHECK(same);
  }
}

TEST_CASE("public transposition: a pattern has no values", "[public]") {
  const Matrix matrix = generate("uniform:rows=500,cols=700,nnz=9000,seed=2");
  const auto pattern = csr_cast<std::int32_t, Pattern>(matrix.csr);
  Csr<std::int32_t, Pattern> out(pattern.cols, pattern.rows, pattern.nnz());
  host::transpose(public_view(pattern), public_output(out));
  const auto wanted = transpose_reference(pattern);
  CHECK(out.row_ptr == wanted.row_ptr);
  CHECK(out.col_idx == wanted.col_idx);
}

TEST_CASE("public product: scalars and 64-bit columns", "[public]") {
  for (const char* const spec :
       {"uniform:rows=900,cols=800,nnz=20000,seed=1", "rmat:scale=10,edge_factor=16"}) {
    const Matrix matrix = generate(spec);
    for (const std::int64_t k : {1, 3, 8, 33}) {
      const SpmmProblem problem(
          matrix, {{"k", k}, {"x_range", "signed"}, {"offset_bits", std::int64_t{32}}});
      const SpmmReference reference = problem.reference();
      const auto& csr = std::get<Csr<std::int32_t, double>>(problem.matrix());
      const Buffer<std::int64_t> wide(csr.col_idx.begin(), csr.col_idx.end());
      CsrInput a = public_view(csr);
      for (const bool wide_columns : {false, true}) {
        CAPTURE(spec, k, wide_columns);
        if (wide_columns) {
          a.col_idx = wide.data();
        }
        Dense y(csr.rows, k);
        std::fill(y.data.begin(), y.data.end(), std::numeric_limits<double>::quiet_NaN());
        host::spmm(1.0, a, public_view(problem.x()), 0.0, public_output(y), {.threads = 2});
        CHECK(problem.check(y, reference).ok);
        // -2 A X + 3 Y with Y = A X is A X again, but for two roundings.
        Dense again = y;
        host::SpmmPlan plan(a, k);
        plan(-2.0, public_view(problem.x()), 3.0, public_output(again));
        bool near = true;
        for (std::size_t e = 0; e < y.data.size(); ++e) {
          near = near && std::abs(again.data[e] - y.data[e]) <=
                             8 * std::numeric_limits<double>::epsilon() * std::abs(y.data[e]);
        }
        CHECK(near);
        // With beta = 0, Y is not read.
        std::fill(again.data.begin(), again.data.end(), std::numeric_limits<double>::quiet_NaN());
        plan(0.5, public_view(problem.x()), 0.0, public_output(again));
        for (std::size_t e = 0; e < y.data.size(); ++e) {
          near = near && again.data[e] == 0.5 * y.data[e];
        }
        CHECK(near);
      }
    }
  }
}

TEST_CASE("public count of triangles: pointers and columns of either width", "[public]") {
  for (const auto& [name, matrix, is_graph] : battery()) {
    if (matrix.csr.rows != matrix.csr.cols) {
      continue;
    }
    const TrianglesProblem problem(matrix, {{"strict", std::int64_t{0}}});
    const Graph& graph = problem.graph();
    const Buffer<std::int32_t> narrow(graph.row_ptr.begin(), graph.row_ptr.end());
    const Buffer<std::int64_t> wide(graph.col_idx.begin(), graph.col_idx.end());
    CsrInput a = public_view(graph);
    for (const host::TrianglePath path :
         {host::TrianglePath::automatic, host::TrianglePath::low, host::TrianglePath::ranked}) {
      CAPTURE(name, static_cast<int>(path));
      CHECK(host::triangle_count(a, {.threads = 2, .path = path}) == problem.reference().triangles);
      CsrInput other = a;
      other.row_ptr = narrow.data();
      other.col_idx = wide.data();
      CHECK(host::triangle_count(other, {.threads = 3, .path = path}) ==
            problem.reference().triangles);
    }
  }
}

TEST_CASE("public plan: several threads at once, one object", "[public]") {
  const Matrix matrix = generate("uniform:rows=4000,cols=3000,nnz=90000,seed=9");
  const auto wanted = transpose_reference(matrix.csr);
  Csr<std::int64_t, double> pattern(matrix.csr.cols, matrix.csr.rows, matrix.csr.nnz());
  const host::TransposePlan plan(public_view(matrix.csr), public_output(pattern), {.threads = 2},
                                 host::PlanPath::two_passes);
  std::vector<Buffer<double>> answers(4, Buffer<double>(wanted.values.size()));
  std::vector<std::thread> callers;
  for (auto& answer : answers) {
    callers.emplace_back([&] {
      for (int call = 0; call < 20; ++call) {
        std::fill(answer.begin(), answer.end(), -1.0);
        plan(matrix.csr.values.data(), answer.data());
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  for (const auto& answer : answers) {
    CHECK(answer == wanted.values);
  }
}

TEST_CASE("public functions: several threads at once, an object each", "[public]") {
  const Matrix matrix = generate("uniform:rows=4000,cols=3000,nnz=90000,seed=9");
  const auto wanted = transpose_reference(matrix.csr);
  std::vector<Csr<std::int64_t, double>> answers(4);
  std::vector<std::thread> callers;
  for (auto& answer : answers) {
    callers.emplace_back([&] {
      answer = Csr<std::int64_t, double>(matrix.csr.cols, matrix.csr.rows, matrix.csr.nnz());
      for (int call = 0; call < 5; ++call) {
        host::transpose(public_view(matrix.csr), public_output(answer), {.threads = 2});
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  for (const auto& answer : answers) {
    CHECK(answer.row_ptr == wanted.row_ptr);
    CHECK(answer.col_idx == wanted.col_idx);
    CHECK(answer.values == wanted.values);
  }
}
