// cuda_adaptive as a class: prepare once, count often.
#pragma once

#include <algorithm>
#include <string>

#include "cuda/device_memory.hpp"
#include "cuda/host_answer.hpp"
#include "cuda/launch.hpp"
#include "triangles/cuda_adaptive/even.cuh"
#include "triangles/cuda_adaptive/oriented.cuh"
#include "triangles/cuda_adaptive/policy.hpp"
#include "triangles/cuda_adaptive/prepare.cuh"
#include "triangles/cuda_adaptive/short.cuh"
#include "triangles/cuda_adaptive/support.cuh"

namespace sparserepro::adaptive {

/// Counts the triangles of `graph`, in device memory, which outlives this, as does `memory`.
template <class Offset>
class Counter {
 public:
  Counter(const DeviceGraph<Offset>& graph, AdaptivePath choice, const Share& share,
          DeviceMemory& memory)
      : graph_(graph), choice_(choice), share_(share) {
    if (n() > 0) {
      place(memory);
    }
  }

  /// Surveys the graph, unless its path is known, and orients it for path oriented; waits for both.
  void prepare(cudaStream_t stream) {
    found_ = {{}, AdaptivePath::prefix};  // which needs nothing, should this fail
    if (n() == 0) {
      return;
    }
    const double mean = static_cast<double>(graph_.stored) / n();
    const bool skewed =
        choice_ == AdaptivePath::automatic && mean > DeviceAdaptivePolicy::even_mean;
    const AdaptivePath choice = skewed ? AdaptivePath::oriented : choice_;
    if (choice != AdaptivePath::automatic && choice != AdaptivePath::oriented) {
      found_.path = choice;
      return;
    }
    const auto batch = static_cast<unsigned>(
        std::clamp(DeviceAdaptivePolicy::batch_entries / std::max(mean, 1.0), 1.0, 32.0));
    const HostAnswer<Prepared> answer(stream);
    const Preparation<Offset> input{.graph = graph_,
                                    .to = oriented(),
                                    .share = share_,
                                    .choice = choice,
                                    .batch = batch,
                                    .sort_blocks = sort_blocks(),
                                    .surveys = surveys_.data(),
                                    .class_counts = class_counts_.data(),
                                    .long_rows = long_rows_.data(),
                                    .tasks = tasks_.data(),
                                    .answer = answer.place()};
    cudaLaunchAttribute together{};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(prepare_blocks());
    config.blockDim = dim3(DeviceAdaptivePolicy::prepare_threads);
    config.stream = stream;
    config.attrs = &together;
    config.numAttrs = 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, prepare_kernel<Offset>, input));
    allow_all_shared(bitmap_kernel<Offset, false>, bitmap_kernel<Offset, true>);  // meanwhile
    CUDA_CHECK(cudaStreamSynchronize(stream));
    found_ = answer.wait();
  }

  /// Queues the count; `of_vertex` [vertices] may be null.
  void count(std::uint64_t* sum, std::uint64_t* of_vertex, cudaStream_t stream) {
    CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof *sum, stream));
    if (n() == 0) {
      return;
    }
    if (of_vertex != nullptr) {
      CUDA_CHECK(cudaMemsetAsync(of_vertex, 0, n() * sizeof *of_vertex, stream));
      count_on<true>({sum, of_vertex}, stream);
    } else {
      count_on<false>({sum, nullptr}, stream);
    }
  }

  /// Queues the triangles at the edge of each stored entry.
  void support(std::uint64_t* of_entry, cudaStream_t stream) const {
    count_support(graph_, of_entry, stream);
  }

  AdaptivePath path() const { return found_.path; }
  /// After `prepare` by path oriented.
  const TaskCounts& tasks() const { return found_.tasks; }

 private:
  static constexpr int threads = DeviceAdaptivePolicy::threads;

  unsigned n() const { return static_cast<unsigned>(graph_.vertices); }
  /// Blocks of prepare_kernel: no more than can run together, or than have work.
  unsigned prepare_blocks() const {
    static PerDevice<int> resident;
    const auto most = static_cast<unsigned>(resident.get([](int) {
      return resident_blocks(prepare_kernel<Offset>, DeviceAdaptivePolicy::prepare_threads, 0);
    }));
    const std::int64_t wanted = std::max({std::int64_t{n()}, survey_items(graph_.vertices),
                                          static_cast<std::int64_t>(graph_.stored) / 4});
    return static_cast<unsigned>(std::min<std::int64_t>(
        most, ceil_div<std::int64_t>(wanted, DeviceAdaptivePolicy::prepare_threads)));
  }
  unsigned sort_blocks() const {
    return std::min(prepare_blocks(),
                    ceil_div(n(), unsigned{DeviceAdaptivePolicy::prepare_threads}));
  }
  Oriented oriented() {
    return {order_.data(), rank_.data(),        kept_.data(),
            rows_.data(),  table_tasks_.data(), bitmap_tasks_.data()};
  }

  /// For the path that takes most, since the path is known only after the survey.
  void place(DeviceMemory& m) {
    const auto vertices = std::size_t{n()}, entries = static_cast<std::size_t>(graph_.stored);
    tasks_ = DeviceArray<TaskCounts>(std::size_t{1}, m);
    long_rows_ = DeviceArray<LongRows>(std::size_t{1}, m);
    surveys_ = DeviceArray<AdaptiveSurvey>(prepare_blocks(), m);
    class_counts_ =
        DeviceArray<unsigned>(std::size_t{sort_blocks()} * DeviceAdaptivePolicy::degree_classes, m);
    order_ = DeviceArray<unsigned>(vertices, m);
    rank_ = DeviceArray<unsigned>(vertices, m);
    kept_ = DeviceArray<unsigned>(entries, m);
    rows_ = DeviceArray<KeptRow>(vertices, m);
    table_tasks_ = DeviceArray<Task>(vertices + entries / DeviceAdaptivePolicy::warp_segment, m);
    bitmap_tasks_ = DeviceArray<Task>(
        entries / DeviceAdaptivePolicy::table_set + entries / DeviceAdaptivePolicy::block_segment,
        m);
  }
  static constexpr std::size_t bitmap_bytes(unsigned words) {
    return (words + 1) * sizeof(unsigned);
  }
  /// Launches `kernel` with as many blocks as the device holds; asks for their number once.
  template <class... Parameters>
  void launch_resident(Begins begins, void (*kernel)(Parameters...), int& blocks,
                       std::size_t shared, cudaStream_t stream,
                       const std::type_identity_t<Parameters>&... arguments) {
    if (blocks == 0) {
      blocks = resident_blocks(kernel, threads, shared);
    }
    cudaLaunchAttribute early = early_launch_attribute();
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs =
        begins == Begins::early && may_launch_early(reinterpret_cast<const void*>(kernel)) ? 1 : 0;
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
  }

  template <bool per_vertex>
  void count_on(const Tally& tally, cudaStream_t stream) {
    int &blocks = blocks_[per_vertex], &table_blocks = table_blocks_[per_vertex];
    const auto as_they_are = [&](auto* kernel) {
      launch_resident(Begins::after_previous, kernel, blocks, 0, stream, graph_, share_, tally);
    };
    switch (found_.path) {
      case AdaptivePath::prefix:
        return as_they_are(prefix_kernel<Offset, per_vertex>);
      case AdaptivePath::middle:
        return as_they_are(middle_kernel<Offset, per_vertex>);
      case AdaptivePath::even:
        return as_they_are(even_kernel<Offset, per_vertex>);
      default:
        break;
    }
    const TaskCounts& tasks = found_.tasks;
    TaskCounts* const counts = tasks_.data();
    if (tasks.bitmap > 0) {
      CUDA_CHECK(cudaMemsetAsync(&counts->next_bitmap, 0, sizeof(unsigned), stream));
      const unsigned words =
          std::min(ceil_div(tasks.rank_bound, 32U), unsigned{DeviceAdaptivePolicy::bitmap_words});
      launch_resident(Begins::after_previous, bitmap_kernel<Offset, per_vertex>, blocks,
                      bitmap_bytes(words), stream, graph_, oriented(), words, counts, tally);
    }
    if (tasks.table > 0) {
      launch_resident(tasks.bitmap > 0 ? Begins::early : Begins::after_previous,
                      table_kernel<Offset, per_vertex>, table_blocks, 0, stream, graph_, oriented(),
                      counts, tally);
    }
  }

  DeviceGraph<Offset> graph_;
  AdaptivePath choice_;
  Share share_;
  Prepared found_{{}, AdaptivePath::prefix};   // as prepare left it
  int blocks_[2] = {}, table_blocks_[2] = {};  // of the kernels of count(), by per_vertex
  DeviceArray<TaskCounts> tasks_;
  DeviceArray<LongRows> long_rows_;
  DeviceArray<AdaptiveSurvey> surveys_;
  DeviceArray<unsigned> class_counts_;
  DeviceArray<unsigned> order_, rank_, kept_;
  DeviceArray<KeptRow> rows_;
  DeviceArray<Task> table_tasks_, bitmap_tasks_;
};

}  // namespace sparserepro::adaptive
