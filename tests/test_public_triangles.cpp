// The public counts of triangles on the host at vertices and edges, and clustering coefficients.
#include <cstdint>
#include <vector>

#include "formats/graph.hpp"
#include "formats/public_views.hpp"
#include "generate/generate.hpp"
#include "sparserepro/triangles.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/public_check.hpp"
#include "support/support_check.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

std::vector<Matrix> square_matrices() {
  std::vector<Matrix> all;
  for (const auto& named : battery()) {
    if (named.matrix.csr.rows == named.matrix.csr.cols) {
      all.push_back(named.matrix);
    }
  }
  for (const char* const spec : {"rmat:scale=10,edge_factor=16", "mesh:width=40,height=30",
                                 "uniform:rows=700,cols=700,nnz=20000,seed=3", "star:leaves=500"}) {
    all.push_back(generate(spec));
  }
  return all;
}

Graph graph_of(const Matrix& matrix) {
  GraphCleaning cleaning;
  return graph_from_matrix(matrix.csr, cleaning, 2);
}

}  // namespace

TEST_CASE("public triangles: at vertices and edges, each alone and both", "[public][triangles]") {
  for (const Matrix& matrix : square_matrices()) {
    const Graph graph = graph_of(matrix);
    const TriangleAnswer wanted = triangles_by_definition(graph);
    const Buffer<std::int32_t> narrow(graph.row_ptr.begin(), graph.row_ptr.end());
    const Buffer<std::int64_t> wide(graph.col_idx.begin(), graph.col_idx.end());
    CsrInput other = public_view(graph);
    other.row_ptr = narrow.data();
    other.col_idx = wide.data();
    for (const CsrInput& in : {public_view(graph), other}) {
      for (const int threads : {1, 3}) {
        CAPTURE(matrix.name, matrix.source, threads);
        host::TriangleCounter counter(in, {.threads = threads});
        counter.prepare();
        std::vector<std::uint64_t> of_vertex(wanted.of_vertex.size(), ~std::uint64_t{0});
        std::vector<std::uint64_t> of_entry(wanted.of_entry.size(), ~std::uint64_t{0});
        CHECK(counter.count({of_vertex.data(), nullptr}) == wanted.all);
        CHECK(of_vertex == wanted.of_vertex);
        CHECK(counter.count({nullptr, of_entry.data()}) == wanted.all);
        CHECK(of_entry == wanted.of_entry);
        of_vertex.assign(of_vertex.size(), ~std::uint64_t{0});
        of_entry.assign(of_entry.size(), ~std::uint64_t{0});
        CHECK(counter.count({of_vertex.data(), of_entry.data()}) == wanted.all);
        CHECK(of_vertex == wanted.of_vertex);
        CHECK(of_entry == wanted.of_entry);
        CHECK(counter.count() == wanted.all);
        CHECK(counter.count({}) == wanted.all);
      }
    }
  }
}

TEST_CASE("public triangles: local clustering coefficients", "[public][triangles]") {
  // A triangle 0, 1, 2; 3 at 0 alone; 4 without neighbours.
  const std::int64_t row_ptr[] = {0, 3, 5, 7, 8, 8};
  const std::int32_t narrow_ptr[] = {0, 3, 5, 7, 8, 8};
  const std::int32_t col_idx[] = {1, 2, 3, 0, 2, 0, 1, 0};
  const std::uint64_t of_vertex[] = {1, 1, 1, 0, 0};
  CsrInput graph{5, 5, 8, row_ptr, col_idx, {}};
  for (int width = 0; width < 2; ++width) {
    double got[] = {-1, -1, -1, -1, -1};
    host::local_clustering(graph, of_vertex, got, {.threads = 2});
    CHECK(got[0] == 1.0 / 3.0);
    CHECK(got[1] == 1.0);
    CHECK(got[2] == 1.0);
    CHECK(got[3] == 0.0);
    CHECK(got[4] == 0.0);
    graph.row_ptr = narrow_ptr;
  }
  double got[5];
  CHECK(refusal([&] { host::local_clustering(graph, nullptr, got); }) ==
        "of_vertex is missing; it has 5 elements");
  CHECK(refusal([&] { host::local_clustering(graph, of_vertex, nullptr); }) ==
        "coefficients is missing; it has 5 elements");
  graph.cols = 6;
  CHECK(refusal([&] { host::local_clustering(graph, of_vertex, got); }) ==
        "a graph's matrix is square, not 5 x 6");
}
