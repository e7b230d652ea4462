// rmat: recursive matrix graph with the default parameters of the Graph500 benchmark. Each of
// edge_factor 2^scale edges is drawn bit by bit: the bits of row and column are (0,0), (0,1), (1,0)
// or (1,1) with probabilities a, b, c and 1 - a - b - c. Loops and repeated edges are dropped; with
// `permute`, the vertices are numbered at random; with `symmetric`, an edge is stored both ways.
// Source: D. Chakrabarti, Y. Zhan, C. Faloutsos, "R-MAT: a recursive model for graph mining",
// SDM'04.
#include "generate/build.hpp"

namespace sparserepro::generation {
namespace {

struct Quadrants {
  std::uint64_t a, ab, abc;  // thresholds for 32 random bits: a, a + b, a + b + c
};

Edge draw_edge(RandomStream& stream, int scale, const Quadrants& quadrants) {
  index_t row = 0, col = 0;
  for (int bit = 0; bit < scale; ++bit) {
    const std::uint64_t draw = stream.bits32();
    row = row << 1 | (draw >= quadrants.ab);
    col = col << 1 | ((draw >= quadrants.a) ^ (draw >= quadrants.ab) ^ (draw >= quadrants.abc));
  }
  return {row, col};
}

GeneratedCsr build_rmat(const SpecValues& values, int threads) {
  constexpr std::int64_t chunk = 1024;  // edges of one stream
  const int scale = static_cast<int>(values.integer("scale"));
  const index_t vertices = index_t{1} << scale;
  const double a = values.real("a"), b = values.real("b"), c = values.real("c");
  require(a + b + c <= 1 + 1e-12, "rmat: a + b + c exceeds 1");
  const Quadrants quadrants{threshold32(a), threshold32(a + b), threshold32(a + b + c)};
  const std::int64_t drawn = values.integer("edge_factor") * vertices;
  const std::int64_t directions = values.flag("symmetric") ? 2 : 1;
  require_memory(vertices, 2 * drawn * directions);  // edge list and matrix
  const std::uint64_t seed = values.seed();
  const Buffer<index_t> order =
      values.flag("permute") ? random_permutation(vertices, seed) : Buffer<index_t>();

  Buffer<Edge> edges(static_cast<std::size_t>(drawn * directions));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t first = 0; first < drawn; first += chunk) {
    RandomStream stream(seed, Purpose::edges, static_cast<std::uint64_t>(first / chunk));
    for (std::int64_t e = first; e < std::min(first + chunk, drawn); ++e) {
      auto [row, col] = draw_edge(stream, scale, quadrants);
      if (!order.empty()) {
        row = order[row];
        col = order[col];
      }
      edges[e * directions] = {row, col};
      if (directions == 2) {
        edges[e * directions + 1] = {col, row};
      }
    }
  }
  return csr_from_edges(vertices, vertices, edges, Loops::drop, threads);
}

}  // namespace

std::vector<Family> rmat_families() {
  return {{{"rmat",
            "R-MAT graph with the parameters of Graph500, no loops, no repeated edges",
            {{"scale", "18", "binary logarithm of the number of vertices", 0, 30},
             {"edge_factor", "16", "edges drawn for each vertex", 0, 1e6},
             {"a", "0.57", "probability of the upper left quadrant", 0, 1, false},
             {"b", "0.19", "probability of the upper right quadrant", 0, 1, false},
             {"c", "0.19", "probability of the lower left quadrant", 0, 1, false},
             {"permute", "1", "1: number the vertices at random", 0, 1},
             {"symmetric", "1", "1: store each edge in both directions", 0, 1},
             seed_key()}},
           true,
           build_rmat}};
}

}  // namespace sparserepro::generation
