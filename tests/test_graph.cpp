// The simple undirected graph of a square matrix.
#include <algorithm>
#include <set>
#include <utility>

#include "formats/error.hpp"
#include "formats/graph.hpp"
#include "generate/generate.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"

namespace sparserepro {
namespace {

using testing::Entry;

Graph graph_of(const Matrix& matrix, GraphCleaning& cleaning, int threads = 2) {
  return graph_from_matrix(matrix.csr, cleaning, threads);
}

Graph graph_of(index_t n, const std::vector<Entry>& entries, GraphCleaning& cleaning) {
  return graph_of(testing::matrix_from_entries("small", n, n, entries), cleaning);
}

std::vector<index_t> neighbours(const Graph& graph, index_t v) {
  return {graph.begin(v), graph.end(v)};
}

TEST_CASE("a clean symmetric pattern is kept as it is") {
  GraphCleaning cleaning;
  const Graph graph = graph_of(3, {{0, 1, 1}, {0, 2, 1}, {1, 0, 1}, {2, 0, 1}}, cleaning);

  CHECK(cleaning.clean());
  CHECK(graph.edges() == 2);
  CHECK(neighbours(graph, 0) == std::vector<index_t>{1, 2});
  CHECK(neighbours(graph, 1) == std::vector<index_t>{0});
  CHECK(neighbours(graph, 2) == std::vector<index_t>{0});
}

TEST_CASE("loops, duplicates and one-directional edges are counted and removed or mirrored") {
  GraphCleaning cleaning;
  const Graph graph = graph_of(
      4, {{0, 0, 1}, {0, 1, 1}, {0, 1, 2}, {1, 0, 1}, {2, 2, 1}, {2, 2, 1}, {3, 1, 5}, {3, 1, 5}},
      cleaning);

  CHECK(cleaning == GraphCleaning{.loops = 3, .duplicates = 2, .mirrored = 1});
  CHECK_FALSE(cleaning.clean());
  CHECK(neighbours(graph, 1) == std::vector<index_t>{0, 3});
  CHECK(neighbours(graph, 2).empty());
  CHECK(neighbours(graph, 3) == std::vector<index_t>{1});
}

TEST_CASE("an explicit zero is an entry of the pattern and makes an edge") {
  GraphCleaning cleaning;
  const Graph graph = graph_of(2, {{0, 1, 0.0}, {1, 0, 0.0}}, cleaning);

  CHECK(graph.edges() == 1);
  CHECK(cleaning.clean());
}

TEST_CASE("rows in any order give ascending neighbours") {
  GraphCleaning cleaning;
  const Graph graph = graph_of(4, {{0, 3, 1}, {0, 1, 1}, {0, 2, 1}}, cleaning);

  CHECK(neighbours(graph, 0) == std::vector<index_t>{1, 2, 3});
  CHECK(cleaning.mirrored == 3);
}

TEST_CASE("a matrix that is not square is refused with its size") {
  const Matrix wide = testing::matrix_from_entries("wide", 2, 3, {{0, 2, 1}});
  GraphCleaning cleaning;

  CHECK_THROWS_AS(graph_of(wide, cleaning), InputError);
  CHECK_THROWS_WITH(graph_of(wide, cleaning),
                    "a graph needs a square matrix; this one has 2 rows and 3 columns");
}

TEST_CASE("graphs without vertices or edges are graphs") {
  GraphCleaning cleaning;

  CHECK(graph_of(0, {}, cleaning).vertices == 0);
  CHECK(graph_of(5, {}, cleaning).edges() == 0);
  CHECK(graph_of(1, {{0, 0, 1}}, cleaning).edges() == 0);
  CHECK(cleaning.loops == 1);
}

TEST_CASE("each square matrix of the battery gives its set of edges, for any thread count") {
  for (const auto& [name, matrix, is_graph] : testing::battery()) {
    if (matrix.csr.rows != matrix.csr.cols) {
      continue;
    }
    std::set<std::pair<index_t, index_t>> expected;
    for (index_t i = 0; i < matrix.csr.rows; ++i) {
      for (auto p = matrix.csr.row_ptr[i]; p < matrix.csr.row_ptr[i + 1]; ++p) {
        if (const index_t j = matrix.csr.col_idx[p]; i != j) {
          expected.insert({i, j});
          expected.insert({j, i});
        }
      }
    }
    for (const int threads : {1, 2, 3}) {
      INFO(name << ", " << threads << " threads");
      GraphCleaning cleaning;
      const Graph graph = graph_of(matrix, cleaning, threads);

      std::vector<std::pair<index_t, index_t>> found;
      for (index_t v = 0; v < graph.vertices; ++v) {
        for (const index_t w : neighbours(graph, v)) {
          found.emplace_back(v, w);
        }
      }
      CHECK(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
      CHECK(graph.stored() ==
            matrix.stored() - cleaning.loops - cleaning.duplicates + cleaning.mirrored);
      CHECK((!is_graph || cleaning.clean()));
    }
  }
}

TEST_CASE("a large directed graph does not depend on the thread count") {
  const Matrix matrix = generate("rmat:scale=12,symmetric=0");
  GraphCleaning one, three;
  const Graph expected = graph_of(matrix, one, 1);
  const Graph graph = graph_of(matrix, three, 3);

  CHECK(one.mirrored > 0);
  CHECK(one == three);
  CHECK(graph.row_ptr == expected.row_ptr);
  CHECK(graph.col_idx == expected.col_idx);
}

TEST_CASE("balanced ranges cover every row once and share the work") {
  const std::vector<std::int64_t> row_ptr{0, 0, 100, 101, 102, 103};
  for (const int parts : {1, 2, 3, 8}) {
    CHECK(balanced_row_begin(row_ptr.data(), 5, parts, 0) == 0);
    CHECK(balanced_row_begin(row_ptr.data(), 5, parts, parts) == 5);
    for (int part = 0; part < parts; ++part) {
      CHECK(balanced_row_begin(row_ptr.data(), 5, parts, part) <=
            balanced_row_begin(row_ptr.data(), 5, parts, part + 1));
    }
  }
  CHECK(balanced_row_begin(row_ptr.data(), 5, 2, 1) == 2);
}

}  // namespace
}  // namespace sparserepro
