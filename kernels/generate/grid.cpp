// Graphs on a grid of width x height vertices, numbered row by row: road and mesh.
//
// mesh has all edges of the grid and one diagonal in every cell: a triangulation with
// 2 (height - 1) (width - 1) triangles. road keeps an edge of the grid with probability `density`
// and a diagonal with probability `diagonals`; the defaults give 2.4 entries a row and 0.017
// triangles a vertex, as in the road networks of the 9th DIMACS challenge.
#include "generate/build.hpp"

namespace sparserepro::generation {
namespace {

/// Edges from a vertex to vertices of higher number; one bit each.
enum Link : std::uint8_t { right = 1, down = 2, right_down = 4 };

/// The symmetric pattern of `links` [width * height].
GeneratedCsr csr_from_links(index_t width, index_t height, const Buffer<std::uint8_t>& links,
                            int threads) {
  const index_t vertices = width * height;
  return csr_from_rows(vertices, vertices, threads, [&](index_t v, const auto& emit) {
    const auto emit_if = [&](bool exists, index_t neighbour) {
      if (exists) {
        emit(neighbour);
      }
    };
    const bool inner = v % width > 0;
    emit_if(inner && v >= width && (links[v - width - 1] & right_down) != 0, v - width - 1);
    emit_if(v >= width && (links[v - width] & down) != 0, v - width);
    emit_if(inner && (links[v - 1] & right) != 0, v - 1);
    emit_if((links[v] & right) != 0, v + 1);
    emit_if((links[v] & down) != 0, v + width);
    emit_if((links[v] & right_down) != 0, v + width + 1);
  });
}

GeneratedCsr build_grid(const std::string& name, const SpecValues& values, double density,
                        double diagonals, int threads) {
  const index_t width = values.index("width"), height = values.index("height");
  require(std::int64_t{width} * height <= 2147483647, name + ": width * height exceeds 2147483647");
  const index_t vertices = width * height;
  require_memory(vertices, vertices);
  const std::uint64_t straight = threshold32(density), slanted = threshold32(diagonals);
  const std::uint64_t seed = values.seed();
  Buffer<std::uint8_t> links(static_cast<std::size_t>(vertices));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (index_t v = 0; v < vertices; ++v) {
    RandomStream stream(seed, Purpose::edges, static_cast<std::uint64_t>(v));
    const bool to_right = stream.bits32() < straight, to_down = stream.bits32() < straight;
    const bool across = stream.bits32() < slanted;
    const bool last_x = v % width == width - 1, last_y = v / width == height - 1;
    links[v] = static_cast<std::uint8_t>((to_right && !last_x ? right : 0) |
                                         (to_down && !last_y ? down : 0) |
                                         (across && !last_x && !last_y ? right_down : 0));
  }
  GeneratedCsr a = csr_from_links(width, height, links, threads);
  return values.flag("permute") ? relabelled(a, random_permutation(vertices, seed), threads)
                                : std::move(a);
}

GeneratedCsr build_road(const SpecValues& values, int threads) {
  return build_grid("road", values, values.real("density"), values.real("diagonals"), threads);
}

GeneratedCsr build_mesh(const SpecValues& values, int threads) {
  return build_grid("mesh", values, 1, 1, threads);
}

}  // namespace

std::vector<Family> grid_families() {
  const GeneratorKey width{"width", "1000", "vertices along x"};
  const GeneratorKey height{"height", "1000", "vertices along y"};
  const GeneratorKey permute{"permute", "0", "1: number the vertices at random", 0, 1};
  return {
      {{"road",
        "undirected road-like graph: a grid that lost edges and won some diagonals",
        {width,
         height,
         {"density", "0.59", "share of the grid's edges that are kept", 0, 1, false},
         {"diagonals", "0.025", "share of the cells with a diagonal", 0, 1, false},
         permute,
         seed_key()}},
       true,
       build_road},
      {{"mesh",
        "triangulated grid, undirected: 2 (width - 1) (height - 1) triangles",
        {width, height, permute, seed_key()}},
       true,
       build_mesh},
  };
}

}  // namespace sparserepro::generation
