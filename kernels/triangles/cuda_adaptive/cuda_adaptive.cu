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
// coefficients. Source: own, on ideas of Polak 2016 (forward, thread per edge), Bisson and Fatica
// 2018 (bitmaps) and Hu et al. 2021 (TRUST: tables in shared memory; the tables here never lose a
// neighbour).
#include "cuda/device_info.hpp"
#include "triangles/algorithms.hpp"
#include "triangles/cuda_adaptive/policy.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "triangles/cuda_adaptive/clustering.hpp"
#include "triangles/cuda_adaptive/even.cuh"
#include "triangles/cuda_adaptive/oriented.cuh"
#include "triangles/cuda_adaptive/short.cuh"
#include "triangles/cuda_adaptive/survey.cuh"

namespace sparserepro {
namespace {

constexpr int threads = DeviceAdaptivePolicy::threads;

template <class Offset>
class CudaAdaptive final : public CudaTrianglesRun<Offset> {
  using Base = CudaTrianglesRun<Offset>;

 public:
  CudaAdaptive(const TrianglesProblem& problem, const Params& params)
      : Base(problem, 1),
        choice_(params.text("path")),
        per_vertex_(params.integer("per_vertex") == 1),
        survey_(std::size_t{1}, this->stream()),
        of_vertex_(per_vertex_ ? static_cast<std::size_t>(n()) : 0, this->stream()) {}

  bool has_preprocess() const override { return true; }

  void preprocess() override {
    if (n() == 0) {
      return;
    }
    const AdaptiveSurvey survey = look();
    path_ = choice_ == "auto" ? choose_path(this->graph().vertices, stored(), survey)
                              : path_named(choice_);
    if (path_ == AdaptivePath::oriented) {
      orient(std::bit_width(survey.largest_group));
    }
  }

  void execute() override {
    this->clear_sum();
    of_vertex_.fill_bytes(0, this->stream());
    if (n() > 0) {
      per_vertex_ ? count<true>() : count<false>();
    }
  }

  void poison() override {
    Base::poison();
    of_vertex_.fill_bytes(0xff, this->stream());
  }
  void download() override {
    host_of_vertex_.resize(of_vertex_.size());
    of_vertex_.copy_to(host_of_vertex_.data(), this->stream());
    Base::download();
  }
  TrianglesProblem::Result result() override { return {Base::result().triangles, host_of_vertex_}; }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(order_.bytes() + rank_.bytes() + kept_.bytes() +
                                     rows_.bytes() + table_tasks_.bytes() + bitmap_tasks_.bytes() +
                                     sort_storage_.bytes());
  }
  Measures measures() const override {
    Measures all = Base::measures();
    const auto is = [&](AdaptivePath path) { return path_ == path ? 1.0 : 0.0; };
    all.emplace_back("path_prefix", is(AdaptivePath::prefix));
    all.emplace_back("path_middle", is(AdaptivePath::middle));
    all.emplace_back("path_even", is(AdaptivePath::even));
    all.emplace_back("path_oriented", is(AdaptivePath::oriented));
    if (path_ == AdaptivePath::oriented) {
      all.emplace_back("table_tasks", tasks_.table);
      all.emplace_back("bitmap_tasks", tasks_.bitmap);
    }
    if (per_vertex_) {
      const Clustering c = clustering(this->problem().graph(), host_of_vertex_);
      all.emplace_back("global_clustering", c.global);
      all.emplace_back("mean_local_clustering", c.mean_local);
    }
    return all;
  }

  static AdaptivePath path_named(const std::string& name) {
    return name == "prefix"   ? AdaptivePath::prefix
           : name == "middle" ? AdaptivePath::middle
           : name == "even"   ? AdaptivePath::even
                              : AdaptivePath::oriented;
  }

 private:
  unsigned n() const { return static_cast<unsigned>(this->graph().vertices); }
  std::int64_t stored() const { return this->problem().graph().stored(); }
  static unsigned blocks_of(std::int64_t of_threads) {
    return static_cast<unsigned>(ceil_div<std::int64_t>(of_threads, threads));
  }
  adaptive::Tally tally() { return {this->sum(), of_vertex_.data()}; }
  adaptive::Oriented oriented() {
    return {order_.data(), rank_.data(),        kept_.data(),
            rows_.data(),  table_tasks_.data(), bitmap_tasks_.data()};
  }

