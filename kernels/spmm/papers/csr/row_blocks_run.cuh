// Base of the variants of CSR-Adaptive: row blocks, which the host finds, and transposed X.
#pragma once

#include "spmm/papers/csr/columns_run.cuh"
#include "spmm/papers/csr/row_blocks.hpp"

namespace sparserepro {

/// A product whose preprocessing writes first_rows() and x_columns().
template <class Offset>
class CudaRowBlocksRun : public CudaColumnsSpmmRun<Offset> {
 public:
  /// Row blocks of at most `capacity` rows and entries.
  CudaRowBlocksRun(const SpmmProblem& problem, const Csr<Offset, double>& a, std::int64_t capacity)
      : CudaColumnsSpmmRun<Offset>(problem, a), host_(a), capacity_(capacity) {}

  void preprocess() override {
    CudaColumnsSpmmRun<Offset>::preprocess();
    const Buffer<index_t> first = adaptive_row_blocks(host_.row_ptr.data(), host_.rows, capacity_);
    if (first_.size() != first.size()) {
      first_ = DeviceBuffer<index_t>(first.size(), this->stream());
    }
    first_.copy_from(first.data(), this->stream());
    this->synchronize();  // `first` must outlive the copy
  }
  std::int64_t workspace_bytes() const override {
    return CudaColumnsSpmmRun<Offset>::workspace_bytes() +
           static_cast<std::int64_t>(first_.bytes());
  }
  Measures measures() const override {
    return {{"row_blocks", static_cast<double>(row_blocks())},
            {"capacity", static_cast<double>(capacity_)}};
  }

 protected:
  std::int64_t row_blocks() const {
    return first_.size() == 0 ? 0 : static_cast<std::int64_t>(first_.size()) - 1;
  }
  /// [row_blocks() + 1], in device memory.
  const index_t* first_rows() const { return first_.data(); }
  std::int64_t capacity() const { return capacity_; }

 private:
  const Csr<Offset, double>& host_;
  std::int64_t capacity_;
  DeviceBuffer<index_t> first_;
};

}  // namespace sparserepro
