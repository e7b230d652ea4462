// SuiteSparse:GraphBLAS: triangles = sum of the entries of C<L> = L U' over (+, pair), with the
// strict triangles L and U of A; one dot product of two rows for each entry of the mask.
//
// Preprocessing is that of LAGraph's LAGr_TriangleCount with its default method and automatic
// sorting. In graphs of more than 1000 vertices with skewed degrees (mean degree at least 10, mean
// of a sample above 4 times its median), vertices are renumbered by ascending degree; then L and U
// are selected.
//
// Source: Davis, "Algorithm 1000: SuiteSparse:GraphBLAS", ACM TOMS 45(4), 2019; Azad, Buluc and
// Gilbert, "Parallel triangle counting and enumeration using matrix algebra", IPDPSW 2015.
#include <algorithm>
#include <numeric>
#include <vector>

#include "generate/random.hpp"
#include "peers/available.hpp"
#include "peers/graphblas.hpp"
#include "triangles/algorithms.hpp"
#include "triangles/host_run.hpp"

#ifdef SPARSEREPRO_HAS_GRAPHBLAS

namespace sparserepro {
namespace {

constexpr std::int64_t sample_size = 1000;
constexpr std::int64_t least_mean_degree = 10;
constexpr std::int64_t skewed_mean_to_median = 4;

class GraphblasMaskedTriangles final : public HostTrianglesRun {
 public:
  GraphblasMaskedTriangles(const TrianglesProblem& problem, const Params& params)
      : HostTrianglesRun(problem), threads_(params.threads()), a_(graphblas_matrix(adjacency())) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    graphblas_use_threads(threads_);
    const GrbMatrix* source = &a_;
    GrbMatrix sorted;
    if (skewed()) {
      Buffer<GrB_Index> order = vertices_by_degree();
      sorted = new_matrix();
      GRB_CHECK(GrB_Matrix_extract(sorted.get(), nullptr, nullptr, a_.get(), order.data(),
                                   order.size(), order.data(), order.size(), nullptr));
      source = &sorted;
    }
    lower_ = new_matrix();
    upper_ = new_matrix();
    GRB_CHECK(GrB_Matrix_select_INT64(lower_.get(), nullptr, nullptr, GrB_TRIL, source->get(), -1,
                                      nullptr));
    GRB_CHECK(GrB_Matrix_select_INT64(upper_.get(), nullptr, nullptr, GrB_TRIU, source->get(), 1,
                                      nullptr));
    lower_.wait();
    upper_.wait();
  }
  void discard() override { counts_ = {}; }
  void execute() override {
    graphblas_use_threads(threads_);
    counts_ = GrbMatrix(GrB_UINT64, graph_.vertices, graph_.vertices);
    GRB_CHECK(GrB_mxm(counts_.get(), lower_.get(), nullptr, GxB_PLUS_PAIR_UINT64, lower_.get(),
                      upper_.get(), GrB_DESC_ST1));
    GRB_CHECK(GrB_Matrix_reduce_UINT64(&triangles_, nullptr, GrB_PLUS_MONOID_UINT64, counts_.get(),
                                       nullptr));
  }
  /// Bytes of the library's copies of A, L and U.
  std::int64_t workspace_bytes() const override { return 2 * graphblas_bytes(adjacency()); }

 private:
  CsrView<std::int64_t, Pattern> adjacency() const {
    return {graph_.vertices,       graph_.vertices,       graph_.stored(),
            graph_.row_ptr.data(), graph_.col_idx.data(), nullptr};
  }
  GrbMatrix new_matrix() const {
    return {graphblas_type<Pattern>(), graph_.vertices, graph_.vertices};
  }

  bool skewed() const {
    const std::int64_t n = graph_.vertices;
    if (n <= sample_size || graph_.stored() < least_mean_degree * n) {
      return false;
    }
    RandomStream stream(0, Purpose::dense_operand, 0);
    std::vector<std::int64_t> degrees(sample_size);
    std::int64_t sum = 0;
    for (std::int64_t& degree : degrees) {
      degree = graph_.degree(static_cast<index_t>(stream.unit() * static_cast<double>(n)));
      sum += degree;
    }
    const auto middle = degrees.begin() + sample_size / 2;
    std::nth_element(degrees.begin(), middle, degrees.end());
    return sum > skewed_mean_to_median * *middle * sample_size;
  }

  /// The vertices by ascending degree, by a counting sort.
  Buffer<GrB_Index> vertices_by_degree() const {
    std::int64_t largest = 0;
    for (index_t v = 0; v < graph_.vertices; ++v) {
      largest = std::max(largest, graph_.degree(v));
    }
    std::vector<std::int64_t> next(static_cast<std::size_t>(largest) + 2, 0);
    for (index_t v = 0; v < graph_.vertices; ++v) {
      ++next[graph_.degree(v) + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    Buffer<GrB_Index> order(static_cast<std::size_t>(graph_.vertices));
    for (index_t v = 0; v < graph_.vertices; ++v) {
      order[next[graph_.degree(v)]++] = static_cast<GrB_Index>(v);
    }
    return order;
  }

  int threads_;
  GrbMatrix a_, lower_, upper_, counts_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TrianglesProblem> triangles_graphblas_masked() {
  return {.name = "graphblas_masked",
          .summary = "SuiteSparse:GraphBLAS, L U' masked by L over (+, pair)",
          .source = graphblas_library.title() + ", GrB_mxm as in LAGraph's LAGr_TriangleCount",
          .backend = Backend::omp,
          .peer = true,
          .unavailable = [] { return graphblas_library.unavailable(); },
          .refusal = [](const TrianglesProblem& problem, const Params&) -> std::string {
            return problem.graph().vertices == 0 ? "GraphBLAS has no matrix without rows" : "";
          },
#ifdef SPARSEREPRO_HAS_GRAPHBLAS
          .prepare = make_run<GraphblasMaskedTriangles, TrianglesProblem>
#endif
  };
}

}  // namespace sparserepro