  AdaptiveSurvey look() {
    survey_.fill_bytes(0, this->stream());
    adaptive::survey_kernel<<<blocks_of(adaptive::survey_threads(this->graph().vertices)), threads,
                              0, this->stream()>>>(this->graph(), survey_.data());
    CUDA_CHECK_LAUNCH();
    AdaptiveSurvey survey{};
    survey_.copy_to(&survey, this->stream());
    this->synchronize();
    return survey;
  }

  /// Once: the path is known only after the survey.
  void allocate(int degree_bits) {
    const cudaStream_t s = this->stream();
    const auto vertices = std::size_t{n()}, entries = static_cast<std::size_t>(stored());
    counts_ = DeviceBuffer<adaptive::TaskCounts>(std::size_t{1}, s);
    order_ = DeviceBuffer<unsigned>(vertices, s);
    rank_ = DeviceBuffer<unsigned>(vertices, s);
    kept_ = DeviceBuffer<unsigned>(entries, s);
    rows_ = DeviceBuffer<adaptive::KeptRow>(vertices, s);
    table_tasks_ =
        DeviceBuffer<adaptive::Task>(vertices + entries / DeviceAdaptivePolicy::warp_segment, s);
    bitmap_tasks_ = DeviceBuffer<adaptive::Task>(
        entries / DeviceAdaptivePolicy::table_set + entries / DeviceAdaptivePolicy::block_segment,
        s);
    std::size_t bytes = 0;
    sort(nullptr, bytes, degree_bits);
    sort_storage_ = DeviceBuffer<char>(bytes, s);
    allow_shared_bytes(adaptive::bitmap_kernel<Offset, false>, largest_bitmap());
    allow_shared_bytes(adaptive::bitmap_kernel<Offset, true>, largest_bitmap());
  }
  static constexpr std::size_t bitmap_bytes(unsigned words) {
    return (words + 1) * sizeof(unsigned);
  }
  static constexpr std::size_t largest_bitmap() {
    return bitmap_bytes(DeviceAdaptivePolicy::bitmap_words);
  }

  /// Degrees lie where `rows` will be, vertex numbers where `rank` will be.
  void sort(void* storage, std::size_t& bytes, int degree_bits) {
    auto* const degree = reinterpret_cast<unsigned*>(rows_.data());
    CUDA_CHECK(cub::DeviceRadixSort::SortPairsDescending(storage, bytes, degree, degree + n(),
                                                         rank_.data(), order_.data(), n(), 0,
                                                         degree_bits, this->stream()));
  }

  void orient(int degree_bits) {
    if (order_.size() == 0) {
      allocate(degree_bits);
    }
    const cudaStream_t s = this->stream();
    const auto graph = this->graph();
    adaptive::degree_kernel<<<blocks_of(n()), threads, 0, s>>>(
        graph, reinterpret_cast<unsigned*>(rows_.data()), rank_.data());
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = sort_storage_.bytes();
    sort(sort_storage_.data(), bytes, degree_bits);
    adaptive::rank_kernel<<<blocks_of(n()), threads, 0, s>>>(n(), oriented());
    CUDA_CHECK_LAUNCH();
    constexpr int long_threads = DeviceAdaptivePolicy::orient_threads;
    static const int long_blocks =
        resident_blocks(adaptive::orient_long_kernel<Offset>, long_threads, 0);
    adaptive::orient_long_kernel<<<long_blocks, long_threads, 0, s>>>(graph, oriented());
    CUDA_CHECK_LAUNCH();
    adaptive::orient_kernel<<<blocks_of(std::int64_t{n()} * DeviceAdaptivePolicy::lanes_per_row),
                              threads, 0, s>>>(graph, oriented());
    CUDA_CHECK_LAUNCH();
    counts_.fill_bytes(0, s);
    adaptive::task_kernel<<<blocks_of(n()), threads, 0, s>>>(graph, oriented(), counts_.data());
    CUDA_CHECK_LAUNCH();
    counts_.copy_to(&tasks_, s);
    this->synchronize();
  }

