// The fastest count of this project on the host. preprocess() looks at the degrees and prepares the
// method that suits them; execute() counts.
//
// Low degrees (roads, meshes): no preparation. For each pair w < v of lower neighbours of u,
// whether w is in row v (omp_adaptive_low.cpp).
//
// Skewed degrees: vertices are renumbered by degree, largest first, and N+(x) is the set of x's
// neighbours of lower rank, at most sqrt(2 m).
//
//   T = sum over edges x -> y of |N+(x) o N+(y)|
//
// N+(y) is looked up in a bitmap of N+(x), or, where N+(y) is long and N+(x) shorter, N+(x) in one
// of N+(y): half of the work on a graph with hubs. Entries of the renumbered rows are dealt out in
// pieces of equal length, so that a hub's row is shared by threads; each sets up the bitmap anew.
//
// Source: own. Orientation by degree and marks: Schank and Wagner, WEA 2005; Latapy, Theoretical
// Computer Science 407, 2008. Looking up the shorter list: Chiba and Nishizeki, SIAM J. Computing
// 14, 1985.
#include <omp.h>

#include <algorithm>
#include <vector>

#include "triangles/algorithms.hpp"
#include "triangles/host_run.hpp"
#include "triangles/omp_adaptive/low.hpp"
#include "triangles/omp_adaptive/marked.hpp"
#include "triangles/omp_adaptive/policy.hpp"
#include "triangles/omp_adaptive/ranked.hpp"

namespace sparserepro {
namespace {

class OmpAdaptiveTriangles final : public HostTrianglesRun {
 public:
  OmpAdaptiveTriangles(const TrianglesProblem& problem, const Params& params)
      : HostTrianglesRun(problem), threads_(params.threads()), ranked_(graph_, threads_) {
    bitmaps_.resize(static_cast<std::size_t>(threads_));
#pragma omp parallel for schedule(static, 1) num_threads(threads_)
    for (int thread = 0; thread < threads_; ++thread) {
      bitmaps_[thread].assign(static_cast<std::size_t>(graph_.vertices) / 32 + 1, 0);
    }
  }

  bool has_preprocess() const override {
    return true;
  }

  void preprocess() override {
    std::int64_t squares = 0;
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(+ : squares)
    for (index_t v = 0; v < graph_.vertices; ++v) {
      squares += graph_.degree(v) * graph_.degree(v);
    }
    low_ = squares <= HostAdaptivePolicy::low_neighbour_degree * graph_.stored();
    if (!low_) {
      ranked_.build();
    }
  }

  void execute() override {
    triangles_ = low_ ? count_low_degrees() : count_skewed_degrees();
  }

  std::int64_t workspace_bytes() const override {
    return ranked_.bytes() +
           threads_ * static_cast<std::int64_t>(bitmaps_[0].size() * sizeof(std::uint32_t));
  }

  Measures measures() const override {
    Measures all = HostTrianglesRun::measures();
    all.emplace_back("oriented", low_ ? 0.0 : 1.0);
    return all;
  }

 private:
  std::uint64_t count_low_degrees() const {
    constexpr index_t grab = HostAdaptivePolicy::rows_per_grab;
    const index_t grabs = graph_.vertices / grab + (graph_.vertices % grab != 0);
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_) reduction(+ : sum)
    for (index_t g = 0; g < grabs; ++g) {
      const index_t first = g * grab;
      sum += count_low_(graph_, first, first + std::min(grab, graph_.vertices - first));
    }
    return sum;
  }

  std::uint64_t count_skewed_degrees() {
    constexpr std::int64_t grab = HostAdaptivePolicy::entries_per_grab;
    const std::int64_t stored = ranked_.stored(), grabs = (stored + grab - 1) / grab;
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_) reduction(+ : sum)
    for (std::int64_t g = 0; g < grabs; ++g) {
      sum += count_entries(g * grab, std::min(stored, (g + 1) * grab),
                           bitmaps_[omp_get_thread_num()].data());
    }
    return sum;
  }

  /// Whether, for an edge x -> y, N+(x) is looked up in the bitmap of N+(y) and not the reverse.
  static bool looked_up(index_t of_x, index_t of_y) {
    return of_y >= HostAdaptivePolicy::long_list && of_y > of_x;
  }

  /// Edges {x, y} of the entries [first, last) of the renumbered rows x.
  std::uint64_t count_entries(std::int64_t first, std::int64_t last, std::uint32_t* bitmap) const {
    std::uint64_t sum = 0;
    for (index_t x = ranked_.rank_of(first); first < last; ++x) {
      const std::int64_t end = std::min(ranked_.start(x + 1), last);
      const index_t marks = ranked_.later(x);
      if (marks >= 2) {
        const index_t* const marked = ranked_.row(x);
        for (index_t p = 0; p < marks; ++p) {
          bitmap[marked[p] >> 5] |= 1U << (marked[p] & 31);
        }
        const index_t* y = marked + (first - ranked_.start(x));
        const index_t* const y_end = marked + (end - ranked_.start(x));
        for (; y < std::min(y_end, marked + marks); ++y) {
          const index_t length = ranked_.later(*y);
          if (!looked_up(marks, length)) {
            sum += count_marked_(bitmap, ranked_.row(*y), length);
          }
        }
        for (; marks >= HostAdaptivePolicy::long_list && y < y_end; ++y) {
          const index_t length = ranked_.later(*y);
          if (looked_up(length, marks)) {
            sum += count_marked_(bitmap, ranked_.row(*y), length);
          }
        }
        for (index_t p = 0; p < marks; ++p) {
          bitmap[marked[p] >> 5] = 0;
        }
      }
      first = end;
    }
    return sum;
  }

  int threads_;
  bool low_ = false;
  CountLow count_low_ = count_low_variants().front();
  CountMarked count_marked_ = count_marked_variants().front();
  RankedGraph ranked_;
  std::vector<Buffer<std::uint32_t>> bitmaps_;  // [threads][vertices / 32 + 1], 0 between vertices
};

}  // namespace

Algorithm<TrianglesProblem> triangles_omp_adaptive() {
  return {.name = "omp_adaptive",
          .summary = "low degrees: rows compared in vectors; else orientation and bitmaps",
          .source = "own",
          .backend = Backend::omp,
          .prepare = make_run<OmpAdaptiveTriangles, TrianglesProblem>};
}

}  // namespace sparserepro
