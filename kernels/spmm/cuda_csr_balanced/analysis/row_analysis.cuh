// The analysis of cuda_csr_balanced: statistics of the rows, the plan, and the lists that the plan
// needs.
#pragma once

#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>
#include <optional>

#include "cuda/device_memory.hpp"
#include "cuda/launch.hpp"
#include "spmm/cuda_csr_balanced/analysis/lists.cuh"
#include "spmm/cuda_csr_balanced/analysis/statistics.cuh"

namespace sparserepro::balanced {

/// Of one matrix, for products with k columns; all work on `stream`.
template <class Offset>
class RowAnalysis {
 public:
  /// `a` in device memory, which must outlive this; its values are not read.
  RowAnalysis(CsrView<Offset, double> a, std::int64_t k, std::size_t element_bytes,
              DeviceMemory& memory, std::optional<RowOrder> forced, std::int64_t calls)
      : a_(a),
        k_(k),
        element_bytes_(element_bytes),
        forced_(forced),
        few_calls_(are_few(calls)),
        groups_pay_(groups_pay(calls, a.nnz, k, element_bytes)) {
    plan_.order = forced.value_or(order_without_statistics(k, calls));
    if (plan_.order == RowOrder::merged) {
      choose_lanes(plan_, k, 1, element_bytes);
      return;
    }
    const auto rows = static_cast<std::size_t>(a.rows);
    statistics_ = DeviceArray<RowStatistics>(std::size_t{1}, memory);
    same_ = DeviceArray<unsigned char>(rows, memory);
    order_ = DeviceArray<index_t>(rows + 1, memory);
    first_ = DeviceArray<index_t>(rows, memory);
    std::size_t bytes = 0;
    select_groups(nullptr, bytes, nullptr);
    storage_ = DeviceArray<char>(bytes, memory);
    segment_row_ = DeviceArray<index_t>(most_segments(), memory);
  }

  /// Queues the analysis on `stream`, and waits for the statistics.
  void operator()(cudaStream_t stream) {
    segment_ = segment_entries(a_.rows, a_.nnz, k_, element_bytes_);
    count_statistics(stream);
    if (!groups_pay_ && forced_ != RowOrder::grouped) {
      known_.same_entries = 0;
    }
    const BlockRows by_block = block_rows(a_.rows, a_.nnz, segment_, k_, element_bytes_);
    const bool leaves_whole = forced_ && leaves_rows_whole(*forced_);
    const int uncut = leaves_whole ? most_uncut : uncut_entries(k_, element_bytes_);
    const auto longest = static_cast<std::int64_t>(known_.longest);
    block_segments_ = !leaves_whole && longest > by_block.from && longest <= by_block.most;
    if (block_segments_) {
      give_to_blocks(by_block.from);
    } else if (leaves_whole || (known_.segments > 0 && longest <= uncut)) {
      segment_ = uncut;
      leave_rows_whole();
    }
    plan_ = choose_plan(known_, a_.rows, a_.cols, k_, element_bytes_, segment_, few_calls_, a_.nnz);
    plan_.order = forced_.value_or(plan_.order);
    if (plan_.order == RowOrder::blocks) {
      block_segments_ = false;
      leave_rows_whole();
      plan_.column_block = row_block(a_.rows, k_, plan_.width).lanes * unsigned(plan_.width);
    } else if (is_packed(plan_.order)) {
      choose_packed_lanes(plan_, k_);
    } else if (plan_.order == RowOrder::short_rows) {
      choose_short_lanes(plan_, k_);
    } else {
      const double mean = static_cast<double>(known_.short_entries) / static_cast<double>(a_.rows);
      if (plan_.order == RowOrder::grouped) {
        choose_group_lanes(plan_, a_.rows, mean, k_, element_bytes_);
      } else {
        choose_row_lanes(plan_, a_.rows, mean, k_, element_bytes_);
        const PathCase rows{known_, a_.rows,        a_.cols,   a_.nnz,
                            k_,     element_bytes_, plan_.far, plan_.width};
        if (plan_.order == RowOrder::natural && takes_one_load(rows)) {
          plan_.one_load = true;
          plan_.log_slots = one_load_log_lanes(rows);
        }
      }
    }
    if (plan_.order != RowOrder::flat) {  // has lists of its own
      build_lists(stream);
    }
  }

  const BalancedPlan& plan() const { return plan_; }
  const RowStatistics& statistics() const { return known_; }
  /// Entries beyond which a row is cut into segments of so many, or is a block's.
  int segment() const { return segment_; }
  /// Whether blocks take the long rows, a segment each.
  bool block_segments() const { return block_segments_; }
  index_t groups() const { return groups_; }
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
  static constexpr int threads = statistics_threads;

  /// Segments of any matrix of this shape: of rows that are cut where they are longer than one, or
  /// of rows of blocks.
  std::size_t most_segments() const {
    const int segment = segment_entries(a_.rows, a_.nnz, k_, element_bytes_);
    const int from = block_rows(a_.rows, a_.nnz, segment, k_, element_bytes_).from;
    return static_cast<std::size_t>(2 * std::int64_t{a_.nnz} / std::min(segment, 2 * from));
  }

