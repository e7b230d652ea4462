// Path flat as a class: lists of the matrix, then y = alpha A x + beta y.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

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
      : a_(a),
        shape_(flat_shape(a.nnz)),
        tasks_(static_cast<unsigned>(ceil_div<std::int64_t>(a.nnz, shape_.stride))),
        words_(static_cast<std::size_t>(a.nnz / 32 + 1)) {
    zeroed_ = DeviceArray<uint2>(words_ + tasks_ + 1, memory);
    order_ = DeviceArray<index_t>(static_cast<std::size_t>(a.rows), memory);
    const auto parts = static_cast<std::size_t>(flat_most_parts(a.nnz, shape_));
    parts_ = DeviceArray<FlatPart>(parts, memory);
    partial_ = DeviceArray<double>(parts, memory);
    std::size_t bytes = 0;
    count_ends(nullptr, bytes, nullptr);
    storage_ = DeviceArray<char>(bytes, memory);
  }

  /// Builds the lists; `statistics` are those of the rows.
  void analyse(const RowStatistics& statistics, cudaStream_t stream) {
    constexpr unsigned threads = 256;
    const auto row_blocks = static_cast<unsigned>(ceil_div<std::int64_t>(a_.rows, threads));
    const auto empty = static_cast<index_t>(statistics.bin_rows[0]);
    some_rows_ = a_.rows - empty;
    part_blocks_ = static_cast<unsigned>(flat_parts(statistics, a_.nnz, shape_));
    closes_ = statistics.longest > BalancedPolicy::flat_part;
    zeroed_.fill_bytes(0, stream);
    flat_rows_kernel<<<row_blocks, threads, 0, stream>>>(
        a_.row_ptr, a_.rows, static_cast<Offset>(a_.nnz), shape_,
        FlatLists{words(), spans(), part_count(), parts_.data()});
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = storage_.bytes();
    count_ends(storage_.data(), bytes, stream);
    if (empty > 0) {
      flat_order_kernel<<<row_blocks, threads, 0, stream>>>(a_.row_ptr, a_.rows, some_rows_,
                                                            words(), order_.data());
      CUDA_CHECK_LAUNCH();
    }
  }

  void set_values(const double* values) { a_.values = values; }

  void multiply(double alpha, const double* x, double beta, double* y, cudaStream_t stream) const {
    FlatInput<Offset> in{};
    in.a = a_;
    in.x = x;
    in.y = y;
    in.alpha = alpha;
    in.beta = beta;
    in.words = words();
    in.order = order_.data();
    in.spans = spans();
    in.parts = parts_.data();
    in.part_count = part_count();
    in.partial = partial_.data();
    in.stride = shape_.stride;
    in.tasks = tasks_;
    in.part_blocks = part_blocks_;
    in.some_rows = some_rows_;
    constexpr unsigned threads = BalancedPolicy::flat_threads;
    in.task_blocks = shape_.by_warps ? ceil_div(tasks_, threads / 32) : tasks_;
    const auto empty = static_cast<unsigned>(a_.rows - some_rows_);
    const auto kernel = [&](auto task_threads) {
      constexpr int of_task = decltype(task_threads)::value;
      return empty > 0 ? flat_kernel<Offset, of_task, true> : flat_kernel<Offset, of_task, false>;
    };
    queue_kernel(Begins::after_previous,
                 shape_.by_warps ? kernel(std::integral_constant<int, 32>{})
                                 : kernel(std::integral_constant<int, threads>{}),
                 part_blocks_ + in.task_blocks + ceil_div(empty, flat_empty_rows * threads),
                 threads, stream, in);
    if (closes_) {
      queue_kernel(Begins::early, flat_close_kernel<Offset>, ceil_div(part_blocks_, threads / 32),
                   threads, stream, in);
    }
  }

 private:
  uint2* words() const { return zeroed_.data(); }
  FlatSpan* spans() const { return reinterpret_cast<FlatSpan*>(words() + words_); }
  unsigned* part_count() const { return reinterpret_cast<unsigned*>(spans() + tasks_); }

  /// Sets the numbers of rows that end before each word.
  void count_ends(void* storage, std::size_t& bytes, cudaStream_t stream) {
    const thrust::counting_iterator<std::size_t> first(0);
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(
        storage, bytes, thrust::make_transform_iterator(first, CountEnds{words()}),
        thrust::make_permutation_iterator(reinterpret_cast<unsigned*>(words()),
                                          thrust::make_transform_iterator(first, PlaceOfCount{})),
        words_, stream));
  }

  CsrView<Offset, double> a_;
  FlatShape shape_;
  unsigned tasks_, part_blocks_ = 0;
  std::size_t words_;
  index_t some_rows_ = 0;  // with entries
  bool closes_ = false;
  DeviceArray<uint2> zeroed_;   // words [words_], spans [tasks_], number of parts
  DeviceArray<index_t> order_;  // [rows]
  DeviceArray<FlatPart> parts_;
  DeviceArray<double> partial_;
  DeviceArray<char> storage_;
};

}  // namespace sparserepro::balanced
