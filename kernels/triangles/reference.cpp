// Reference of triangle counting: each edge points to its end with the larger (degree, id), and the
// ascending rows of the ends of each edge are merged. Rows have at most sqrt(2 edges) entries, so
// that large graphs with hubs take seconds.
#include <algorithm>
#include <numeric>

#include "triangles/triangles.hpp"

namespace sparserepro {
namespace {

/// The oriented graph; its rows are in ascending order.
Graph oriented(const Graph& graph, int threads) {
  const auto later = [&](index_t u, index_t v) {
    const std::int64_t of_u = graph.degree(u), of_v = graph.degree(v);
    return of_v > of_u || (of_v == of_u && v > u);
  };
  Graph out;
  out.vertices = graph.vertices;
  out.row_ptr.resize(static_cast<std::size_t>(graph.vertices) + 1);
  out.row_ptr[0] = 0;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
  for (index_t u = 0; u < graph.vertices; ++u) {
    out.row_ptr[u + 1] =
        std::count_if(graph.begin(u), graph.end(u), [&](index_t v) { return later(u, v); });
  }
  std::partial_sum(out.row_ptr.begin(), out.row_ptr.end(), out.row_ptr.begin());
  out.col_idx.resize(static_cast<std::size_t>(out.row_ptr.back()));
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
  for (index_t u = 0; u < graph.vertices; ++u) {
    std::copy_if(graph.begin(u), graph.end(u), out.col_idx.begin() + out.row_ptr[u],
                 [&](index_t v) { return later(u, v); });
  }
  return out;
}

/// Calls found(uv, uw, vw), entries of `out`, for the triangles whose vertex of smallest (degree,
/// id) is u.
template <class Found>
void merge_rows(const Graph& out, index_t u, const Found& found) {
  for (const index_t* v = out.begin(u); v != out.end(u); ++v) {
    const index_t *a = out.begin(u), *b = out.begin(*v);
    while (a != out.end(u) && b != out.end(*v)) {
      const index_t of_u = *a, of_v = *b;
      if (of_u == of_v) {
        found(v, a, b);
      }
      a += of_u <= of_v;
      b += of_v <= of_u;
    }
  }
}

}  // namespace

std::uint64_t triangles_reference(const Graph& graph, int threads) {
  const Graph out = oriented(graph, threads);
  std::uint64_t triangles = 0;
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads) reduction(+ : triangles)
  for (index_t u = 0; u < out.vertices; ++u) {
    merge_rows(out, u, [&](const index_t*, const index_t*, const index_t*) { ++triangles; });
  }
  return triangles;
}

std::vector<std::uint64_t> triangles_of_vertices_reference(const Graph& graph, int threads) {
  const Graph out = oriented(graph, threads);
  std::vector<std::uint64_t> count(static_cast<std::size_t>(graph.vertices));
  std::uint64_t* const at = count.data();
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
  for (index_t first = 0; first < out.vertices; ++first) {
    merge_rows(out, first, [at, first](const index_t* v, const index_t* w, const index_t*) {
      for (const index_t corner : {first, *v, *w}) {
#pragma omp atomic
        ++at[corner];
      }
    });
  }
  return count;
}

std::vector<std::uint64_t> triangles_of_edges_reference(const Graph& graph, int threads) {
  const Graph out = oriented(graph, threads);
  std::vector<std::uint64_t> of_arc(out.col_idx.size());
  std::uint64_t* const at = of_arc.data();
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
  for (index_t first = 0; first < out.vertices; ++first) {
    merge_rows(out, first, [&](const index_t* uv, const index_t* uw, const index_t* vw) {
      for (const index_t* const arc : {uv, uw, vw}) {
#pragma omp atomic
        ++at[arc - out.col_idx.data()];
      }
    });
  }
  // The arc of a stored entry (u, v) is in the row of one of its ends.
  std::vector<std::uint64_t> count(static_cast<std::size_t>(graph.stored()));
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
  for (index_t u = 0; u < graph.vertices; ++u) {
    for (const index_t* v = graph.begin(u); v != graph.end(u); ++v) {
      const index_t* arc = std::lower_bound(out.begin(u), out.end(u), *v);
      if (arc == out.end(u) || *arc != *v) {
        arc = std::lower_bound(out.begin(*v), out.end(*v), u);
      }
      count[static_cast<std::size_t>(v - graph.col_idx.data())] =
          of_arc[static_cast<std::size_t>(arc - out.col_idx.data())];
    }
  }
  return count;
}

}  // namespace sparserepro
