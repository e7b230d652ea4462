// The public functions on a device: every combination of types against the reference, workspaces
// of exactly the size asked for. Without CUDA the functions are not in the library, and nothing is
// tested here.
#ifdef SPARSEREPRO_HAS_CUDA

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/stream.hpp"
#include "formats/public_views.hpp"
#include "generate/generate.hpp"
#include "sparserepro/device/spmm.hpp"
#include "sparserepro/device/transpose.hpp"
#include "sparserepro/device/triangles.hpp"
#include "spmm/spmm.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/guarded.hpp"
#include "support/public_check.hpp"
#include "transpose/transpose.hpp"
#include "triangles/triangles.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// Transposes `matrix` with these types and compares with the reference, the values being stamps.
template <class Offset, class Index, class Value>
void check_transpose(const Matrix& matrix, const device::TransposeOptions& options) {
  const auto& csr = matrix.csr;
  const auto nnz = static_cast<std::size_t>(csr.nnz());
  const Stream stream;
  const cudaStream_t s = stream.get();
  Buffer<Value> values(nnz);
  for (std::size_t p = 0; p < nnz; ++p) {
    values[p] = stamp<Value>(static_cast<std::int64_t>(p));
  }
  const auto wanted = transpose_reference(numbered(matrix));
  const Buffer<Offset> row_ptr(csr.row_ptr.begin(), csr.row_ptr.end());
  const Buffer<Index> col_idx(csr.col_idx.begin(), csr.col_idx.end());

  DeviceBuffer<Offset> d_ptr(row_ptr, s), out_ptr(static_cast<std::size_t>(csr.cols) + 1, s);
  DeviceBuffer<Index> d_idx(col_idx, s), out_idx(nnz, s);
  DeviceBuffer<Value> d_values(values, s), out_values(nnz, s);
  constexpr DataType type = sizeof(Value) == 2   ? DataType::bf16
                            : sizeof(Value) == 4 ? DataType::int32
                                                 : DataType::fp64;
  const CsrInput a{csr.rows,     csr.cols,     csr.nnz(),
                   d_ptr.data(), d_idx.data(), {d_values.data(), type}};
  const CsrOutput out{out_ptr.data(), out_idx.data(), {out_values.data(), type}};
  device::Transposer transposer(a, options);
  Guarded workspace(transposer.workspace_bytes(), s);
  transposer.bind(workspace.data(), transposer.workspace_bytes(), s);
  for (int call = 0; call < 2; ++call) {
    out_ptr.fill_bytes(0xff, s);
    out_idx.fill_bytes(0xff, s);
    out_values.fill_bytes(0xff, s);
    transposer(a, out, s);
    Buffer<Offset> got_ptr(out_ptr.size());
    Buffer<Index> got_idx(nnz);
    Buffer<Value> got_values(nnz);
    out_ptr.copy_to(got_ptr.data(), s);
    out_idx.copy_to(got_idx.data(), s);
    out_values.copy_to(got_values.data(), s);
    stream.synchronize();
    CHECK(same_pattern(wanted, got_ptr.data(), got_idx.data()));
    CHECK(stamped(wanted, got_values.data()));
  }
  CHECK(workspace.intact(s));
}

