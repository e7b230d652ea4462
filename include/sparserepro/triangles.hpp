// Triangles of a simple undirected graph on the host: exact count, in all, at each vertex and at
// each edge; local clustering coefficients.
//
// A graph is its adjacency matrix in CSR: square, each edge {u, v} in row u and in row v, the
// columns of a row strictly ascending, no row with its own number. Values are not read.
#pragma once

#include <cstdint>
#include <memory>

#include "sparserepro/arrays.hpp"
#include "sparserepro/error.hpp"

namespace sparserepro::host {

/// How triangles are counted; `automatic` chooses by the degrees.
enum class TrianglePath : std::uint8_t {
  automatic,
  low,    ///< rows as they are, compared in vectors
  ranked  ///< vertices renumbered by degree, neighbours marked in bitmaps
};

struct TriangleOptions {
  /// 0: all processors that this process may use. At most 4096, or those where they are more.
  std::int64_t threads = 0;
  TrianglePath path = TrianglePath::automatic;
};

/// Where counts are written besides the number of all triangles; null: not wanted.
struct TriangleCounts {
  std::uint64_t* of_vertex = nullptr;  ///< [vertices] triangles with this vertex
  std::uint64_t* of_entry = nullptr;   ///< [nnz] triangles with the edge of this stored entry, its
                                       ///< support; the two entries of an edge have the same
};

/// Counts the triangles of one graph in two steps, for those who time them apart.
class TriangleCounter {
 public:
  /// The arrays of `graph` must outlive this. Throws InputError where the matrix is not square
  /// or beyond a limit or row_ptr does not run from 0 to nnz, std::bad_alloc without memory.
  /// Allocates the workspace.
  explicit TriangleCounter(const CsrInput& graph, const TriangleOptions& options = {});
  ~TriangleCounter();
  TriangleCounter(TriangleCounter&&) noexcept;
  TriangleCounter& operator=(TriangleCounter&&) noexcept;

  /// Looks at the degrees, and renumbers the vertices where that pays.
  void prepare();
  /// The number of triangles; after `prepare`.
  std::uint64_t count();
  /// The same, and `counts`, by another kernel than that of the number alone, whatever the path;
  /// its first call allocates. Without arrays it is the call above. Throws InputError where an
  /// array shares memory with the other or with the pattern of the graph.
  std::uint64_t count(const TriangleCounts& counts);

  std::int64_t workspace_bytes() const;
  /// After `prepare`.
  TrianglePath path() const;

  class Method;

 private:
  std::unique_ptr<Method> method_;
};

/// The number of triangles of `graph`.
std::uint64_t triangle_count(const CsrInput& graph, const TriangleOptions& options = {});

/// coefficients[v] = 2 t / (d (d - 1)) [vertices], t = of_vertex[v] triangles at v, d its degree:
/// the share of the pairs of neighbours that are adjacent; 0 where d < 2. Watts and Strogatz,
/// Nature 393, 1998. Throws InputError where an array is missing, `coefficients` shares memory with
/// another or row_ptr does not run from 0 to nnz.
void local_clustering(const CsrInput& graph, const std::uint64_t* of_vertex, double* coefficients,
                      const TriangleOptions& options = {});

}  // namespace sparserepro::host
