// Path merged as a class: y = alpha A x + beta y, without an analysis.
#pragma once

#include <algorithm>

#include "cuda/launch.hpp"
#include "spmm/cuda_csr_balanced/merged/product.cuh"

namespace sparserepro::balanced {

template <class Offset, class Element>
class MergedCsr {
 public:
  using Sum = SumType<Element>;

  /// `a` in device memory, which must outlive this; a.rows > 0.
  explicit MergedCsr(CsrView<Offset, Element> a) : a_(a), tasks_(merged_tasks(a.rows, a.nnz)) {
    leave_to_l1();
  }

  void set_values(const Element* values) { a_.values = values; }

  /// Elements of `partial` that a product wants: two sums a task, and room for a row.
  std::size_t sums() const { return 3 * std::size_t{tasks_}; }

  void multiply(Sum alpha, const Element* x, Sum beta, Element* y, Sum* partial,
                cudaStream_t stream) const {
    static_assert(sizeof(Sum) >= sizeof(index_t));
    const double positions =
        static_cast<double>(a_.nnz) + BalancedPolicy::row_cost * static_cast<double>(a_.rows);
    const MergedInput<Offset, Element> in{
        a_,
        x,
        y,
        alpha,
        beta,
        tasks_,
        static_cast<double>(a_.rows) / positions,
        partial,
        reinterpret_cast<index_t*>(partial + 2 * std::size_t{tasks_})};
    queue_kernel(Begins::after_previous, merged_kernel<Offset, Element>, tasks_, Shared::threads,
                 stream, in);
    if (tasks_ > 1) {
      constexpr unsigned threads = 128;
      queue_kernel(Begins::early, merged_close_kernel<Offset, Element>, ceil_div(tasks_, threads),
                   threads, stream, in);
    }
  }

 private:
  using Shared = MergedShared<Element>;

  /// No more shared memory than the resident blocks need.
  static void leave_to_l1() {
    constexpr std::int64_t needed =
        BalancedPolicy::merged_blocks * static_cast<std::int64_t>(sizeof(Shared) + 1024);
    const std::int64_t most = device_limits().shared_bytes_per_multiprocessor;
    CUDA_CHECK(cudaFuncSetAttribute(
        reinterpret_cast<const void*>(merged_kernel<Offset, Element>),
        cudaFuncAttributePreferredSharedMemoryCarveout,
        static_cast<int>(std::min(ceil_div(100 * needed, most), std::int64_t{100}))));
  }

  CsrView<Offset, Element> a_;
  unsigned tasks_;
};

}  // namespace sparserepro::balanced
