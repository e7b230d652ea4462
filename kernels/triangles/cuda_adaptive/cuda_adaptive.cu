// Triangles on the device by one of four paths: sorted symmetric CSR in, exact count out. README.md
// in this folder has the methods, their bounds and what was tried. preprocess() surveys the graph
// and, for path oriented, orients it by degree; execute() counts.
//
//   prefix    a thread per vertex                                  (short.cuh)
//   middle    a lane per row that a vertex reads                   (short.cuh)
//   even      a warp per vertex                                    (even.cuh)
//   oriented  by degree; a warp or a block per segment of a row    (orient.cuh, oriented.cuh)
//
// per_vertex=1 counts the triangles at each vertex too; the record then has clustering
// coefficients. Of the problem's `output`, edges has a kernel of its own (support.cuh). Source:
// own, on ideas of Polak 2016 (forward, thread per edge), Bisson and Fatica 2018 (bitmaps) and Hu
// et al. 2021 (TRUST: tables in shared memory; the tables here never lose a neighbour).
#include "cuda/device_info.hpp"
#include "sparserepro/device/triangles.hpp"
#include "triangles/algorithms.hpp"
#include "triangles/cuda_adaptive/limits.hpp"
#include "triangles/path_name.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <numeric>

#include "formats/public_views.hpp"
#include "triangles/cuda_adaptive/clustering.hpp"
#include "triangles/cuda_run.cuh"

namespace sparserepro {
namespace {

template <class Offset>
class CudaAdaptive final : public CudaTrianglesRun<Offset> {
  using Base = CudaTrianglesRun<Offset>;

 public:
  CudaAdaptive(const TrianglesProblem& problem, const Params& params)
      : Base(problem, 1),
        edges_(problem.output() == TrianglesOutput::edges),
        per_vertex_(params.integer("per_vertex") == 1 ||
                    problem.output() == TrianglesOutput::vertices),
        counter_(graph_view(), {.path = path_named(params.text("path"))}),
        workspace_(counter_.workspace_bytes(), this->stream()),
        of_vertex_(per_vertex_ ? static_cast<std::size_t>(problem.graph().vertices) : 0,
                   this->stream()),
        of_entry_(edges_ ? static_cast<std::size_t>(problem.graph().stored()) : 0, this->stream()) {
  }

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    counter_.prepare(workspace_.data(), workspace_.size(), this->stream());
  }
  void execute() override {
    if (edges_) {
      counter_.support(of_entry_.data(), this->stream());
    } else {
      counter_.count(this->sum(), of_vertex_.data(), this->stream());
    }
  }

  void poison() override {
    Base::poison();
    of_vertex_.fill_bytes(0xff, this->stream());
    of_entry_.fill_bytes(0xff, this->stream());
  }
  void download() override {
    host_of_vertex_.resize(of_vertex_.size());
    of_vertex_.copy_to(host_of_vertex_.data(), this->stream());
    host_of_entry_.resize(of_entry_.size());
    of_entry_.copy_to(host_of_entry_.data(), this->stream());
    Base::download();
  }
  TrianglesProblem::Result result() override {
    if (edges_) {
      this->set_triangles(
          std::accumulate(host_of_entry_.begin(), host_of_entry_.end(), std::uint64_t{0}) / 6);
    }
    return {Base::result().triangles, host_of_vertex_, host_of_entry_};
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(workspace_.bytes());
  }
  Measures measures() const override {
    Measures all = Base::measures();
    const auto facts = counter_.facts();
    all.insert(all.end(), facts.begin(), facts.end());
    if (per_vertex_) {
      const Clustering c = clustering(this->problem().graph(), host_of_vertex_);
      all.emplace_back("global_clustering", c.global);
      all.emplace_back("mean_local_clustering", c.mean_local);
    }
    return all;
  }

 private:
  CsrInput graph_view() const {
    const DeviceGraph<Offset> graph = this->graph();
    return {graph.vertices, graph.vertices, static_cast<std::int64_t>(graph.stored),
            graph.row_ptr,  graph.col_idx,  {}};
  }

  bool edges_, per_vertex_;
  device::TriangleCounter counter_;
  DeviceBuffer<char> workspace_;
  DeviceBuffer<std::uint64_t> of_vertex_, of_entry_;
  std::vector<std::uint64_t> host_of_vertex_, host_of_entry_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TrianglesProblem> triangles_cuda_adaptive() {
  return {.name = "cuda_adaptive",
          .summary = "rows as they are on even graphs, sets of kept neighbours on skewed ones",
          .source = "own",
          .backend = Backend::cuda,
          .parameters = {{"path",
                          std::string("auto"),
                          {std::string("auto"), std::string("prefix"), std::string("middle"),
                           std::string("even"), std::string("oriented")},
                          "method; auto: chosen by a survey of the graph"},
                         {"per_vertex",
                          std::int64_t{0},
                          {std::int64_t{0}, std::int64_t{1}},
                          "1: also count the triangles at each vertex and compute clustering "
                          "coefficients"}},
          .unavailable = [] { return cuda_unavailable(); },
          .refusal = [](const TrianglesProblem& problem, const Params& params) -> std::string {
            if (params.integer("per_vertex") == 1 && problem.output() != TrianglesOutput::total) {
              return "per_vertex=1 goes with output=total";
            }
            return adaptive::limit_refusal(problem.graph().vertices, problem.graph().stored());
          },
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare = prepare_cuda_triangles<CudaAdaptive>
#endif
  };
}

}  // namespace sparserepro
