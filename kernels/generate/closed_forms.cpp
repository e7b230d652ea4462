// Undirected graphs whose number of triangles has a closed form: complete, wheel, friendship, star,
// bipartite.
#include "generate/build.hpp"

namespace sparserepro::generation {
namespace {

/// All entries of an n x n pattern except the diagonal.
GeneratedCsr build_complete(const SpecValues& values, int threads) {
  const index_t n = values.index("vertices");
  require_memory(n, std::int64_t{n} * std::max(n - 1, 0));
  return csr_from_rows(n, n, threads, [&](index_t i, const auto& emit) {
    for (index_t j = 0; j < n; ++j) {
      if (j != i) {
        emit(j);
      }
    }
  });
}

/// Hub 0 joined to the vertices 1 .. leaves; `rim(i, emit)` emits further neighbours of leaf i.
template <class Rim>
GeneratedCsr build_around_hub(index_t leaves, int threads, const Rim& rim) {
  const index_t n = leaves + 1;
  require_memory(n, std::int64_t{4} * leaves);
  return csr_from_rows(n, n, threads, [&](index_t i, const auto& emit) {
    if (i > 0) {
      emit(0);
      rim(i, emit);
      return;
    }
    for (index_t j = 1; j < n; ++j) {
      emit(j);
    }
  });
}

GeneratedCsr build_wheel(const SpecValues& values, int threads) {
  const index_t rim = values.index("rim");
  return build_around_hub(rim, threads, [rim](index_t i, const auto& emit) {
    const index_t before = i == 1 ? rim : i - 1, after = i == rim ? 1 : i + 1;
    emit(std::min(before, after));
    emit(std::max(before, after));
  });
}

GeneratedCsr build_friendship(const SpecValues& values, int threads) {
  return build_around_hub(2 * values.index("triangles"), threads,
                          [](index_t i, const auto& emit) { emit(i % 2 == 1 ? i + 1 : i - 1); });
}

GeneratedCsr build_star(const SpecValues& values, int threads) {
  return build_around_hub(values.index("leaves"), threads, [](index_t, const auto&) {});
}

GeneratedCsr build_bipartite(const SpecValues& values, int threads) {
  const index_t left = values.index("left"), n = left + values.index("right");
  require_memory(n, std::int64_t{2} * left * (n - left));
  return csr_from_rows(n, n, threads, [&](index_t i, const auto& emit) {
    for (index_t j = i < left ? left : 0; j < (i < left ? n : left); ++j) {
      emit(j);
    }
  });
}

}  // namespace

std::vector<Family> closed_form_families() {
  constexpr double most = 1073741823;  // largest n for which 2 n + 1 vertices have 32-bit indices
  return {
      {{"complete",
        "every pair of n vertices joined: n (n - 1) (n - 2) / 6 triangles",
        {{"vertices", "500", "number of vertices n"}}},
       true,
       build_complete},
      {{"wheel",
        "a hub joined to a cycle of rim > 3 vertices: rim triangles (4 for rim = 3)",
        {{"rim", "1000", "vertices of the cycle", 3, most}}},
       true,
       build_wheel},
      {{"friendship",
        "triangles that share one vertex",
        {{"triangles", "1000", "number of triangles", 0, most}}},
       true,
       build_friendship},
      {{"star",
        "a hub joined to leaves: no triangle",
        {{"leaves", "1000", "number of leaves", 0, most}}},
       true,
       build_star},
      {{"bipartite",
        "every vertex of one side joined to every one of the other: no triangle",
        {{"left", "300", "vertices of one side", 0, most},
         {"right", "400", "vertices of the other side", 0, most}}},
       true,
       build_bipartite},
  };
}

}  // namespace sparserepro::generation
