// The analysis of cuda_csr_balanced: statistics of the rows, the plan, and the lists that the plan
// needs.
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <optional>

#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"
#include "spmm/cuda_csr_balanced/lists.cuh"
#include "spmm/cuda_csr_balanced/statistics.cuh"

namespace sparserepro::balanced {

struct Larger {
  __device__ index_t operator()(index_t a, index_t b) const { return a > b ? a : b; }
};

/// Of one matrix, for products with k columns; all work on `stream`.
template <class Offset>
class RowAnalysis {
 public:
  /// `a` in device memory, which must outlive this.
  RowAnalysis(CsrView<Offset, double> a, std::int64_t k, cudaStream_t stream,
              std::optional<RowOrder> forced)
      : a_(a),
        k_(k),
        forced_(forced),
        stream_(stream),
        tasks_(static_cast<unsigned>((a.nnz + std::int64_t{BalancedPolicy::row_cost} * a.rows) /
                                         BalancedPolicy::task_entries +
                                     1)) {
    const auto rows = static_cast<std::size_t>(a.rows);
    statistics_ = DeviceBuffer<RowStatistics>(std::size_t{1}, stream);
    same_ = DeviceBuffer<unsigned char>(rows, stream);
    keys_ = DeviceBuffer<unsigned char>(rows, stream);
    order_ = DeviceBuffer<index_t>(rows + 1, stream);
    first_ = DeviceBuffer<index_t>(rows, stream);
    task_row_ = DeviceBuffer<index_t>(tasks_ + std::size_t{1}, stream);
    std::size_t sort = 0, scan = 0, largest = 0;
    sort_rows(nullptr, sort);
    running(nullptr, scan, first_.data(), order_.data(), Larger{});
    running(nullptr, largest, first_.data(), order_.data(), cuda::std::plus<>{});
    storage_ = DeviceBuffer<char>(std::max({sort, scan, largest}), stream);
  }

  /// Waits for the statistics. Allocates the list of segments, whose number they give.
  void operator()() {
    segment_ = segment_entries(a_.rows, a_.nnz, k_);
    count_statistics();
    if (const int uncut = uncut_entries(k_);
        known_.segments > 0 && known_.longest <= static_cast<unsigned long long>(uncut)) {
      segment_ = uncut;
      count_statistics();
    }
    if (forced_ == RowOrder::uncut) {
      known_.short_entries = static_cast<unsigned long long>(a_.nnz);
      known_.segments = 0;
      segment_ = most_uncut;
    }
    plan_ = choose_plan(known_, a_.rows, a_.cols, k_);
    plan_.order = forced_.value_or(plan_.order);
    if (plan_.order != RowOrder::flat) {  // has lists of its own
      build_lists();
    }
  }

  const BalancedPlan& plan() const { return plan_; }
  const RowStatistics& statistics() const { return known_; }
  /// Entries beyond which a row is cut into segments of so many.
  int segment() const { return segment_; }
  unsigned tasks() const { return tasks_; }
  index_t groups() const { return groups_; }
  /// [tasks() + 1] first row of each task of a stream.
  const index_t* task_row() const { return task_row_.data(); }
  /// [rows] of bins, long rows first; [groups() + 1] first rows of groups; null: rows as they are.
  const index_t* order() const {
    return plan_.order == RowOrder::binned || plan_.order == RowOrder::grouped ? order_.data()
                                                                               : nullptr;
  }
  /// [statistics().segments]
  const index_t* segment_row() const { return segment_row_.data(); }
  /// [rows], of long rows only.
  const index_t* first_segment() const { return first_.data(); }

  std::size_t workspace_bytes() const {
    return statistics_.bytes() + same_.bytes() + keys_.bytes() + order_.bytes() + first_.bytes() +
           segment_row_.bytes() + task_row_.bytes() + storage_.bytes();
  }

 private:
  static constexpr int threads = 256;

