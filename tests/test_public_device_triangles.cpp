// The public counts of triangles on a device at edges, and clustering coefficients. Without CUDA
// the functions are not in the library, and nothing is tested here.
#ifdef SPARSEREPRO_HAS_CUDA

#include <cstdint>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/stream.hpp"
#include "formats/graph.hpp"
#include "generate/generate.hpp"
#include "sparserepro/device/triangles.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/guarded.hpp"
#include "support/public_check.hpp"
#include "support/support_check.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// Support of the edges and clustering coefficients, by the definition.
void check_triangles(const Matrix& matrix) {
  CAPTURE(matrix.name, matrix.source);
  GraphCleaning cleaning;
  const Graph graph = graph_from_matrix(matrix.csr, cleaning, 2);
  const TriangleAnswer wanted = triangles_by_definition(graph);
  const Stream stream;
  const cudaStream_t s = stream.get();
  const auto vertices = wanted.of_vertex.size(), stored = wanted.of_entry.size();
  DeviceBuffer<std::int64_t> row_ptr(graph.row_ptr, s);
  DeviceBuffer<std::int32_t> narrow_ptr(
      Buffer<std::int32_t>(graph.row_ptr.begin(), graph.row_ptr.end()), s);
  DeviceBuffer<index_t> col_idx(graph.col_idx, s);
  DeviceBuffer<std::int64_t> wide_idx(
      Buffer<std::int64_t>(graph.col_idx.begin(), graph.col_idx.end()), s);
  const DeviceBuffer<std::uint64_t> of_vertex(wanted.of_vertex, s);
  for (const bool narrow : {false, true}) {
    CsrInput in{graph.vertices, graph.vertices, graph.stored(), row_ptr.data(), col_idx.data(), {}};
    if (narrow) {
      in.row_ptr = narrow_ptr.data();
      in.col_idx = wide_idx.data();
    }
    device::TriangleCounter counter(in);
    Guarded workspace(counter.workspace_bytes(), s);
    counter.prepare(workspace.data(), workspace.size(), s);
    Guarded of_entry(stored * sizeof(std::uint64_t), s);
    counter.support(static_cast<std::uint64_t*>(of_entry.data()), s);
    std::vector<std::uint64_t> got(stored);
    if (stored > 0) {
      CUDA_CHECK(
          cudaMemcpyAsync(got.data(), of_entry.data(), of_entry.size(), cudaMemcpyDeviceToHost, s));
    }
    CHECK(of_entry.intact(s));
    CHECK(workspace.intact(s));
    CHECK(got == wanted.of_entry);
    DeviceBuffer<double> coefficients(vertices, s);
    device::local_clustering(in, of_vertex.data(), coefficients.data(), s);
    std::vector<double> shares(vertices);
    coefficients.copy_to(shares.data(), s);
    stream.synchronize();
    for (std::size_t v = 0; v < vertices; ++v) {
      const auto degree = static_cast<double>(graph.degree(static_cast<index_t>(v)));
      const double right =
          degree < 2 ? 0.0 : 2 * static_cast<double>(wanted.of_vertex[v]) / (degree * (degree - 1));
      REQUIRE(shares[v] == right);
    }
  }
}

}  // namespace

TEST_CASE("public triangles on the device: small graphs", "[public][cuda][triangles][small]") {
  require_device();
  check_triangles(generate("rmat:scale=6,edge_factor=8"));
  check_triangles(generate("star:leaves=90"));
}

TEST_CASE("public triangles on the device: at edges, and clustering coefficients",
          "[public][cuda][triangles]") {
  require_device();
  std::vector<Matrix> matrices;
  for (const auto& named : battery()) {
    if (named.matrix.csr.rows == named.matrix.csr.cols) {
      matrices.push_back(named.matrix);
    }
  }
  for (const char* const spec : {"rmat:scale=11,edge_factor=16", "mesh:width=90,height=70",
                                 "uniform:rows=900,cols=900,nnz=40000,seed=3", "star:leaves=900"}) {
    matrices.push_back(generate(spec));
  }
  for (const Matrix& matrix : matrices) {
    check_triangles(matrix);
  }
}

#endif
