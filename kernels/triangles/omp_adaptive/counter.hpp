// omp_adaptive as a class: prepare once, count often.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/graph.hpp"
#include "formats/region_error.hpp"
#include "sparserepro/triangles.hpp"
#include "triangles/omp_adaptive/low.hpp"
#include "triangles/omp_adaptive/marked.hpp"
#include "triangles/omp_adaptive/policy.hpp"
#include "triangles/omp_adaptive/ranked.hpp"

namespace sparserepro {

/// Counts the triangles of `graph`, whose arrays outlive this.
class AdaptiveCounter {
 public:
  AdaptiveCounter(const GraphView& graph, int threads, host::TrianglePath path)
      : graph_(graph), threads_(threads), choice_(path), ranked_(graph, threads) {
    bitmaps_.resize(static_cast<std::size_t>(threads_));
    RegionError error;
#pragma omp parallel for schedule(static, 1) num_threads(threads_)
    for (int thread = 0; thread < threads_; ++thread) {
      error.guard(
          [&] { bitmaps_[thread].assign(static_cast<std::size_t>(graph_.vertices) / 32 + 1, 0); });
    }
    error.rethrow();
  }

  /// Chooses the path, and renumbers the vertices for path ranked.
  void prepare() {
    using host::TrianglePath;
    low_ = choice_ == TrianglePath::automatic ? has_low_degrees() : choice_ == TrianglePath::low;
    if (!low_) {
      ranked_.build();
    }
  }

  std::uint64_t count() {
    return low_ ? count_low() : count_ranked();
  }

  std::int64_t workspace_bytes() const {
    return ranked_.bytes() +
           threads_ * static_cast<std::int64_t>(bitmaps_[0].size() * sizeof(std::uint32_t));
  }
  host::TrianglePath path() const {
    return low_ ? host::TrianglePath::low : host::TrianglePath::ranked;
  }

 private:
  /// Whether the mean degree of a neighbour, sum d^2 / sum d, is at most the policy's.
  bool has_low_degrees() const {
    std::int64_t squares = 0;
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(+ : squares)
    for (index_t v = 0; v < graph_.vertices; ++v) {
      squares += graph_.degree(v) * graph_.degree(v);
    }
    return squares <= HostAdaptivePolicy::low_neighbour_degree * graph_.stored();
  }

  std::uint64_t count_low() const {
    constexpr std::int64_t window = HostAdaptivePolicy::rows_of_window;
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_) reduction(+ : sum)
    for (std::int64_t first = 0; first < graph_.vertices; first += window) {
      sum +=
          count_low_(graph_, static_cast<index_t>(first),
                     static_cast<index_t>(std::min<std::int64_t>(first + window, graph_.vertices)));
    }
    return sum;
  }

  std::uint64_t count_ranked() {
    constexpr std::int64_t task = HostAdaptivePolicy::entries_of_task;
    const std::int64_t stored = ranked_.stored();
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_) reduction(+ : sum)
    for (std::int64_t first = 0; first < stored; first += task) {
      sum += count_entries(first, std::min(first + task, stored),
                           bitmaps_[omp_get_thread_num()].data());
    }
    return sum;
  }

  /// Edges x -> y of the entries [first, last) of the renumbered rows x.
  std::uint64_t count_entries(std::int64_t first, std::int64_t last, std::uint32_t* bitmap) const {
    std::uint64_t sum = 0;
    for (index_t x = ranked_.rank_of(first); first < last; ++x) {
      const index_t marks = ranked_.later(x);
      const index_t* const marked = ranked_.row(x);
      const std::int64_t begin = ranked_.start(x), end = std::min(begin + marks, last);
      if (marks >= 2 && first < end) {
        for (index_t p = 0; p < marks; ++p) {
          bitmap[marked[p] >> 5] |= 1U << (marked[p] & 31);
        }
        for (const index_t* y = marked + (first - begin); y < marked + (end - begin); ++y) {
          sum += count_marked_(bitmap, ranked_.row(*y), ranked_.later(*y));
        }
        for (index_t p = 0; p < marks; ++p) {
          bitmap[marked[p] >> 5] = 0;
        }
      }
      first = std::min(ranked_.start(x + 1), last);
    }
    return sum;
  }

  GraphView graph_;
  int threads_;
  host::TrianglePath choice_;
  bool low_ = false;
  CountLow count_low_ = count_low_variants().front();
  CountMarked count_marked_ = count_marked_variants().front();
  RankedGraph ranked_;
  std::vector<Buffer<std::uint32_t>> bitmaps_;  // [threads][vertices / 32 + 1], 0 between vertices
};

}  // namespace sparserepro
