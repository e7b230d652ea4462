// Path flat as classes: lists of the matrix, then y = alpha A x + beta y, and Y for more columns.
#pragma once

#include "cuda/device_memory.hpp"
#include "cuda/launch.hpp"
#include "spmm/cuda_csr_balanced/flat/lists.cuh"
#include "spmm/cuda_csr_balanced/flat/product.cuh"
#include "spmm/cuda_csr_balanced/flat/shares.cuh"

namespace sparserepro::balanced {

template <class Offset, class Element>
class FlatCsr {
 public:
  /// `a` in device memory, which must outlive this; a.rows > 0.
  FlatCsr(CsrView<Offset, Element> a, DeviceMemory& memory)
      : a_(a),
        shape_(flat_shape(a.nnz)),
        tasks_(static_cast<unsigned>(ceil_div<std::int64_t>(a.nnz, shape_.stride))),
        ends_(a, std::size_t{tasks_} + 1, memory) {
    const auto parts = static_cast<std::size_t>(flat_most_parts(a.nnz, shape_));
    parts_ = DeviceArray<FlatPart>(parts, memory);
    partial_ = DeviceArray<Element>(parts, memory);
  }

  /// Builds the lists; `statistics` are those of the rows.
  void analyse(const RowStatistics& statistics, cudaStream_t stream) {
    part_blocks_ = static_cast<unsigned>(flat_parts(statistics, a_.nnz, shape_));
    closes_ = statistics.longest > BalancedPolicy::flat_part;
    const FlatTasks<Offset> tasks{
        a_.row_ptr, static_cast<Offset>(a_.nnz), shape_, spans(), part_count(), parts_.data()};
    ends_.analyse(static_cast<index_t>(statistics.bin_rows[0]), tasks, stream);
  }

  void set_values(const Element* values) { a_.values = values; }

  void multiply(Element alpha, const Element* x, Element beta, Element* y,
                cudaStream_t stream) const {
    FlatInput<Offset, Element> in{};
    in.a = a_;
    in.x = x;
    in.y = y;
    in.alpha = alpha;
    in.beta = beta;
    in.words = ends_.words();
    in.order = ends_.order();
    in.spans = spans();
    in.parts = parts_.data();
    in.part_count = part_count();
    in.partial = partial_.data();
    in.stride = shape_.stride;
    in.tasks = tasks_;
    in.part_blocks = part_blocks_;
    in.some_rows = ends_.some_rows();
    in.closes = closes_;
    in.passes =
        passes_l2(a_.rows, a_.cols, a_.nnz, 1, sizeof(Element), BalancedPolicy::resident_bytes);
    constexpr unsigned threads = BalancedPolicy::flat_threads;
    in.task_blocks = shape_.by_warps ? ceil_div(tasks_, threads / 32) : tasks_;
    const unsigned empty = ends_.empty_rows();
    const auto kernel = [&](auto task_threads) {
      constexpr int of_task = decltype(task_threads)::value;
      return empty > 0 ? flat_kernel<of_task, true, Offset, Element>
                       : flat_kernel<of_task, false, Offset, Element>;
    };
    queue_kernel(Begins::after_previous,
                 shape_.by_warps ? kernel(std::integral_constant<int, 32>{})
                                 : kernel(std::integral_constant<int, threads>{}),
                 part_blocks_ + in.task_blocks + ceil_div(empty, flat_empty_rows * threads),
                 threads, stream, in);
    if (closes_) {
      queue_kernel(Begins::early, flat_close_kernel<Offset, Element>,
                   ceil_div(part_blocks_, threads / 32), threads, stream, in);
    }
  }

 private:
  FlatSpan* spans() const { return reinterpret_cast<FlatSpan*>(ends_.more()); }
  unsigned* part_count() const { return reinterpret_cast<unsigned*>(spans() + tasks_); }

  CsrView<Offset, Element> a_;
  FlatShape shape_;
  unsigned tasks_, part_blocks_ = 0;
  bool closes_ = false;
  RowEnds<Offset> ends_;  // and spans [tasks_], number of parts
  DeviceArray<FlatPart> parts_;
  DeviceArray<Element> partial_;
};

/// With more than one column: shares_kernel and close_shares_kernel.
template <class Offset, class Element>
class SharesCsr {
 public:
  using Sum = SumType<Element>;

  /// `a` in device memory, which must outlive this; a.rows > 0; `k` columns.
  SharesCsr(CsrView<Offset, Element> a, std::int64_t k, DeviceMemory& memory)
      : a_(a),
        k_(k),
        width_(load_width(k, sizeof(Element))),
        teams_(share_teams(k, width_)),
        tasks_(static_cast<unsigned>(
            ceil_div<std::int64_t>(a.nnz, std::int64_t{teams_.count} << teams_.log_share))),
        ends_(a, 0, memory) {}

  /// Builds the lists; `statistics` are those of the rows.
  void analyse(const RowStatistics& statistics, cudaStream_t stream) {
    ends_.analyse(static_cast<index_t>(statistics.bin_rows[0]), NoTasks{}, stream);
  }

  void set_values(const Element* values) { a_.values = values; }

  /// Sums that a product writes for rows of several tasks.
  std::size_t sums() const { return std::size_t{2} * tasks_ * static_cast<std::size_t>(k_); }

  /// `partial` has room for sums() elements.
  void multiply(Sum alpha, const Element* x, Sum beta, Element* y, Sum* partial,
                cudaStream_t stream) const {
    if constexpr (most_width(sizeof(Element)) == 4) {
      if (width_ == 4) {
        return launch<4>(alpha, x, beta, y, partial, stream);
      }
    }
    width_ == 2 ? launch<2>(alpha, x, beta, y, partial, stream)
                : launch<1>(alpha, x, beta, y, partial, stream);
  }

 private:
  template <int Width>
  void launch(Sum alpha, const Element* x, Sum beta, Element* y, Sum* partial,
              cudaStream_t stream) const {
    constexpr unsigned threads = BalancedPolicy::threads, warps = threads / 32;
    SharesInput<Offset, Element> in{};
    in.a = a_;
    in.x = x;
    in.y = y;
    in.alpha = alpha;
    in.beta = beta;
    in.k = static_cast<unsigned>(k_);
    in.teams = teams_;
    in.words = ends_.words();
    in.order = ends_.order();
    in.heads = partial;
    in.tails = partial + sums() / 2;
    in.tasks = tasks_;
    in.task_blocks = ceil_div(tasks_, warps);
    in.some_rows = ends_.some_rows();
    const unsigned empty = ends_.empty_rows();
    const std::size_t entries = std::size_t{warps} * teams_.count * ((1U << teams_.log_share) + 1);
    queue_kernel(Begins::after_previous,
                 empty > 0 ? shares_kernel<Width, true, Offset, Element>
                           : shares_kernel<Width, false, Offset, Element>,
                 in.task_blocks + ceil_div(empty, warps * teams_.count), threads, stream, in,
                 entries * (sizeof(Element) + sizeof(index_t)));
    if (tasks_ > 1) {
      queue_kernel(Begins::early,
                   empty > 0 ? close_shares_kernel<Width, true, Offset, Element>
                             : close_shares_kernel<Width, false, Offset, Element>,
                   ceil_div(tasks_, warps), threads, stream, in);
    }
  }

  CsrView<Offset, Element> a_;
  std::int64_t k_;
  int width_;
  ShareTeams teams_;
  unsigned tasks_;
  RowEnds<Offset> ends_;
};

}  // namespace sparserepro::balanced