  /// Fills `known_`; waits for it.
  void count_statistics() {
    statistics_.fill_bytes(0, stream_);
    const int wave = resident_blocks(pattern_kernel<Offset>, threads, 0);
    row_statistics_kernel<<<wave, threads, 0, stream_>>>(a_.row_ptr, a_.rows, segment_,
                                                         statistics_.data());
    CUDA_CHECK_LAUNCH();
    pattern_kernel<<<wave, threads, 0, stream_>>>(a_, segment_, same_.data(), statistics_.data());
    CUDA_CHECK_LAUNCH();
    statistics_.copy_to(&known_, stream_);
    CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

  unsigned row_blocks() const {
    return static_cast<unsigned>(ceil_div<std::int64_t>(a_.rows, threads));
  }

  /// The lists that the plan needs.
  void build_lists() {
    if (plan_.order == RowOrder::binned) {
      bin_keys_kernel<<<row_blocks(), threads, 0, stream_>>>(a_.row_ptr, a_.rows, segment_,
                                                             same_.data(), first_.data());
      CUDA_CHECK_LAUNCH();
      std::size_t bytes = storage_.bytes();
      sort_rows(storage_.data(), bytes);
    } else if (plan_.order == RowOrder::grouped) {
      list_groups();
    } else if (plan_.order == RowOrder::streamed) {
      task_rows_kernel<<<ceil_div(tasks_ + 1, unsigned{threads}), threads, 0, stream_>>>(
          a_.row_ptr, a_.rows, tasks_, task_row_.data());
      CUDA_CHECK_LAUNCH();
    }
    if (known_.segments > 0) {
      list_segments();
    }
  }

  void sort_rows(void* storage, std::size_t& bytes) {
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(storage, bytes, same_.data(), keys_.data(),
                                               first_.data(), order_.data(), a_.rows, 0, 4,
                                               stream_));
  }

  template <class Operation>
  void running(void* storage, std::size_t& bytes, const index_t* from, index_t* to,
               Operation operation) {
    CUDA_CHECK(
        cub::DeviceScan::InclusiveScan(storage, bytes, from, to, operation, a_.rows, stream_));
  }

  /// order_[g] = first row of group g. The scans run in place.
  void list_groups() {
    std::size_t bytes = storage_.bytes();
    equal_starts_kernel<<<row_blocks(), threads, 0, stream_>>>(same_.data(), a_.rows,
                                                               first_.data());
    CUDA_CHECK_LAUNCH();
    running(storage_.data(), bytes, first_.data(), first_.data(), Larger{});
    group_heads_kernel<<<row_blocks(), threads, 0, stream_>>>(first_.data(), a_.rows,
                                                              first_.data());
    CUDA_CHECK_LAUNCH();
    running(storage_.data(), bytes, first_.data(), first_.data(), cuda::std::plus<>{});
    group_rows_kernel<<<row_blocks(), threads, 0, stream_>>>(first_.data(), a_.rows, order_.data());
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyAsync(&groups_, first_.data() + (a_.rows - 1), sizeof groups_,
                               cudaMemcpyDeviceToHost, stream_));
    CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

  void list_segments() {
    if (const std::size_t segments{known_.segments}; segment_row_.size() != segments) {
      segment_row_ = DeviceBuffer<index_t>(segments, stream_);
    }
    segment_counts_kernel<<<row_blocks(), threads, 0, stream_>>>(a_.row_ptr, a_.rows, segment_,
                                                                 first_.data());
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = storage_.bytes();
    running(storage_.data(), bytes, first_.data(), first_.data(), cuda::std::plus<>{});
    segment_rows_kernel<<<row_blocks(), threads, 0, stream_>>>(a_.row_ptr, a_.rows, segment_,
                                                               first_.data(), segment_row_.data());
    CUDA_CHECK_LAUNCH();
  }

  CsrView<Offset, double> a_;
  std::int64_t k_;
  std::optional<RowOrder> forced_;
  cudaStream_t stream_;
  int segment_ = 0;
  unsigned tasks_;
  index_t groups_ = 0;
  BalancedPlan plan_{};
  RowStatistics known_{};
  DeviceBuffer<RowStatistics> statistics_;
  DeviceBuffer<unsigned char> same_, keys_;  // [rows]; same_ holds the unsorted keys of bins too
  DeviceBuffer<index_t> order_;              // [rows + 1]
  DeviceBuffer<index_t> first_;              // [rows] scratch, then first segments
  DeviceBuffer<index_t> segment_row_;        // [known_.segments]
  DeviceBuffer<index_t> task_row_;           // [tasks_ + 1]
  DeviceBuffer<char> storage_;
};

}  // namespace sparserepro::balanced
