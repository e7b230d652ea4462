// The analysis of cuda_csr_balanced: statistics of the rows, the plan, and the lists that the plan
// needs.
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <optional>

#include "cuda/device_memory.hpp"
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
  /// `a` in device memory, which must outlive this; its values are not read.
  RowAnalysis(CsrView<Offset, double> a, std::int64_t k, std::size_t element_bytes,
              DeviceMemory& memory, std::optional<RowOrder> forced)
      : a_(a),
        k_(k),
        element_bytes_(element_bytes),
        forced_(forced),
        tasks_(static_cast<unsigned>((a.nnz + std::int64_t{BalancedPolicy::row_cost} * a.rows) /
                                         BalancedPolicy::task_entries +
                                     1)) {
    const auto rows = static_cast<std::size_t>(a.rows);
    statistics_ = DeviceArray<RowStatistics>(std::size_t{1}, memory);
    same_ = DeviceArray<unsigned char>(rows, memory);
    keys_ = DeviceArray<unsigned char>(rows, memory);
    order_ = DeviceArray<index_t>(rows + 1, memory);
    first_ = DeviceArray<index_t>(rows, memory);
    task_row_ = DeviceArray<index_t>(tasks_ + std::size_t{1}, memory);
    std::size_t sort = 0, scan = 0, largest = 0;
    sort_rows(nullptr, sort, nullptr);
    running(nullptr, scan, first_.data(), order_.data(), Larger{}, nullptr);
    running(nullptr, largest, first_.data(), order_.data(), cuda::std::plus<>{}, nullptr);
    storage_ = DeviceArray<char>(std::max({sort, scan, largest}), memory);
    segment_row_ = DeviceArray<index_t>(most_segments(), memory);
  }

  /// Queues the analysis on `stream`, and waits for the statistics.
  void operator()(cudaStream_t stream) {
    segment_ = segment_entries(a_.rows, a_.nnz, k_, element_bytes_);
    count_statistics(stream);
    if (const int uncut = uncut_entries(k_, element_bytes_);
        known_.segments > 0 && known_.longest <= static_cast<unsigned long long>(uncut)) {
      segment_ = uncut;
      count_statistics(stream);
    }
    if (forced_ == RowOrder::uncut) {
      known_.short_entries = static_cast<unsigned long long>(a_.nnz);
      known_.segments = 0;
      segment_ = most_uncut;
    }
    plan_ = choose_plan(known_, a_.rows, a_.cols, k_, element_bytes_);
    plan_.order = forced_.value_or(plan_.order);
    if (plan_.order != RowOrder::flat) {  // has lists of its own
      build_lists(stream);
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

 private:
  static constexpr int threads = 256;

  /// Segments of any matrix of this shape: a row is cut where it is longer than one.
  std::size_t most_segments() const {
    return static_cast<std::size_t>(2 * a_.nnz /
                                    segment_entries(a_.rows, a_.nnz, k_, element_bytes_));
  }

  /// Fills `known_`; waits for it.
  void count_statistics(cudaStream_t stream) {
    statistics_.fill_bytes(0, stream);
    const int wave = resident_blocks(pattern_kernel<Offset>, threads, 0);
    row_statistics_kernel<<<wave, threads, 0, stream>>>(a_.row_ptr, a_.rows, segment_,
                                                        statistics_.data());
    CUDA_CHECK_LAUNCH();
    pattern_kernel<<<wave, threads, 0, stream>>>(a_, segment_, same_.data(), statistics_.data());
    CUDA_CHECK_LAUNCH();
    statistics_.copy_to(&known_, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
  }

  unsigned row_blocks() const {
    return static_cast<unsigned>(ceil_div<std::int64_t>(a_.rows, threads));
  }

  /// The lists that the plan needs.
  void build_lists(cudaStream_t stream) {
    if (plan_.order == RowOrder::binned) {
      bin_keys_kernel<<<row_blocks(), threads, 0, stream>>>(a_.row_ptr, a_.rows, segment_,
                                                            same_.data(), first_.data());
      CUDA_CHECK_LAUNCH();
      std::size_t bytes = storage_.bytes();
      sort_rows(storage_.data(), bytes, stream);
    } else if (plan_.order == RowOrder::grouped) {
      list_groups(stream);
    } else if (plan_.order == RowOrder::streamed) {
      task_rows_kernel<<<ceil_div(tasks_ + 1, unsigned{threads}), threads, 0, stream>>>(
          a_.row_ptr, a_.rows, tasks_, task_row_.data());
      CUDA_CHECK_LAUNCH();
    }
    if (known_.segments > 0) {
      list_segments(stream);
    }
  }

  void sort_rows(void* storage, std::size_t& bytes, cudaStream_t stream) {
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(storage, bytes, same_.data(), keys_.data(),
                                               first_.data(), order_.data(), a_.rows, 0, 4,
                                               stream));
  }

  template <class Operation>
  void running(void* storage, std::size_t& bytes, const index_t* from, index_t* to,
               Operation operation, cudaStream_t stream) {
    CUDA_CHECK(
        cub::DeviceScan::InclusiveScan(storage, bytes, from, to, operation, a_.rows, stream));
  }

  /// order_[g] = first row of group g. The scans run in place.
  void list_groups(cudaStream_t stream) {
    std::size_t bytes = storage_.bytes();
    equal_starts_kernel<<<row_blocks(), threads, 0, stream>>>(same_.data(), a_.rows, first_.data());
    CUDA_CHECK_LAUNCH();
    running(storage_.data(), bytes, first_.data(), first_.data(), Larger{}, stream);
    group_heads_kernel<<<row_blocks(), threads, 0, stream>>>(first_.data(), a_.rows, first_.data());
    CUDA_CHECK_LAUNCH();
    running(storage_.data(), bytes, first_.data(), first_.data(), cuda::std::plus<>{}, stream);
    group_rows_kernel<<<row_blocks(), threads, 0, stream>>>(first_.data(), a_.rows, order_.data());
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyAsync(&groups_, first_.data() + (a_.rows - 1), sizeof groups_,
                               cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
  }

  void list_segments(cudaStream_t stream) {
    segment_counts_kernel<<<row_blocks(), threads, 0, stream>>>(a_.row_ptr, a_.rows, segment_,
                                                                first_.data());
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = storage_.bytes();
    running(storage_.data(), bytes, first_.data(), first_.data(), cuda::std::plus<>{}, stream);
    segment_rows_kernel<<<row_blocks(), threads, 0, stream>>>(a_.row_ptr, a_.rows, segment_,
                                                              first_.data(), segment_row_.data());
    CUDA_CHECK_LAUNCH();
  }

  CsrView<Offset, double> a_;
  std::int64_t k_;
  std::size_t element_bytes_;
  std::optional<RowOrder> forced_;
  int segment_ = 0;
  unsigned tasks_;
  index_t groups_ = 0;
  BalancedPlan plan_{};
  RowStatistics known_{};
  DeviceArray<RowStatistics> statistics_;
  DeviceArray<unsigned char> same_, keys_;  // [rows]; same_ holds the unsorted keys of bins too
  DeviceArray<index_t> order_;              // [rows + 1]
  DeviceArray<index_t> first_;              // [rows] scratch, then first segments
  DeviceArray<index_t> segment_row_;        // [most_segments()], of which known_.segments are set
  DeviceArray<index_t> task_row_;           // [tasks_ + 1]
  DeviceArray<char> storage_;
};

}  // namespace sparserepro::balanced