void check_transpositions(const Matrix& matrix) {
  using device::TransposePath;
  for (const TransposePath path : {TransposePath::automatic, TransposePath::one_level,
                                   TransposePath::team, TransposePath::symmetric}) {
    if ((path == TransposePath::team && matrix.csr.nnz() >= 30'000) ||
        (path == TransposePath::symmetric && matrix.csr.rows != matrix.csr.cols)) {
      continue;
    }
    for (const bool vote : {false, true}) {
      CAPTURE(matrix.source, matrix.name, static_cast<int>(path), vote);
      const device::TransposeOptions options{.path = path, .vote = vote};
      check_transpose<std::int32_t, std::int32_t, std::uint32_t>(matrix, options);
      check_transpose<std::int64_t, std::int64_t, std::uint16_t>(matrix, options);
      check_transpose<std::int32_t, std::int64_t, std::uint64_t>(matrix, options);
    }
  }
  check_transpose<std::int64_t, std::int32_t, std::uint64_t>(matrix,
                                                             {.tile = device::TileSize::small});
}

/// A product with 64-bit pointers and columns.
void check_wide_product(const std::string& spec, std::int64_t k) {
  const Matrix matrix = generate(spec);
  const SpmmProblem problem(matrix,
                            {{"k", k}, {"x_range", "signed"}, {"offset_bits", std::int64_t{64}}});
  const SpmmReference reference = problem.reference();
  const auto& a = std::get<Csr<std::int64_t, double>>(problem.matrix());
  const Buffer<std::int64_t> wide(a.col_idx.begin(), a.col_idx.end());
  const Stream stream;
  const cudaStream_t s = stream.get();
  DeviceBuffer<std::int64_t> row_ptr(a.row_ptr, s), col_idx(wide, s);
  DeviceBuffer<double> values(a.values, s), x(problem.x().data, s);
  Dense got(a.rows, k);
  DeviceBuffer<double> y(got.data.size(), s);
  y.fill_bytes(0xff, s);
  device::SpmmPlan plan({a.rows, a.cols, a.nnz(), row_ptr.data(), col_idx.data(), values.data()},
                        k);
  Guarded analysis(plan.analysis_bytes(), s);
  plan.analyse(analysis.data(), plan.analysis_bytes(), s);
  Guarded workspace(plan.product_bytes(), s);
  plan(1.0, {a.cols, k, k, x.data()}, 0.0, {a.rows, k, k, y.data()}, workspace.data(),
       plan.product_bytes(), s);
  y.copy_to(got.data.data(), s);
  stream.synchronize();
  CAPTURE(spec, k, to_string(plan.path()));
  CHECK(problem.check(got, reference).ok);
  CHECK(analysis.intact(s));
  CHECK(workspace.intact(s));
}

void check_counts(const Matrix& matrix) {
  using device::TrianglePath;
  const TrianglesProblem problem(matrix, {{"strict", std::int64_t{0}}});
  const Graph& graph = problem.graph();
  const std::vector<std::uint64_t> of_vertex = triangles_of_vertices_reference(graph, 2);
  const Stream stream;
  const cudaStream_t s = stream.get();
  const Buffer<std::int64_t> wide(graph.col_idx.begin(), graph.col_idx.end());
  DeviceBuffer<std::int64_t> row_ptr(graph.row_ptr, s), wide_idx(wide, s);
  DeviceBuffer<index_t> col_idx(graph.col_idx, s);
  DeviceBuffer<std::uint64_t> sum(std::size_t{1}, s), at_vertex(of_vertex.size(), s);
  for (const TrianglePath path :
       {TrianglePath::automatic, TrianglePath::prefix, TrianglePath::middle, TrianglePath::even,
        TrianglePath::oriented}) {
    for (const bool wide_columns : {false, true}) {
      CAPTURE(matrix.name, matrix.source, to_string(path), wide_columns);
      CsrInput in{graph.vertices, graph.vertices, graph.stored(),
                  row_ptr.data(), col_idx.data(), {}};
      if (wide_columns) {
        in.col_idx = wide_idx.data();
      }
      device::TriangleCounter counter(in, {.path = path});
      Guarded workspace(counter.workspace_bytes(), s);
      counter.prepare(workspace.data(), counter.workspace_bytes(), s);
      for (const bool per_vertex : {false, true, false}) {
        sum.fill_bytes(0xff, s);
        at_vertex.fill_bytes(0xff, s);
        counter.count(sum.data(), per_vertex ? at_vertex.data() : nullptr, s);
        std::uint64_t triangles = 0;
        std::vector<std::uint64_t> got(of_vertex.size());
        sum.copy_to(&triangles, s);
        at_vertex.copy_to(got.data(), s);
        stream.synchronize();
        CHECK(triangles == problem.reference().triangles);
        if (per_vertex && !got.empty()) {
          CHECK(got == of_vertex);
        }
      }
      CHECK(workspace.intact(s));
    }
  }
}

}  // namespace

