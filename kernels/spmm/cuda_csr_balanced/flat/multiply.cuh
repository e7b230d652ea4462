// Path flat as a class: lists of the matrix, then y = alpha A x + beta y.
#pragma once

#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "cuda/device_memory.hpp"
#include "cuda/launch.hpp"
#include "spmm/cuda_csr_balanced/flat/lists.cuh"
#include "spmm/cuda_csr_balanced/flat/product.cuh"

namespace sparserepro::balanced {

template <class Offset>
class FlatCsr {
 public:
  /// `a` in device memory, which must outlive this; a.rows > 0.
  FlatCsr(CsrView<Offset, double> a, DeviceMemory& memory)
      : a_(a), task_entries_(flat_task_entries(a.nnz)) {
    const auto rows = static_cast<std::size_t>(a.rows);
    const auto steps = ceil_div<std::int64_t>(a.nnz, BalancedPolicy::flat_step);
    tasks_ = static_cast<unsigned>(ceil_div<std::int64_t>(a.nnz, task_entries_));
    ends_ = DeviceArray<unsigned>(
        static_cast<std::size_t>(steps) * (BalancedPolicy::flat_step / 32), memory);
    place_ = DeviceArray<index_t>(rows, memory);
    order_ = DeviceArray<index_t>(rows, memory);
    first_place_ = DeviceArray<index_t>(tasks_ + std::size_t{1}, memory);
    open_ = DeviceArray<double>(2 * std::size_t{tasks_}, memory);
    std::size_t bytes = 0;
    count_places(nullptr, bytes, nullptr);
    leave_to_l1();
    storage_ = DeviceArray<char>(bytes, memory);
  }

  /// Builds the lists.
  void analyse(std::int64_t rows_without_entries, cudaStream_t stream) {
    constexpr unsigned threads = 256;
    const auto row_blocks = static_cast<unsigned>(ceil_div<std::int64_t>(a_.rows, threads));
    empty_blocks_ = static_cast<unsigned>(
        ceil_div<std::int64_t>(rows_without_entries, BalancedPolicy::threads));
    ends_.fill_bytes(0, stream);
    row_ends_kernel<<<row_blocks, threads, 0, stream>>>(a_.row_ptr, a_.rows, ends_.data(),
                                                        place_.data());
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = storage_.bytes();
    count_places(storage_.data(), bytes, stream);
    flat_order_kernel<<<row_blocks, threads, 0, stream>>>(a_.row_ptr, place_.data(), a_.rows,
                                                          order_.data());
    CUDA_CHECK_LAUNCH();
    flat_tasks_kernel<<<ceil_div(tasks_ + 1, threads), threads, 0, stream>>>(
        a_.row_ptr, place_.data(), a_.rows, tasks_, task_entries_, first_place_.data());
    CUDA_CHECK_LAUNCH();
  }

  void set_values(const double* values) { a_.values = values; }

  void multiply(double alpha, const double* x, double beta, double* y, cudaStream_t stream) const {
    FlatInput<Offset> in{};
    in.a = a_;
    in.x = x;
    in.y = y;
    in.alpha = alpha;
    in.beta = beta;
    in.ends = ends_.data();
    in.order = order_.data();
    in.first_place = first_place_.data();
    in.task_entries = task_entries_;
    in.tasks = tasks_;
    in.task_blocks = ceil_div(tasks_, BalancedPolicy::threads / 32U);
    in.open = open_.data();
    const unsigned blocks = in.task_blocks + empty_blocks_;
    constexpr unsigned threads = BalancedPolicy::threads;
    queue_kernel(Begins::after_previous, flat_kernel<Offset>, blocks, threads, stream, in);
    if (tasks_ > 1) {
      queue_kernel(Begins::early, flat_close_kernel<Offset>, ceil_div(tasks_, threads), threads,
                   stream, in);
    }
  }

 private:
  /// No more shared memory than the resident blocks need.
  static void leave_to_l1() {
    constexpr int needed = BalancedPolicy::flat_blocks *
                           (BalancedPolicy::threads / 32 * BalancedPolicy::flat_step * 8 + 1024);
    const std::int64_t most = device_limits().shared_bytes_per_multiprocessor;
    CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(flat_kernel<Offset>),
                                    cudaFuncAttributePreferredSharedMemoryCarveout,
                                    static_cast<int>(ceil_div<std::int64_t>(100 * needed, most))));
  }

  /// place_[i] = rows with entries up to and with row i, in place.
  void count_places(void* storage, std::size_t& bytes, cudaStream_t stream) {
    CUDA_CHECK(cub::DeviceScan::InclusiveSum(storage, bytes, place_.data(), place_.data(), a_.rows,
                                             stream));
  }

  CsrView<Offset, double> a_;
  int task_entries_;
  unsigned tasks_ = 0, empty_blocks_ = 0;
  DeviceArray<unsigned> ends_;
  DeviceArray<index_t> place_, order_;  // [rows]
  DeviceArray<index_t> first_place_;    // [tasks_ + 1]
  DeviceArray<double> open_;            // [2 * tasks_]
  DeviceArray<char> storage_;
};

}  // namespace sparserepro::balanced
