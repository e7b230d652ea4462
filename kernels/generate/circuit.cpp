// circuit: structure of matrices of circuit simulation. A row has its diagonal entry and a few
// entries near it; supply nets couple to many unknowns and give a few dense rows and columns.
#include "generate/build.hpp"

namespace sparserepro::generation {
namespace {

/// Writes `per_row` edges of row i to `out`: the diagonal and per_row - 1 draws from the 2 * spread
/// columns around it. A draw outside the matrix becomes the diagonal.
void draw_short_row(index_t i, const SpecValues& values, index_t rows, Edge* out) {
  RandomStream stream(values.seed(), Purpose::column_choice, static_cast<std::uint64_t>(i));
  const std::int64_t spread = values.integer("spread");
  out[0] = {i, i};
  for (index_t k = 1; k < values.index("per_row"); ++k) {
    const std::int64_t draw = stream.below(static_cast<std::uint32_t>(2 * spread));
    const std::int64_t j = i + draw - spread + (draw >= spread ? 1 : 0);
    out[k] = {i, static_cast<index_t>(j >= 0 && j < rows ? j : i)};
  }
}

/// Appends `count` lines (rows, or columns when `transposed`) of `length` distinct entries each.
void append_dense_lines(Buffer<Edge>& edges, const SpecValues& values, index_t rows, index_t count,
                        bool transposed) {
  const index_t length = values.index("dense_length");
  RandomStream stream(values.seed(), Purpose::subset, transposed ? 1 : 0);
  std::vector<index_t> lines, partners;
  distinct_below(stream, rows, count, lines);
  for (const index_t line : lines) {
    distinct_below(stream, rows, length, partners);
    for (const index_t partner : partners) {
      edges.push_back(transposed ? Edge{partner, line} : Edge{line, partner});
    }
  }
}

GeneratedCsr build_circuit(const SpecValues& values, int threads) {
  const index_t rows = values.index("rows"), per_row = values.index("per_row");
  const index_t dense_rows = values.index("dense_rows"), dense_cols = values.index("dense_cols");
  for (const char* key : {"dense_rows", "dense_cols", "dense_length"}) {
    require(values.index(key) <= rows, std::string("circuit: ") + key + "=" +
                                           std::to_string(values.index(key)) +
                                           " exceeds rows=" + std::to_string(rows));
  }
  const std::int64_t lines = std::int64_t{dense_rows} + dense_cols;
  const std::int64_t drawn = std::int64_t{rows} * per_row + lines * values.integer("dense_length");
  require_memory(rows, 2 * drawn);  // edge list and matrix
  Buffer<Edge> edges;
  edges.reserve(static_cast<std::size_t>(drawn));
  edges.resize(static_cast<std::size_t>(rows) * per_row);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (index_t i = 0; i < rows; ++i) {
    draw_short_row(i, values, rows, edges.data() + std::int64_t{i} * per_row);
  }
  append_dense_lines(edges, values, rows, dense_rows, false);
  append_dense_lines(edges, values, rows, dense_cols, true);
  GeneratedCsr a = csr_from_edges(rows, rows, edges, Loops::keep, threads);
  fill_values(a, values.seed(), threads);
  return a;
}

}  // namespace

std::vector<Family> circuit_families() {
  return {
      {{"circuit",
        "short rows near the diagonal, a few dense rows and dense columns",
        {{"rows", "680000", "number of rows and of columns"},
         {"per_row", "5", "draws of a short row, the diagonal included (repeats merge)", 1, 1e6},
         {"spread", "1000", "largest distance of these from the diagonal", 1, 1073741823},
         {"dense_rows", "4", "number of dense rows", 0, 1e6},
         {"dense_cols", "4", "number of dense columns", 0, 1e6},
         {"dense_length", "100000", "entries that a dense row or column has at least"},
         seed_key()}},
       false,
       build_circuit}};
}

}  // namespace sparserepro::generation
