// The order of rows that Sputnik's kernels want, from the longest to the shortest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "spmm/cuda_run.cuh"

namespace sparserepro {

/// A product of a CSR matrix with 32-bit row pointers whose analysis orders the rows on the host.
template <class Value>
class RowsByLengthRun : public CudaCsrSpmmRun<std::int32_t, Value> {
 public:
  explicit RowsByLengthRun(const SpmmProblem& problem)
      : CudaCsrSpmmRun<std::int32_t, Value>(problem,
                                            std::get<Csr<std::int32_t, double>>(problem.matrix())),
        row_ptr_(std::get<Csr<std::int32_t, double>>(problem.matrix()).row_ptr) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    std::vector<int> order(row_ptr_.size() - 1);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return row_ptr_[a + 1] - row_ptr_[a] > row_ptr_[b + 1] - row_ptr_[b];
    });
    order_ = DeviceBuffer<int>(order, this->stream());
    this->synchronize();
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(order_.bytes());
  }

 protected:
  /// Rows from the longest to the shortest, in device memory.
  const int* order() const { return order_.data(); }

 private:
  const Buffer<std::int32_t>& row_ptr_;
  DeviceBuffer<int> order_;
};

}  // namespace sparserepro
