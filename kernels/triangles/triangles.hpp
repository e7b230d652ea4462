// Problem `triangles`: exact number of triangles of the simple undirected graph of a square matrix
// (defined in formats/graph.hpp). A is the 0/1 adjacency matrix, L and U its strict triangles, o
// the elementwise product, d the degree.
//
//   method              formula                        divisor  work
//   serial              sum((A A) o A), masked first   6        sum over (i,k) in A of d(i) + d(k)
//   serial_upper        sum((A A) o U), masked first   3        half of that
//   omp_forward         sum((U U^T) o U), U oriented   1        sum over u->v of d+(v)
//   omp_adaptive        the same, or U by id           1        min(d+(u), d+(v)) for long rows
//   cuda_block_per_row  sum((A A) o U), masked first   3        as serial_upper; ..._shared too
//   cusparse_spgemm     sum((A A) o A), product first  6        form AA_L: 3, form LL_L: 1
//   cuda_adaptive       depends on the graph           1        see cuda_adaptive.cu
//   matrix_expression   sum((A A) o A), product first  6        sum of d(j)^2 products, in Python:
//                       python/sparserepro/run/expression
//
// A triangle is counted once for each way in which a pair of its vertices can be the masked entry
// and the third the inner index. sum((X Y) o M) / triangles is, for X Y and M:
//
//            o A  o L  o U                  o A  o L  o U
//   A A       6    3    3          L U       2    1    1
//   A L, L A  3    2    1          U L       2    1    1
//   A U, U A  3    1    2          L L       1    1    0      U U: 1 0 1
//
// So (L L) o L, Algorithm 3 of the triangle seed, has the divisor 1; its printed 2 belongs to
// (A L) o L, (L A) o L and (L U) o A.
//
// The parameter `output` asks for counts at vertices or at edges (their support) in place of the
// total; algorithms that have the total alone refuse it (registry.cpp).
//
// Time: the main result of an algorithm is the time from the sorted symmetric CSR to the count,
// orientation included. Algorithms orient in preprocess(), and the report adds both times.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "formats/graph.hpp"
#include "formats/matrix.hpp"
#include "harness/params.hpp"
#include "harness/problem.hpp"
#include "harness/registry.hpp"

namespace sparserepro {

/// What is counted: the triangles in all, those with each vertex, or those with each edge.
enum class TrianglesOutput { total, vertices, edges };

/// An instance: the graph of a matrix, and what is counted.
class TrianglesProblem {
 public:
  using Input = Matrix;
  struct Result {
    std::uint64_t triangles{};
    /// Triangles at each vertex, and with the edge of each stored entry; empty unless the algorithm
    /// computes them.
    std::vector<std::uint64_t> of_vertex{}, of_entry{};
  };
  static constexpr const char* name = "triangles";

  /// `strict`: 1 refuses a matrix that has loops, duplicates or one-directional edges; 0 cleans it.
  /// `output` (total, vertices, edges).
  static std::vector<Parameter> instance_parameters();

  /// Throws InputError if the matrix is not square, or if `strict` is 1 and it needs cleaning.
  TrianglesProblem(const Matrix& matrix, const Params& instance);

  /// The parameters that records state: `output` only where it is not the total, since older
  /// records have none.
  Params parameters() const { return given_; }

  TrianglesOutput output() const { return output_; }
  const Graph& graph() const { return graph_; }
  const GraphCleaning& cleaning() const { return cleaning_; }
  Shape shape() const { return shape_; }  ///< of the matrix before cleaning
  /// The reference count, computed at the first call.
  Result reference() const;
  /// Compares the number of triangles, what `output` asks for, and what else `result` has.
  CheckOutcome check(const Result& result, const Result& reference) const;
  /// Bytes to read the graph once, 4 * 2 edges + 8 (vertices + 1), and to write counts, 8 a vertex
  /// or 8 an entry.
  Model model() const;

  /// Facts of the graph for the record: edges, max_degree, products = sum of d(j)^2, loops and
  /// duplicates that were dropped, edges that were mirrored.
  const Measures& facts() const { return facts_; }
  /// Multiplications of the product A A: sum of d(j)^2.
  std::int64_t products() const { return products_; }
  std::int64_t max_degree() const { return max_degree_; }

  /// Largest number of entries for which algorithms use 32-bit row pointers. Tests lower it, so
  /// that small graphs reach the code of large ones.
  std::int64_t most_narrow_entries() const { return most_narrow_entries_; }
  void set_most_narrow_entries(std::int64_t entries) { most_narrow_entries_ = entries; }

 private:
  TrianglesOutput output_ = TrianglesOutput::total;
  Params given_;  // as records state them
  GraphCleaning cleaning_;
  Graph graph_;
  Shape shape_;
  std::int64_t products_{}, max_degree_{};
  std::int64_t most_narrow_entries_ = std::numeric_limits<std::int32_t>::max();
  Measures facts_;
  mutable std::optional<Result> reference_;
  // Empty until first needed.
  mutable std::vector<std::uint64_t> reference_of_vertex_, reference_of_entry_;
};

/// Reference count by merges of the rows of the oriented graph, which find every triangle once.
std::uint64_t triangles_reference(const Graph& graph, int threads);

/// Reference of the triangles at each vertex, [vertices], by the same merges. Their sum is 3 times
/// the number of triangles.
std::vector<std::uint64_t> triangles_of_vertices_reference(const Graph& graph, int threads);

/// Reference of the triangles with the edge of each stored entry, [stored], by the same merges.
/// Their sum is 6 times the number of triangles.
std::vector<std::uint64_t> triangles_of_edges_reference(const Graph& graph, int threads);

/// The table of algorithms.
const std::vector<Algorithm<TrianglesProblem>>& triangles_algorithms();

}  // namespace sparserepro
