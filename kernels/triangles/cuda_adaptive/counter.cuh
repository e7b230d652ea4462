// cuda_adaptive as a class: prepare once, count often.
#pragma once

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <string>

#include "cuda/device_memory.hpp"
#include "cuda/launch.hpp"
#include "triangles/cuda_adaptive/even.cuh"
#include "triangles/cuda_adaptive/oriented.cuh"
#include "triangles/cuda_adaptive/policy.hpp"
#include "triangles/cuda_adaptive/short.cuh"
#include "triangles/cuda_adaptive/support.cuh"
#include "triangles/cuda_adaptive/survey.cuh"

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

  /// Surveys the graph, and orients it for path oriented; waits for both.
  void prepare(cudaStream_t stream) {
    path_ = AdaptivePath::prefix;
    if (n() == 0) {
      return;
    }
    const AdaptiveSurvey survey = look(stream);
    path_ = choice_ == AdaptivePath::automatic ? choose_path(graph_.vertices, graph_.stored, survey)
                                               : choice_;
    if (path_ == AdaptivePath::oriented) {
      orient(std::bit_width(survey.largest_group), stream);
    }
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

  AdaptivePath path() const { return path_; }
  /// After `prepare` by path oriented.
  const TaskCounts& tasks() const { return tasks_; }

 private:
  static constexpr int threads = DeviceAdaptivePolicy::threads;

  unsigned n() const { return static_cast<unsigned>(graph_.vertices); }
  static unsigned blocks_of(std::int64_t of_threads) {
    return static_cast<unsigned>(ceil_div<std::int64_t>(of_threads, threads));
  }
  Oriented oriented() {
    return {order_.data(), rank_.data(),        kept_.data(),
            rows_.data(),  table_tasks_.data(), bitmap_tasks_.data()};
  }

  AdaptiveSurvey look(cudaStream_t stream) {
    survey_.fill_bytes(0, stream);
    survey_kernel<<<blocks_of(survey_threads(graph_.vertices)), threads, 0, stream>>>(
        graph_, survey_.data());
    CUDA_CHECK_LAUNCH();
    AdaptiveSurvey survey{};
    survey_.copy_to(&survey, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    return survey;
  }

  /// For the path that takes most, since the path is known only after the survey.
  void place(DeviceMemory& m) {
    const auto vertices = std::size_t{n()}, entries = static_cast<std::size_t>(graph_.stored);
    survey_ = DeviceArray<AdaptiveSurvey>(std::size_t{1}, m);
    counts_ = DeviceArray<TaskCounts>(std::size_t{1}, m);
    order_ = DeviceArray<unsigned>(vertices, m);
    rank_ = DeviceArray<unsigned>(vertices, m);
    kept_ = DeviceArray<unsigned>(entries, m);
    rows_ = DeviceArray<KeptRow>(vertices, m);
    table_tasks_ = DeviceArray<Task>(vertices + entries / DeviceAdaptivePolicy::warp_segment, m);
    bitmap_tasks_ = DeviceArray<Task>(
        entries / DeviceAdaptivePolicy::table_set + entries / DeviceAdaptivePolicy::block_segment,
        m);
    std::size_t bytes = 0;
    sort(nullptr, bytes, 32, nullptr);
    sort_storage_ = DeviceArray<char>(bytes, m);
  }
  static constexpr std::size_t bitmap_bytes(unsigned words) {
    return (words + 1) * sizeof(unsigned);
  }
  static constexpr std::size_t largest_bitmap() {
    return bitmap_bytes(DeviceAdaptivePolicy::bitmap_words);
  }

  /// Degrees lie where `rows` will be, vertex numbers where `rank` will be.
  void sort(void* storage, std::size_t& bytes, int degree_bits, cudaStream_t stream) {
    auto* const degree = reinterpret_cast<unsigned*>(rows_.data());
    CUDA_CHECK(cub::DeviceRadixSort::SortPairsDescending(storage, bytes, degree, degree + n(),
                                                         rank_.data(), order_.data(), n(), 0,
                                                         degree_bits, stream));
  }

  void orient(int degree_bits, cudaStream_t stream) {
    const cudaStream_t s = stream;
    const DeviceGraph<Offset>& graph = graph_;
    allow_all_shared(bitmap_kernel<Offset, false>);
    allow_all_shared(bitmap_kernel<Offset, true>);
    degree_kernel<<<blocks_of(n()), threads, 0, s>>>(
        graph, reinterpret_cast<unsigned*>(rows_.data()), rank_.data());
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = sort_storage_.bytes();
    sort(sort_storage_.data(), bytes, degree_bits, s);
    rank_kernel<<<blocks_of(n()), threads, 0, s>>>(n(), oriented());
    CUDA_CHECK_LAUNCH();
    constexpr int long_threads = DeviceAdaptivePolicy::orient_threads;
    static PerDevice<int> resident;
    const int long_blocks = resident.get(
        [](int) { return resident_blocks(orient_long_kernel<Offset>, long_threads, 0); });
    orient_long_kernel<<<long_blocks, long_threads, 0, s>>>(graph, oriented());
    CUDA_CHECK_LAUNCH();
    orient_kernel<<<blocks_of(std::int64_t{n()} * DeviceAdaptivePolicy::lanes_per_row), threads, 0,
                    s>>>(graph, oriented());
    CUDA_CHECK_LAUNCH();
    counts_.fill_bytes(0, s);
    task_kernel<<<blocks_of(n()), threads, 0, s>>>(graph, oriented(), share_, counts_.data());
    CUDA_CHECK_LAUNCH();
    counts_.copy_to(&tasks_, s);
    CUDA_CHECK(cudaStreamSynchronize(stream));
  }

  /// Launches `kernel` with as many blocks as the device holds; asks for their number once.
  template <class Kernel, class... Arguments>
  void launch_resident(Kernel* kernel, int& blocks, std::size_t shared, cudaStream_t stream,
                       Arguments... arguments) {
    if (blocks == 0) {
      blocks = resident_blocks(kernel, threads, shared);
    }
    kernel<<<static_cast<unsigned>(blocks), threads, shared, stream>>>(arguments...);
    CUDA_CHECK_LAUNCH();
  }

  template <bool per_vertex>
  void count_on(const Tally& tally, cudaStream_t stream) {
    int &blocks = blocks_[per_vertex], &table_blocks = table_blocks_[per_vertex];
    const DeviceGraph<Offset>& graph = graph_;
    switch (path_) {
      case AdaptivePath::prefix:
        return launch_resident(prefix_kernel<Offset, per_vertex>, blocks, 0, stream, graph, share_,
                               tally);
      case AdaptivePath::middle:
        return launch_resident(middle_kernel<Offset, per_vertex>, blocks, 0, stream, graph, share_,
                               tally);
      case AdaptivePath::even:
        return launch_resident(even_kernel<Offset, per_vertex>, blocks, 0, stream, graph, share_,
                               tally);
      case AdaptivePath::oriented:
        break;
    }
    if (tasks_.bitmap > 0) {
      CUDA_CHECK(cudaMemsetAsync(&counts_.data()->next_bitmap, 0, sizeof(unsigned), stream));
      const unsigned words =
          std::min(ceil_div(tasks_.rank_bound, 32U), unsigned{DeviceAdaptivePolicy::bitmap_words});
      launch_resident(bitmap_kernel<Offset, per_vertex>, blocks, bitmap_bytes(words), stream, graph,
                      oriented(), words, counts_.data(), tally);
    }
    if (tasks_.table > 0) {
      launch_resident(table_kernel<Offset, per_vertex>, table_blocks, 0, stream, graph, oriented(),
                      counts_.data(), tally);
    }
  }

  DeviceGraph<Offset> graph_;
  AdaptivePath choice_;
  Share share_;
  AdaptivePath path_ = AdaptivePath::prefix;
  TaskCounts tasks_{};                         // as prepare left them
  int blocks_[2] = {}, table_blocks_[2] = {};  // of the kernels of count(), by per_vertex
  DeviceArray<AdaptiveSurvey> survey_;
  DeviceArray<TaskCounts> counts_;
  DeviceArray<unsigned> order_, rank_, kept_;
  DeviceArray<KeptRow> rows_;
  DeviceArray<Task> table_tasks_, bitmap_tasks_;
  DeviceArray<char> sort_storage_;
};

}  // namespace sparserepro::adaptive
