#include "triangles/omp_adaptive/support.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>

#include "formats/region_error.hpp"

namespace sparserepro {

/// Vertices that a thread takes at a time.
constexpr index_t together = 64;

SupportCounter::SupportCounter(const GraphView& graph, int threads)
    : graph_(graph), threads_(threads) {
  const auto vertices = static_cast<std::size_t>(graph.vertices);
  start_.resize(vertices + 1);
  start_[0] = 0;
#pragma omp parallel for schedule(dynamic, together) num_threads(threads_)
  for (index_t u = 0; u < graph.vertices; ++u) {
    start_[u + 1] =
        std::count_if(graph.begin(u), graph.end(u), [&](index_t v) { return later(u, v); });
  }
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  ends_.resize(static_cast<std::size_t>(start_.back()));
  support_.resize(ends_.size());
#pragma omp parallel for schedule(dynamic, together) num_threads(threads_)
  for (index_t u = 0; u < graph.vertices; ++u) {
    std::copy_if(graph.begin(u), graph.end(u), ends_.begin() + start_[u],
                 [&](index_t v) { return later(u, v); });
  }
  marked_.resize(static_cast<std::size_t>(threads_));
  RegionError error;
#pragma omp parallel for schedule(static, 1) num_threads(threads_)
  for (int thread = 0; thread < threads_; ++thread) {
    error.guard([&] { marked_[thread].assign(vertices, 0); });
  }
  error.rethrow();
}

void SupportCounter::list_triangles() {
  const std::int64_t edges = start_.back();
#pragma omp parallel for schedule(static) num_threads(threads_)
  for (std::int64_t e = 0; e < edges; ++e) {
    support_[e] = 0;
  }
  std::uint64_t* const support = support_.data();
#pragma omp parallel for schedule(dynamic, together) num_threads(threads_)
  for (index_t u = 0; u < graph_.vertices; ++u) {
    index_t* const marked = marked_[omp_get_thread_num()].data();
    const std::int64_t begin = start_[u], end = start_[u + 1];
    if (end - begin < 2) {
      continue;
    }
    for (std::int64_t e = begin; e < end; ++e) {
      marked[ends_[e]] = static_cast<index_t>(e - begin) + 1;
    }
    for (std::int64_t e = begin; e < end; ++e) {
      const index_t v = ends_[e];
      std::uint64_t found = 0;
      for (std::int64_t f = start_[v]; f < start_[v + 1]; ++f) {
        if (const index_t place = marked[ends_[f]]; place > 0) {
          ++found;
#pragma omp atomic
          ++support[f];
#pragma omp atomic
          ++support[begin + place - 1];
        }
      }
      if (found > 0) {
#pragma omp atomic
        support[e] += found;
      }
    }
    for (std::int64_t e = begin; e < end; ++e) {
      marked[ends_[e]] = 0;
    }
  }
}

/// Of the edge {u, v}, which the earlier of the two holds.
std::uint64_t SupportCounter::support_of(index_t u, index_t v) const {
  const index_t from = later(u, v) ? u : v, to = from == u ? v : u;
  const auto place =
      std::lower_bound(ends_.begin() + start_[from], ends_.begin() + start_[from + 1], to);
  return support_[place - ends_.begin()];
}

std::uint64_t SupportCounter::count(const host::TriangleCounts& counts) {
  list_triangles();
  std::uint64_t corners = 0;
#pragma omp parallel for schedule(dynamic, together) num_threads(threads_) reduction(+ : corners)
  for (index_t u = 0; u < graph_.vertices; ++u) {
    std::uint64_t at_edges = 0;
    for (std::int64_t p = graph_.row_ptr[u]; p < graph_.row_ptr[u + 1]; ++p) {
      const std::uint64_t support = support_of(u, graph_.col_idx[p]);
      at_edges += support;
      if (counts.of_entry != nullptr) {
        counts.of_entry[p] = support;
      }
    }
    if (counts.of_vertex != nullptr) {
      counts.of_vertex[u] = at_edges / 2;
    }
    corners += at_edges / 2;
  }
  return corners / 3;
}

std::int64_t SupportCounter::bytes() const {
  std::size_t bytes = start_.size() * sizeof(std::int64_t) + ends_.size() * sizeof(index_t) +
                      support_.size() * sizeof(std::uint64_t);
  for (const auto& marks : marked_) {
    bytes += marks.size() * sizeof(index_t);
  }
  return static_cast<std::int64_t>(bytes);
}

}  // namespace sparserepro
