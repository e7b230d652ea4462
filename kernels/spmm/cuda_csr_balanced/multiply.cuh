// cuda_csr_balanced as a class that any owner of device arrays can use: analyse the matrix once,
// multiply often.
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <optional>

#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"
#include "formats/error.hpp"
#include "spmm/cuda_csr_balanced/flat_multiply.cuh"
#include "spmm/cuda_csr_balanced/lists.cuh"
#include "spmm/cuda_csr_balanced/product.cuh"
#include "spmm/cuda_csr_balanced/stream.cuh"

namespace sparserepro::balanced {

struct Larger {
  __device__ index_t operator()(index_t a, index_t b) const { return a > b ? a : b; }
};

/// Y = alpha A X + beta Y for matrices X and Y of k columns, all on `stream`.
template <class Offset>
class BalancedCsr {
 public:
  /// `a` in device memory, its arrays aligned to 16 bytes; it must outlive this. `forced` takes the
  /// place of the order that the policy chooses; throws InputError where `order_refusal` says why
  /// it cannot.
  BalancedCsr(CsrView<Offset, double> a, std::int64_t k, cudaStream_t stream,
              std::optional<RowOrder> forced = {})
      : a_(a),
        k_(k),
        forced_(forced),
        segment_(segment_entries(a.rows, a.nnz, k)),
        stream_(stream) {
    if (const std::string reason = forced ? order_refusal(*forced, a.nnz, k) : "";
        !reason.empty()) {
      throw InputError(reason);
    }
    const auto rows = static_cast<std::size_t>(a.rows);
    statistics_ = DeviceBuffer<RowStatistics>(std::size_t{1}, stream);
    same_ = DeviceBuffer<unsigned char>(rows, stream);
    keys_ = DeviceBuffer<unsigned char>(rows, stream);
    order_ = DeviceBuffer<index_t>(rows + 1, stream);
    first_ = DeviceBuffer<index_t>(rows, stream);
    tasks_ = static_cast<unsigned>((a.nnz + std::int64_t{BalancedPolicy::row_cost} * a.rows) /
                                       BalancedPolicy::task_entries +
                                   1);
    task_row_ = DeviceBuffer<index_t>(tasks_ + std::size_t{1}, stream);
    std::size_t sort = 0, scan = 0, largest = 0;
    sort_rows(nullptr, sort);
    running(nullptr, scan, first_.data(), order_.data(), Larger{});
    running(nullptr, largest, first_.data(), order_.data(), cuda::std::plus<>{});
    storage_ = DeviceBuffer<char>(std::max({sort, scan, largest}), stream);
    if (k == 1 && forced.value_or(RowOrder::flat) == RowOrder::flat) {
      flat_.emplace(a, stream);
    }
  }

  /// Counts the rows' statistics, chooses a plan and builds its lists; waits for the statistics.
  /// Allocates what segments need; `multiply` allocates nothing.
  void analyse() {
    if (a_.rows == 0) {
      return;
    }
    segment_ = segment_entries(a_.rows, a_.nnz, k_);
    look();
    if (const int uncut = uncut_entries(k_);
        known_.segments > 0 && known_.longest <= static_cast<unsigned long long>(uncut)) {
      segment_ = uncut;
      look();
    }
    if (forced_ == RowOrder::uncut) {
      known_.short_entries = static_cast<unsigned long long>(a_.nnz);
      known_.segments = 0;
      segment_ = most_uncut;
    }
    plan_ = choose_plan(known_, a_.rows, a_.cols, k_);
    plan_.order = forced_.value_or(plan_.order);
    if (plan_.order == RowOrder::flat) {
      flat_->analyse(static_cast<std::int64_t>(known_.bin_rows[0]));
    } else {
      build_lists();
    }
  }

  void multiply(double alpha, const double* x, double beta, double* y) {
    if (a_.rows == 0 || k_ == 0) {
      return;
    }
    if (plan_.order == RowOrder::flat) {
      flat_->multiply(alpha, x, beta, y);
    } else if (plan_.order == RowOrder::grouped) {
      plan_.width == 2 ? launch<2, BalancedPolicy::group_rows>(alpha, x, beta, y)
                       : launch<1, BalancedPolicy::group_rows>(alpha, x, beta, y);
    } else {
      plan_.width == 2 ? launch<2, 1>(alpha, x, beta, y) : launch<1, 1>(alpha, x, beta, y);
    }
  }

  const BalancedPlan& plan() const { return plan_; }
  const RowStatistics& statistics() const { return known_; }

  std::size_t workspace_bytes() const {
    return statistics_.bytes() + same_.bytes() + keys_.bytes() + order_.bytes() + first_.bytes() +
           segment_row_.bytes() + task_row_.bytes() + partial_.bytes() + storage_.bytes() +
           (flat_ ? flat_->workspace_bytes() : 0);
  }

 private:
  static constexpr int threads = 256;