  /// Launches `kernel` with as many blocks as the device holds; asks for their number once.
  template <class Kernel, class... Arguments>
  void launch_resident(Kernel* kernel, int& blocks, std::size_t shared, Arguments... arguments) {
    if (blocks == 0) {
      blocks = resident_blocks(kernel, threads, shared);
    }
    kernel<<<static_cast<unsigned>(blocks), threads, shared, this->stream()>>>(arguments...);
    CUDA_CHECK_LAUNCH();
  }

  template <bool per_vertex>
  void count() {
    const auto graph = this->graph();
    switch (path_) {
      case AdaptivePath::prefix:
        return launch_resident(adaptive::prefix_kernel<Offset, per_vertex>, blocks_, 0, graph,
                               tally());
      case AdaptivePath::middle:
        return launch_resident(adaptive::middle_kernel<Offset, per_vertex>, blocks_, 0, graph,
                               tally());
      case AdaptivePath::even:
        return launch_resident(adaptive::even_kernel<Offset, per_vertex>, blocks_, 0, graph,
                               tally());
      case AdaptivePath::oriented:
        break;
    }
    if (tasks_.bitmap > 0) {
      CUDA_CHECK(
          cudaMemsetAsync(&counts_.data()->next_bitmap, 0, sizeof(unsigned), this->stream()));
      const unsigned words =
          std::min(ceil_div(tasks_.rank_bound, 32U), unsigned{DeviceAdaptivePolicy::bitmap_words});
      launch_resident(adaptive::bitmap_kernel<Offset, per_vertex>, blocks_, bitmap_bytes(words),
                      graph, oriented(), words, counts_.data(), tally());
    }
    if (tasks_.table > 0) {
      launch_resident(adaptive::table_kernel<Offset, per_vertex>, table_blocks_, 0, graph,
                      oriented(), counts_.data(), tally());
    }
  }

  std::string choice_;
  bool per_vertex_;
  AdaptivePath path_ = AdaptivePath::prefix;
  adaptive::TaskCounts tasks_{};       // as preprocess left them
  int blocks_ = 0, table_blocks_ = 0;  // of the kernels of execute()
  DeviceBuffer<AdaptiveSurvey> survey_;
  DeviceBuffer<std::uint64_t> of_vertex_;
  std::vector<std::uint64_t> host_of_vertex_;
  DeviceBuffer<adaptive::TaskCounts> counts_;
  DeviceBuffer<unsigned> order_, rank_, kept_;
  DeviceBuffer<adaptive::KeptRow> rows_;
  DeviceBuffer<adaptive::Task> table_tasks_, bitmap_tasks_;
  DeviceBuffer<char> sort_storage_;
};

}  // namespace
}  // namespace sparserepro

#endif

namespace sparserepro {

Algorithm<TrianglesProblem> triangles_cuda_adaptive() {
  return {
      .name = "cuda_adaptive",
      .summary = "rows as they are on even graphs, sets of kept neighbours on skewed ones",
      .source = "own",
      .backend = Backend::cuda,
      .parameters = {{"path",
                      std::string("auto"),
                      {std::string("auto"), std::string("prefix"), std::string("middle"),
                       std::string("even"), std::string("oriented")},
                      "how cuda_adaptive counts; auto: as a survey of the graph suggests"},
                     {"per_vertex",
                      std::int64_t{0},
                      {std::int64_t{0}, std::int64_t{1}},
                      "1: the triangles at each vertex too, and clustering coefficients"}},
      .unavailable = [] { return cuda_unavailable(); },
      .refusal = [](const TrianglesProblem& problem, const Params&) -> std::string {
        constexpr std::int64_t most_entries = std::int64_t{1} << 40;
        constexpr index_t most_vertices = std::numeric_limits<index_t>::max() - 1024;
        if (problem.graph().stored() > most_entries || problem.graph().vertices > most_vertices) {
          return "at most " + std::to_string(most_vertices) + " vertices and " +
                 std::to_string(most_entries) + " entries";
        }
        return "";
      },
#ifdef SPARSEREPRO_HAS_CUDA
      .prepare = prepare_cuda_triangles<CudaAdaptive>
#endif
  };
}

}  // namespace sparserepro
