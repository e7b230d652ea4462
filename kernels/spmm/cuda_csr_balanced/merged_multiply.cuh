// Path merged as a class: lists of the matrix, then y = alpha A x + beta y.
#pragma once

#include "cuda/device_memory.hpp"
#include "cuda/launch.hpp"
#include "spmm/cuda_csr_balanced/merged.cuh"

namespace sparserepro::balanced {

template <class Offset, class Element>
class MergedCsr {
 public:
  using Sum = SumType<Element>;

  /// `a` in device memory, which must outlive this; a.rows > 0.
  MergedCsr(CsrView<Offset, Element> a, DeviceMemory& memory)
      : a_(a), tasks_(merged_tasks(a.rows, a.nnz)) {
    first_row_ = DeviceArray<index_t>(tasks_ + std::size_t{1}, memory);
    open_ = DeviceArray<Sum>(2 * std::size_t{tasks_}, memory);
    arrived_ = DeviceArray<unsigned>(tasks_, memory);
    leave_to_l1();
  }

  /// Builds the lists on `stream`; does not wait.
  void analyse(cudaStream_t stream) {
    constexpr unsigned threads = 256;
    merged_rows_kernel<<<ceil_div(tasks_ + 1, threads / 32), threads, 0, stream>>>(
        a_.row_ptr, a_.rows, tasks_, first_row_.data(), arrived_.data());
    CUDA_CHECK_LAUNCH();
  }

  void set_values(const Element* values) { a_.values = values; }

  void multiply(Sum alpha, const Element* x, Sum beta, Element* y, cudaStream_t stream) const {
    const MergedInput<Offset, Element> in{
        a_, x, y, alpha, beta, first_row_.data(), open_.data(), arrived_.data()};
    queue_kernel(Begins::after_previous, merged_kernel<Offset, Element>, tasks_, Shared::threads,
                 stream, in);
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
        static_cast<int>(min(ceil_div(100 * needed, most), std::int64_t{100}))));
  }

  CsrView<Offset, Element> a_;
  unsigned tasks_;
  DeviceArray<index_t> first_row_;  // [tasks_ + 1]
  DeviceArray<Sum> open_;           // [2 * tasks_]
  DeviceArray<unsigned> arrived_;   // [tasks_]
};

}  // namespace sparserepro::balanced