  /// Fills `known_`; waits for it.
  void count_statistics(cudaStream_t stream) {
    const HostAnswer<RowStatistics> answer(stream);
    statistics_.fill_bytes(0, stream);
    constexpr std::int64_t chunk = 32, teams = threads / pattern_lanes;
    const std::int64_t chunks = ceil_div<std::int64_t>(a_.rows, chunk);
    const std::int64_t stride =
        ceil_div<std::int64_t>(chunks, BalancedPolicy::sampled_rows / chunk);
    const auto pattern_blocks =
        static_cast<unsigned>(ceil_div<std::int64_t>(ceil_div(chunks, stride) * chunk, teams));
    const int wave = resident_blocks(row_statistics_kernel<Offset>, threads, 0);
    row_statistics_kernel<<<pattern_blocks +
                                std::min<unsigned>(row_blocks(), static_cast<unsigned>(wave) / 4),
                            threads, 0, stream>>>(a_, segment_, pattern_blocks, stride,
                                                  statistics_.data(), answer.place());
    CUDA_CHECK_LAUNCH();
    known_ = answer.wait();
  }

  /// The statistics of rows none of which is cut.
  void leave_rows_whole() {
    known_.short_entries = static_cast<unsigned long long>(a_.nnz);
    known_.padded_entries = known_.padded_whole;
    known_.segments = 0;
    for (int bin = 0; bin < RowStatistics::bins; ++bin) {
      known_.bin_rows[bin] += known_.long_rows[bin];
      known_.long_rows[bin] = 0;
    }
  }

  /// The statistics where rows of more than `from` entries are long, and have one segment. Entries,
  /// mean and padding stay those of all rows that segments would not cut.
  void give_to_blocks(int from) {
    if (from < segment_) {  // a power of two
      segment_ = from;
      for (int bin = log2_ceil(from) + 2; bin < RowStatistics::long_bin; ++bin) {
        known_.long_rows[bin] += known_.bin_rows[bin];
        known_.bin_rows[bin] = 0;
      }
    }
    known_.segments = rows_of_bin(known_, RowStatistics::long_bin);
  }

  unsigned row_blocks() const {
    return static_cast<unsigned>(ceil_div<std::int64_t>(a_.rows, threads));
  }

  /// The lists that the plan needs.
  void build_lists(cudaStream_t stream) {
    if (plan_.order == RowOrder::grouped) {
      list_groups(stream);
    }
    if (plan_.order == RowOrder::binned || known_.segments > 0) {
      list_rows_kernel<<<row_blocks(), threads, 0, stream>>>(
          a_.row_ptr, a_.rows, segment_, block_segments_, bin_places(), &statistics_.data()->taken,
          order_.data(), first_.data(), segment_row_.data());
      CUDA_CHECK_LAUNCH();
    }
  }

  /// Long rows first, then bins of falling length.
  BinPlaces bin_places() const {
    BinPlaces places{};
    std::int64_t begin = plan_.order == RowOrder::binned ? 0 : -1;
    places.begin[0] = static_cast<index_t>(begin);
    for (int bin = RowStatistics::long_bin; bin >= 0 && begin >= 0; --bin) {
      places.begin[bin] = static_cast<index_t>(begin);
      begin += static_cast<std::int64_t>(rows_of_bin(known_, bin));
    }
    return places;
  }

  void select_groups(void* storage, std::size_t& bytes, cudaStream_t stream) {
    CUDA_CHECK(cub::DeviceSelect::If(storage, bytes, thrust::counting_iterator<index_t>(0),
                                     order_.data(), first_.data(), a_.rows,
                                     BeginsGroup{same_.data(), plan_.group_rows}, stream));
  }

  /// order_[g] = first row of group g.
  void list_groups(cudaStream_t stream) {
    const std::int64_t teams = threads / pattern_lanes;
    same_rows_kernel<<<static_cast<unsigned>(ceil_div<std::int64_t>(a_.rows, teams)), threads, 0,
                       stream>>>(a_, segment_, same_.data());
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = storage_.bytes();
    select_groups(storage_.data(), bytes, stream);
    end_groups_kernel<<<1, 1, 0, stream>>>(first_.data(), a_.rows, order_.data());
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(
        cudaMemcpyAsync(&groups_, first_.data(), sizeof groups_, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
  }

  CsrView<Offset, double> a_;
  std::int64_t k_;
  std::size_t element_bytes_;
  std::optional<RowOrder> forced_;
  bool few_calls_, groups_pay_;
  int segment_ = 0;
  bool block_segments_ = false;
  index_t groups_ = 0;
  BalancedPlan plan_{};
  RowStatistics known_{};
  DeviceArray<RowStatistics> statistics_;
  DeviceArray<unsigned char> same_;   // [rows]
  DeviceArray<index_t> order_;        // [rows + 1]
  DeviceArray<index_t> first_;        // [rows] first segments of long rows; before, one number
  DeviceArray<index_t> segment_row_;  // [most_segments()], of which known_.segments are set
  DeviceArray<char> storage_;
};

}  // namespace sparserepro::balanced
