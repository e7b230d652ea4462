// Simple undirected graphs, and the rule that turns a square matrix into one.
#pragma once

#include <cstdint>

#include "formats/buffer.hpp"
#include "formats/csr.hpp"
#include "formats/types.hpp"

namespace sparserepro {

/// Adjacency in CSR without values, by somebody else's arrays: each edge {u, v} is stored in row u
/// and in row v, rows ascend strictly, no row holds its own number.
struct GraphView {
  index_t vertices{};
  const std::int64_t* row_ptr{};  ///< [vertices+1]
  const index_t* col_idx{};       ///< [2 edges]

  std::int64_t stored() const { return row_ptr[vertices]; }
  std::int64_t degree(index_t v) const { return row_ptr[v + 1] - row_ptr[v]; }
  const index_t* begin(index_t v) const { return col_idx + row_ptr[v]; }
  const index_t* end(index_t v) const { return col_idx + row_ptr[v + 1]; }
};

/// The same with arrays of its own.
struct Graph {
  index_t vertices{};
  Buffer<std::int64_t> row_ptr{std::int64_t{0}};  ///< [vertices+1]
  Buffer<index_t> col_idx;                        ///< [2 edges]

  std::int64_t stored() const { return static_cast<std::int64_t>(col_idx.size()); }
  std::int64_t edges() const { return stored() / 2; }
  std::int64_t degree(index_t v) const { return row_ptr[v + 1] - row_ptr[v]; }
  const index_t* begin(index_t v) const { return col_idx.data() + row_ptr[v]; }
  const index_t* end(index_t v) const { return col_idx.data() + row_ptr[v + 1]; }
  GraphView view() const { return {vertices, row_ptr.data(), col_idx.data()}; }
};

/// What separates a matrix from the adjacency matrix of a simple undirected graph:
/// graph.stored() == matrix.nnz() - loops - duplicates + mirrored.
struct GraphCleaning {
  std::int64_t loops{};       ///< stored diagonal entries, dropped
  std::int64_t duplicates{};  ///< off-diagonal entries that repeat a position, dropped
  std::int64_t mirrored{};    ///< positions (i, j) without (j, i): the missing one was added

  bool clean() const { return loops == 0 && duplicates == 0 && mirrored == 0; }
  friend bool operator==(const GraphCleaning&, const GraphCleaning&) = default;
};

/// The graph of a square matrix A: {i, j} with i != j is an edge when (i, j) or (j, i) is stored,
/// that is, the pattern of A + A^T without its diagonal. Values are ignored, so an explicit zero is
/// an entry of the pattern and makes an edge. Rows of A may be in any order. O(rows + nnz) work on
/// `threads` threads; the result does not depend on their number.
/// Throws InputError when A is not square.
Graph graph_from_matrix(const Csr<std::int64_t, double>& a, GraphCleaning& cleaning, int threads);

/// First row of part `part` when the rows are cut into `parts` consecutive ranges of about equal
/// rows plus entries; part `parts` begins at `rows`. Ranges may be empty. O(log rows).
index_t balanced_row_begin(const std::int64_t* row_ptr, index_t rows, int parts, int part);

}  // namespace sparserepro
