// Ranks by counting the degrees, which are many times fewer than the vertices; the few vertices of
// very large degree are sorted. No edge is sorted: one pass over the graph writes the ranks of the
// later neighbours at the front of each row.
#include "triangles/omp_adaptive/ranked.hpp"

#include <omp.h>

#include <algorithm>

#include "formats/partition.hpp"
#include "triangles/omp_adaptive/policy.hpp"

namespace sparserepro {

constexpr std::int64_t counted = HostAdaptivePolicy::counted_degrees;

RankedGraph::RankedGraph(const GraphView& graph, int threads) : graph_(graph), threads_(threads) {
  const auto vertices = static_cast<std::size_t>(graph.vertices);
  rank_.resize(vertices);
  start_.resize(vertices + 1);
  later_.resize(vertices);
  neighbours_.resize(static_cast<std::size_t>(graph.stored()));
  degree_counts_.resize(static_cast<std::size_t>(threads * counted));
  large_.reserve(static_cast<std::size_t>(graph.stored() / counted));  // most that there can be
}

void RankedGraph::build() {
  rank_vertices();
  fill_rows();
}

void RankedGraph::rank_vertices() {
  large_.clear();
  const std::int64_t n = graph_.vertices;
#pragma omp parallel num_threads(threads_)
  {
    const int parts = omp_get_num_threads(), part = omp_get_thread_num();
    const auto first = static_cast<index_t>(part_begin(n, parts, part));
    const auto last = static_cast<index_t>(part_begin(n, parts, part + 1));
    index_t* const counts = degree_counts_.data() + part * counted;
    std::fill_n(counts, counted, 0);
    for (index_t u = first; u < last; ++u) {
      if (const std::int64_t degree = graph_.degree(u); degree < counted) {
        ++counts[degree];
      } else {
#pragma omp critical(sparserepro_large_degrees)
        large_.push_back(u);
      }
    }
#pragma omp barrier
#pragma omp single
    {
      std::sort(large_.begin(), large_.end(), [&](index_t u, index_t v) {
        const std::int64_t of_u = graph_.degree(u), of_v = graph_.degree(v);
        return of_u > of_v || (of_u == of_v && u < v);
      });
      std::int64_t entries = 0;
      index_t next = 0;
      for (const index_t u : large_) {
        rank_[u] = next;
        start_[next++] = entries;
        entries += graph_.degree(u);
      }
      for (std::int64_t degree = counted - 1; degree >= 0; --degree) {
        for (int p = 0; p < parts; ++p) {
          const index_t count = degree_counts_[p * counted + degree];
          degree_counts_[p * counted + degree] = next;
          next += count;
        }
      }
      start_[n] = graph_.stored();
    }
    for (index_t u = first; u < last; ++u) {
      if (const std::int64_t degree = graph_.degree(u); degree < counted) {
        const index_t rank = counts[degree]++;
        rank_[u] = rank;
        start_[rank] = degree;
      }
    }
#pragma omp barrier
#pragma omp single
    {
      const auto large = static_cast<std::int64_t>(large_.size());
      std::int64_t entries = 0;
      for (const index_t u : large_) {
        entries += graph_.degree(u);
      }
      for (std::int64_t rank = large; rank < n; ++rank) {
        const std::int64_t degree = start_[rank];
        start_[rank] = entries;
        entries += degree;
      }
    }
  }
}

void RankedGraph::fill_rows() {
#pragma omp parallel num_threads(threads_)
  {
    const int parts = 8 * omp_get_num_threads();
    const std::int64_t* const row_ptr = graph_.row_ptr;
#pragma omp for schedule(dynamic, 1)
    for (int part = 0; part < parts; ++part) {
      const index_t last = balanced_row_begin(row_ptr, graph_.vertices, parts, part + 1);
      for (index_t u = balanced_row_begin(row_ptr, graph_.vertices, parts, part); u < last; ++u) {
        const index_t rank = rank_[u];
        index_t* front = neighbours_.data() + start_[rank];
        for (const index_t* v = graph_.begin(u); v != graph_.end(u); ++v) {
          const index_t other = rank_[*v];
          *front = other;  // within the row; overwritten by the next unless it is a later one
          front += other < rank;
        }
        later_[rank] = static_cast<index_t>(front - (neighbours_.data() + start_[rank]));
      }
    }
  }
}

index_t RankedGraph::rank_of(std::int64_t entry) const {
  return static_cast<index_t>(segment_of(start_.data(), graph_.vertices, entry));
}

std::int64_t RankedGraph::bytes() const {
  return static_cast<std::int64_t>(sizeof(index_t) * (rank_.size() + later_.size() +
                                                      neighbours_.size() + degree_counts_.size()) +
                                   sizeof(std::int64_t) * start_.size());
}

}  // namespace sparserepro
