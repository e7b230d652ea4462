// Triangles on several devices: each has the whole graph and counts the triangles of its part of
// the work (sparserepro/device/triangles.hpp, `part` of `parts`); the counts are added up.
// README.md beside this file is its page: the split, what is timed, bound.
//
// At the beginning the graph lies on the first device, as for an algorithm of one. preprocess()
// broadcasts it, and each device surveys it and orients it where that pays; execute() counts and
// adds up (ncclAllReduce). So the time of preprocess() contains the broadcast.
//
// Source: own; ncclBroadcast and ncclAllReduce of NCCL.
#include "cuda/device_info.hpp"
#include "cuda/multi/device_group.hpp"
#include "sparserepro/device/triangles.hpp"
#include "triangles/algorithms.hpp"
#include "triangles/cuda_multi_adaptive/prepare.hpp"
#include "triangles/path_name.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "cuda/multi/group_run.hpp"
#include "triangles/cuda_run.cuh"

namespace sparserepro {
namespace {

template <class Offset>
class CudaMultiAdaptive final : public GroupRun<CudaTrianglesRun<Offset>> {
  using Base = GroupRun<CudaTrianglesRun<Offset>>;

 public:
  CudaMultiAdaptive(const TrianglesProblem& problem, const Params& params,
                    const Placement& placement)
      : Base(placement, problem, 1), ranks_(static_cast<std::size_t>(this->group().size())) {
    this->group().for_each([&](int rank) {
      Rank& r = ranks_[static_cast<std::size_t>(rank)];
      const cudaStream_t s = this->group().stream(rank);
      r.graph = this->graph();
      r.sum = this->sum();
      if (rank > 0) {
        r.row_ptr = DeviceBuffer<Offset>(static_cast<std::size_t>(r.graph.vertices) + 1, s);
        r.col_idx = DeviceBuffer<index_t>(static_cast<std::size_t>(r.graph.stored), s);
        r.own_sum = DeviceBuffer<std::uint64_t>(std::size_t{1}, s);
        r.graph.row_ptr = r.row_ptr.data();
        r.graph.col_idx = r.col_idx.data();
        r.sum = r.own_sum.data();
      }
      const CsrInput view{
          r.graph.vertices, r.graph.vertices, static_cast<std::int64_t>(r.graph.stored),
          r.graph.row_ptr,  r.graph.col_idx,  {}};
      r.counter = std::make_unique<device::TriangleCounter>(
          view, device::TriangleOptions{.path = path_named(params.text("path")),
                                        .part = static_cast<unsigned>(rank),
                                        .parts = static_cast<unsigned>(this->group().size())});
      r.workspace = DeviceBuffer<char>(r.counter->workspace_bytes(), s);
    });
    this->group().join();
  }

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    this->group().fork();
    std::vector<void*> row_ptr, col_idx;
    for (Rank& r : ranks_) {
      row_ptr.push_back(const_cast<Offset*>(r.graph.row_ptr));
      col_idx.push_back(const_cast<index_t*>(r.graph.col_idx));
    }
    const DeviceGraph<Offset>& graph = ranks_[0].graph;
    this->group().broadcast(row_ptr,
                            (static_cast<std::size_t>(graph.vertices) + 1) * sizeof(Offset));
    if (graph.stored > 0) {
      this->group().broadcast(col_idx, static_cast<std::size_t>(graph.stored) * sizeof(index_t));
    }
    this->group().in_parallel([&](int rank) {
      Rank& r = ranks_[static_cast<std::size_t>(rank)];
      r.counter->prepare(r.workspace.data(), r.workspace.size(), this->group().stream(rank));
    });
    this->group().join();
  }

  void execute() override {
    this->group().fork();
    std::vector<std::uint64_t*> sums;
    this->group().for_each([&](int rank) {
      Rank& r = ranks_[static_cast<std::size_t>(rank)];
      r.counter->count(r.sum, nullptr, this->group().stream(rank));
      sums.push_back(r.sum);
    });
    this->group().all_reduce_sum(sums);
    this->group().join();
  }

  void poison() override {
    Base::poison();
    this->group().for_each([&](int rank) {
      ranks_[static_cast<std::size_t>(rank)].own_sum.fill_bytes(0xff, this->group().stream(rank));
    });
    this->group().join();
  }
  std::int64_t workspace_bytes() const override {
    std::size_t bytes = 0;
    for (const Rank& r : ranks_) {
      bytes += r.workspace.bytes() + r.row_ptr.bytes() + r.col_idx.bytes();
    }
    return static_cast<std::int64_t>(bytes);
  }
  Measures measures() const override {
    Measures all = Base::measures();
    all.emplace_back("gpus", static_cast<double>(ranks_.size()));
    const auto facts = ranks_[0].counter->facts();
    all.insert(all.end(), facts.begin(), facts.end());
    return all;
  }

 private:
  struct Rank {
    DeviceGraph<Offset> graph;  // of rank 0 that of the base
    std::uint64_t* sum = nullptr;
    DeviceBuffer<Offset> row_ptr;
    DeviceBuffer<index_t> col_idx;
    DeviceBuffer<std::uint64_t> own_sum;
    std::unique_ptr<device::TriangleCounter> counter;
    DeviceBuffer<char> workspace;
  };

  std::vector<Rank> ranks_;
};

}  // namespace

std::unique_ptr<Run<TrianglesProblem>> prepare_multi_adaptive(const TrianglesProblem& problem,
                                                              const Params& params,
                                                              const Placement& placement) {
  if (problem.graph().stored() <= problem.most_narrow_entries()) {
    return std::make_unique<CudaMultiAdaptive<std::int32_t>>(problem, params, placement);
  }
  return std::make_unique<CudaMultiAdaptive<std::int64_t>>(problem, params, placement);
}

}  // namespace sparserepro

#endif

namespace sparserepro {
namespace {

/// Of the graph on each device, and of the orientation: a number for each entry, and some for each
/// vertex.
std::string refusal(const TrianglesProblem& problem, const Params& params) {
  const std::int64_t entries = problem.graph().stored(), vertices = problem.graph().vertices;
  const std::int64_t pointer = entries <= problem.most_narrow_entries() ? 4 : 8;
  const std::int64_t bytes = entries * 4 + (vertices + 1) * pointer + entries * 4 + vertices * 24;
  return gpu_group_refusal(params, bytes, bytes);
}

}  // namespace

Algorithm<TrianglesProblem> triangles_cuda_multi_adaptive() {
  return {.name = "cuda_multi_adaptive",
          .summary = "the work of one GPU's count dealt out to several, the graph on each",
          .source = "own",
          .backend = Backend::cuda,
          .parameters = {gpus_parameter(),
                         {"path",
                          std::string("auto"),
                          {std::string("auto"), std::string("prefix"), std::string("middle"),
                           std::string("even"), std::string("oriented")},
                          "method; auto: chosen by a survey of the graph"}},
          .unavailable = [] { return gpu_group_unavailable(); },
          .refusal = refusal,
#ifdef SPARSEREPRO_HAS_CUDA
          .prepare =
              [](const TrianglesProblem& problem, const Params& params) {
                return prepare_multi_adaptive(problem, params, Placement::on_devices(params));
              }
#endif
  };
}

}  // namespace sparserepro
