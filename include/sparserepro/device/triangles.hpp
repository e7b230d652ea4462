// Triangles of a simple undirected graph on a CUDA device: exact count, in all, at each vertex and
// at each edge; local clustering coefficients.
//
// A graph is its adjacency matrix in CSR: square, each edge {u, v} in row u and in row v, the
// columns of a row strictly ascending, no row with its own number. Values are not read. All arrays
// are in memory of the device, those of the graph aligned to 16 bytes; the workspace, to 256. No
// function allocates device memory. All work belongs to the device that is current when it is asked
// for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sparserepro/arrays.hpp"
#include "sparserepro/device/stream.hpp"
#include "sparserepro/error.hpp"

namespace sparserepro::device {

/// How triangles are counted; `automatic` chooses by a look at the rows.
enum class TrianglePath : std::uint8_t {
  automatic,
  prefix,   ///< a thread for each vertex
  middle,   ///< a lane for each row that a vertex reads
  even,     ///< a warp for each vertex
  oriented  ///< by degree; a warp or a block for each part of a row
};

/// "automatic", "prefix", ...
constexpr const char* to_string(TrianglePath path) {
  constexpr const char* names[] = {"automatic", "prefix", "middle", "even", "oriented"};
  return names[static_cast<int>(path)];
}

struct TriangleOptions {
  TrianglePath path = TrianglePath::automatic;
  /// count() does the part `part` of `parts` about equal parts of the work: its counts, summed over
  /// all parts, are those of the graph. So several devices, which each have the graph, share a
  /// count. support() does not take part.
  unsigned part = 0, parts = 1;
};

/// Counts the triangles of one graph in two steps, for those who time them apart.
class TriangleCounter {
 public:
  /// `graph` is in memory of the current device; its arrays must outlive this and stay as they are.
  /// Throws InputError where the matrix is not square, an array is not aligned, a limit is
  /// exceeded (2^31 - 1025 vertices, 2^40 entries), or `part` is not below `parts`.
  explicit TriangleCounter(const CsrInput& graph, const TriangleOptions& options = {});
  ~TriangleCounter();
  TriangleCounter(TriangleCounter&&) noexcept;
  TriangleCounter& operator=(TriangleCounter&&) noexcept;

  /// Device memory that `prepare` wants, whatever the graph looks like.
  std::size_t workspace_bytes() const;

  /// Looks at the rows and orients the graph where that pays, on `stream`, and waits for it.
  /// `workspace` [bytes] belongs to this from now on. Calls at a time each take a few words of
  /// pinned host memory, which are kept for later ones. After an exception counts are refused.
  void prepare(void* workspace, std::size_t bytes, Stream stream);

  /// Queues the count on `stream`, after `prepare`: *triangles is their number and, unless
  /// `of_vertex` is null, of_vertex[v] that of the triangles with vertex v; both in memory of the
  /// device. This and `support` throw InputError where an array shares memory with another.
  void count(std::uint64_t* triangles, std::uint64_t* of_vertex, Stream stream);

  /// Queues on `stream`, after `prepare`: of_entry[p] [nnz] is the number of triangles with the
  /// edge of stored entry p, its support; the two entries of an edge have the same.
  void support(std::uint64_t* of_entry, Stream stream);

  /// The path that `prepare` chose, and numbers about it.
  TrianglePath path() const;
  std::vector<std::pair<std::string, double>> facts() const;

  class Method;

 private:
  std::unique_ptr<Method> method_;
};

/// Queues on `stream`: coefficients[v] = 2 t / (d (d - 1)) [vertices], t = of_vertex[v] triangles
/// at v, d its degree; 0 where d < 2. All arrays are in memory of the device. Throws InputError
/// where one is missing or `coefficients` shares memory with another.
void local_clustering(const CsrInput& graph, const std::uint64_t* of_vertex, double* coefficients,
                      Stream stream);

}  // namespace sparserepro::device