TEST_CASE("public functions on the device: small matrices", "[public][cuda][small]") {
  require_device();
  check_transpositions(generate("uniform:rows=300,cols=500,nnz=3000"));
  check_wide_product("fem:nx=3,ny=3,nz=2,dofs=3", 4);
  check_counts(generate("rmat:scale=6,edge_factor=8"));
}

TEST_CASE("public transposition on the device: every type, path and tile", "[public][cuda]") {
  require_device();
  std::vector<Matrix> matrices;
  for (const auto& named : battery()) {
    matrices.push_back(named.matrix);
  }
  for (const char* const spec :
       {"uniform:rows=3000,cols=5000,nnz=40000", "uniform:rows=90000,cols=70000,nnz=1500000",
        "banded:rows=200000,diagonals=9", "circuit:rows=20000,dense_length=5000"}) {
    matrices.push_back(generate(spec));
  }
  for (const Matrix& matrix : matrices) {
    check_transpositions(matrix);
  }
}

TEST_CASE("public transposition on the device: once, in CUB's manner", "[public][cuda]") {
  require_device();
  const auto a = csr_cast<std::int32_t, Pattern>(
      generate("uniform:rows=9000,cols=7000,nnz=300000,seed=4").csr);
  const auto wanted = transpose_reference(a);
  const Stream stream;
  const cudaStream_t s = stream.get();
  DeviceBuffer<std::int32_t> row_ptr(a.row_ptr, s), out_ptr(wanted.row_ptr.size(), s);
  DeviceBuffer<index_t> col_idx(a.col_idx, s), out_idx(wanted.col_idx.size(), s);
  const CsrInput in{a.rows, a.cols, a.nnz(), row_ptr.data(), col_idx.data(), {}};
  const CsrOutput out{out_ptr.data(), out_idx.data(), {}};
  std::size_t bytes = 0;
  device::transpose(nullptr, bytes, in, out, s);
  REQUIRE(bytes > 0);
  DeviceBuffer<char> workspace(bytes, s);
  device::transpose(workspace.data(), bytes, in, out, s);
  Buffer<std::int32_t> got_ptr(out_ptr.size());
  Buffer<index_t> got_idx(out_idx.size());
  out_ptr.copy_to(got_ptr.data(), s);
  out_idx.copy_to(got_idx.data(), s);
  stream.synchronize();
  CHECK(got_ptr == wanted.row_ptr);
  CHECK(got_idx == wanted.col_idx);
}

TEST_CASE("public product on the device: 64-bit columns, exact workspaces", "[public][cuda]") {
  require_device();
  for (const char* const spec :
       {"uniform:rows=9000,cols=8000,nnz=200000", "rmat:scale=13,edge_factor=16",
        "fem:nx=17,ny=16,nz=15,dofs=3", "star:leaves=20000"}) {
    for (const std::int64_t k : {1, 4, 33}) {
      check_wide_product(spec, k);
    }
  }
}

TEST_CASE("public count on the device: all paths, at each vertex, 64-bit columns",
          "[public][cuda]") {
  require_device();
  std::vector<Matrix> matrices;
  for (const auto& named : battery()) {
    if (named.matrix.csr.rows == named.matrix.csr.cols) {
      matrices.push_back(named.matrix);
    }
  }
  matrices.push_back(generate("rmat:scale=12,edge_factor=16"));
  matrices.push_back(generate("mesh:width=90,height=70"));
  for (const Matrix& matrix : matrices) {
    check_counts(matrix);
  }
}

#endif
