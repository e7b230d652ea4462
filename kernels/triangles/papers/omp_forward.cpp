// Parallel count on an oriented graph: each edge points to its end with the larger (degree, id).
//
//   triangles = sum over edges u->v of |N+(u) o N+(v)|
//
// counts each triangle once. The orientation bounds every out-degree by sqrt(2 m) for m edges.
// preprocess() orients the graph; it neither sorts edges nor renumbers vertices. execute()
// distributes vertices u dynamically; a thread marks N+(u) in its marker array and adds the marks
// of N+(v) for each v in N+(u), in sum over u->v of d+(v) steps without data-dependent branches. It
// skips vertices with d+(u) < 2, at which no triangle begins.
//
// Source: Schank and Wagner, "Finding, counting and listing all triangles in large graphs", WEA
// 2005 (forward); markers as in Latapy, "Main-memory triangle computations for very large (sparse
// (power-law)) graphs", Theoretical Computer Science 407, 2008 (new-vertex-listing).
#include <omp.h>

#include <vector>

#include "formats/region_error.hpp"
#include "triangles/algorithms.hpp"
#include "triangles/host_run.hpp"

namespace sparserepro {
namespace {

constexpr index_t vertices_per_grab = 64;  // vertices that a thread takes at a time

class OmpForwardTriangles final : public HostTrianglesRun {
 public:
  OmpForwardTriangles(const TrianglesProblem& problem, const Params& params)
      : HostTrianglesRun(problem), threads_(params.threads()) {
    oriented_.vertices = graph_.vertices;
    oriented_.row_ptr.resize(static_cast<std::size_t>(graph_.vertices) + 1);
    oriented_.col_idx.resize(static_cast<std::size_t>(graph_.edges()));
    part_ptr_.resize(static_cast<std::size_t>(threads_) + 1);
    marked_.resize(static_cast<std::size_t>(threads_));
    RegionError error;
#pragma omp parallel for schedule(static, 1) num_threads(threads_)
    for (int thread = 0; thread < threads_; ++thread) {
      error.guard([&] { marked_[thread].assign(static_cast<std::size_t>(graph_.vertices), 0); });
    }
    error.rethrow();
  }

  bool has_preprocess() const override {
    return true;
  }

  void preprocess() override {
#pragma omp parallel num_threads(threads_)
    {
      // The runtime may provide fewer threads than requested.
      const int parts = omp_get_num_threads(), part = omp_get_thread_num();
      const std::int64_t* const row_ptr = graph_.row_ptr.data();
      const index_t first = balanced_row_begin(row_ptr, graph_.vertices, parts, part);
      const index_t last = balanced_row_begin(row_ptr, graph_.vertices, parts, part + 1);
      std::int64_t kept = 0;
      for (index_t u = first; u < last; ++u) {
        oriented_.row_ptr[u] = kept;
        for (const index_t* v = graph_.begin(u); v != graph_.end(u); ++v) {
          kept += later(u, *v);
        }
      }
      part_ptr_[part + 1] = kept;
#pragma omp barrier
#pragma omp single
      {
        part_ptr_[0] = 0;
        for (int p = 0; p < parts; ++p) {
          part_ptr_[p + 1] += part_ptr_[p];
        }
        oriented_.row_ptr[graph_.vertices] = part_ptr_[parts];
      }
      index_t* out = oriented_.col_idx.data() + part_ptr_[part];
      for (index_t u = first; u < last; ++u) {
        oriented_.row_ptr[u] += part_ptr_[part];
        for (const index_t* v = graph_.begin(u); v != graph_.end(u); ++v) {
          if (later(u, *v)) {
            *out++ = *v;
          }
        }
      }
    }
  }

  void execute() override {
    std::uint64_t sum = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : sum)
    {
      std::uint8_t* const marked = marked_[omp_get_thread_num()].data();
#pragma omp for schedule(dynamic, vertices_per_grab)
      for (index_t u = 0; u < oriented_.vertices; ++u) {
        if (oriented_.degree(u) < 2) {
          continue;
        }
        const index_t* const row = oriented_.begin(u);
        const index_t* const row_end = oriented_.end(u);
        for (const index_t* v = row; v != row_end; ++v) {
          marked[*v] = 1;
        }
        for (const index_t* v = row; v != row_end; ++v) {
          for (const index_t* w = oriented_.begin(*v); w != oriented_.end(*v); ++w) {
            sum += marked[*w];
          }
        }
        for (const index_t* v = row; v != row_end; ++v) {
          marked[*v] = 0;
        }
      }
    }
    triangles_ = sum;
  }

  std::int64_t workspace_bytes() const override {
    const std::size_t pointers = oriented_.row_ptr.size() + part_ptr_.size();
    return static_cast<std::int64_t>(pointers * sizeof(std::int64_t) +
                                     oriented_.col_idx.size() * sizeof(index_t)) +
           std::int64_t{threads_} * graph_.vertices;
  }

 private:
  /// Whether the edge points from u to v: v has the larger (degree, id).
  bool later(index_t u, index_t v) const {
    const std::int64_t mine = graph_.degree(u), other = graph_.degree(v);
    return other > mine || (other == mine && v > u);
  }

  int threads_;
  Graph oriented_;                            // each edge once, in the row of its first end
  std::vector<Buffer<std::uint8_t>> marked_;  // [threads][vertices], all 0 between two vertices
  Buffer<std::int64_t> part_ptr_;  // [threads+1] first oriented edge of each thread's rows
};

}  // namespace

Algorithm<TrianglesProblem> triangles_omp_forward() {
  return {.name = "omp_forward",
          .summary = "orientation by (degree, id), then markers of the oriented rows",
          .source = "Schank and Wagner 2005 (forward); Latapy 2008 (new-vertex-listing)",
          .backend = Backend::omp,
          .prepare = make_run<OmpForwardTriangles, TrianglesProblem>};
}

}  // namespace sparserepro