  /// Fills `known_`; waits for it.
  void look() {
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

  /// Allocates at the first call, since only the statistics give the number of segments.
  void list_segments() {
    if (const std::size_t segments{known_.segments}; segment_row_.size() != segments) {
      segment_row_ = DeviceBuffer<index_t>(segments, stream_);
      partial_ = DeviceBuffer<double>(segments * static_cast<std::size_t>(k_), stream_);
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

  /// Appends places [begin, end) of the order; returns the block after them.
  static unsigned add_bin(ProductInput<Offset>& in, unsigned block, std::int64_t begin,
                          std::int64_t end, int log_slots) {
    in.bin[in.bins++] = {block, static_cast<index_t>(begin), static_cast<index_t>(end), log_slots};
    const std::int64_t teams = BalancedPolicy::threads >> (in.log_lanes + log_slots);
    return block + static_cast<unsigned>(ceil_div<std::int64_t>(end - begin, teams));
  }

  /// Fills the bins of `in`; returns the number of blocks.
  unsigned lay_out(ProductInput<Offset>& in) const {
    in.segment_blocks = ceil_div(in.segments, BalancedPolicy::threads / 32U);
    unsigned block = in.segment_blocks;
    if (plan_.order == RowOrder::streamed) {
      in.tasks = tasks_;
      in.task_row = task_row_.data();
      return block + ceil_div(tasks_, unsigned{BalancedPolicy::threads} >> in.log_lanes);
    }
    if (plan_.order != RowOrder::binned) {
      in.order = plan_.order == RowOrder::grouped ? order_.data() : nullptr;
      return add_bin(in, block, 0, plan_.order == RowOrder::grouped ? groups_ : a_.rows,
                     plan_.log_slots);
    }
    in.order = order_.data();
    auto begin = static_cast<std::int64_t>(known_.bin_rows[RowStatistics::long_bin]);
    for (int b = RowStatistics::long_bin - 1; b >= 0; --b) {
      const auto rows = static_cast<std::int64_t>(known_.bin_rows[b]);
      if (rows > 0) {
        const double longest = b == 0 ? 0.0 : static_cast<double>(1 << (b - 1));
        block = add_bin(in, block, begin, begin + rows, choose_log_slots(longest, plan_));
      }
      begin += rows;
    }
    return block;
  }

  template <int Width, int Rows>
  auto chosen_kernel() const {
    if constexpr (Rows == 1) {
      if (plan_.order == RowOrder::streamed) {
        return plan_.loads == 2 ? stream_kernel<Width, 2, Offset> : stream_kernel<Width, 1, Offset>;
      }
    }
    return plan_.loads == 2 ? product_kernel<Width, 2, Rows, Offset>
                            : product_kernel<Width, 1, Rows, Offset>;
  }

  /// The first kernel begins when all before the product has ended, so that products queued one
  /// behind the other take what one alone takes; the others begin early, and wait.
  template <int Width, int Rows>
  void launch(double alpha, const double* x, double beta, double* y) {
    ProductInput<Offset> in{};
    in.a = a_;
    in.x = x;
    in.y = y;
    in.k = static_cast<unsigned>(k_);
    in.alpha = alpha;
    in.beta = beta;
    in.column_block = plan_.column_block;
    in.log_lanes = plan_.log_lanes;
    in.segment = segment_;
    in.segments = static_cast<unsigned>(known_.segments);
    in.segment_row = segment_row_.data();
    in.first_segment = first_.data();
    in.partial = partial_.data();
    const unsigned blocks = lay_out(in);
    if (blocks > 0) {
      const auto kernel = chosen_kernel<Width, Rows>();
      for_column_blocks(in, plan_.column_block, [&](unsigned column_blocks) {
        queue_kernel(in.first_column_block == 0 ? Begins::after_previous : Begins::early, kernel,
                     dim3(blocks, column_blocks), BalancedPolicy::threads, stream_, in);
      });
    }
    if (in.segments > 0) {
      in.combine_log_lanes = choose_combine_log_lanes(known_.longest, segment_, k_);
      for_column_blocks(in, 1U << in.combine_log_lanes, [&](unsigned column_blocks) {
        queue_kernel(blocks > 0 ? Begins::early : Begins::after_previous, combine_kernel<Offset>,
                     dim3(ceil_div(in.segments, 4U), column_blocks), 128, stream_, in);
      });
    }
  }

  /// Calls `queue(column_blocks)` for all blocks of `columns` columns, at most 65535 at once.
  template <class Queue>
  static void for_column_blocks(ProductInput<Offset>& in, unsigned columns, const Queue& queue) {
    const unsigned all = ceil_div(in.k, columns);
    unsigned& first = in.first_column_block;
    for (first = 0; first < all; first += 65535U) {
      queue(std::min(all - first, 65535U));
    }
    first = 0;
  }

  CsrView<Offset, double> a_;
  std::int64_t k_;
  std::optional<RowOrder> forced_;
  int segment_;
  cudaStream_t stream_;
  BalancedPlan plan_{};
  RowStatistics known_{};
  index_t groups_ = 0;
  unsigned tasks_ = 0;
  DeviceBuffer<RowStatistics> statistics_;
  DeviceBuffer<unsigned char> same_, keys_;  // [rows]; same_ holds the unsorted keys of bins too
  DeviceBuffer<index_t> order_;              // [rows + 1]
  DeviceBuffer<index_t> first_;              // [rows] scratch, then first segments
  DeviceBuffer<index_t> segment_row_;        // [known_.segments]
  DeviceBuffer<index_t> task_row_;           // [tasks_ + 1]
  DeviceBuffer<double> partial_;             // [known_.segments * k_]
  DeviceBuffer<char> storage_;
  std::optional<FlatCsr<Offset>> flat_;  // with one column, unless another order is forced
};

}  // namespace sparserepro::balanced
