// Bases of all products on the device: X and Y in device memory, poison and download of Y; and the
// CSR matrix of the products of CSR.
#pragma once

#include <memory>

#include "cuda/cuda_run.hpp"
#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"
#include "formats/huge_pages.hpp"
#include "spmm/cuda_host.hpp"
#include "spmm/prepare_csr.hpp"
#include "spmm/spmm.hpp"

namespace sparserepro {

/// A product on the device. `execute` of the derived class writes y() from x() and a matrix in its
/// own format.
template <class Value>
class TypedCudaSpmmRun : public CudaRun<SpmmProblem> {
 public:
  /// `stream_of_run` as `stream` of CudaRun.
  explicit TypedCudaSpmmRun(const SpmmProblem& problem, cudaStream_t stream_of_run = nullptr)
      : CudaRun<SpmmProblem>(stream_of_run),
        rows_(problem.shape().rows),
        cols_(problem.shape().cols),
        y_rows_(problem.y_rows()),
        k_(problem.k()),
        x_(problem.template x_as<Value>(), stream()),
        y_(static_cast<std::size_t>(y_rows_ * k_), stream()) {}

  /// Sets every element to NaN (all bits set).
  void poison() override { y_.fill_bytes(0xff, stream()); }
  void download() override {
    if (host_y_.size() != y_.size()) {
      host_y_ = Buffer<Value>();
      host_y_.resize(y_.size());
      advise_huge_pages(host_y_);  // fewer page faults, which dominate a large download
    }
    y_.copy_to(host_y_.data(), stream());
    synchronize();
  }
  Dense result() override { return dense_of(host_y_, y_rows_, k_); }
  std::int64_t workspace_bytes() const override { return 0; }

 protected:
  /// Of A.
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  std::int64_t k() const { return k_; }
  std::int64_t x_rows() const { return rows_ + cols_ - y_rows_; }
  std::int64_t y_rows() const { return y_rows_; }
  /// [x_rows() * k], row-major, in device memory.
  const Value* x() const { return x_.data(); }
  /// [y_rows() * k], row-major, in device memory.
  Value* y() { return y_.data(); }
  /// Y = 0, the answer if A has no entry.
  void write_zeros() { y_.fill_bytes(0, stream()); }

 private:
  std::int64_t rows_, cols_, y_rows_, k_;
  DeviceBuffer<Value> x_, y_;
  Buffer<Value> host_y_;
};

using CudaSpmmRun = TypedCudaSpmmRun<double>;

/// A product of a CSR matrix on the device.
template <class Offset, class Value = double>
class CudaCsrSpmmRun : public TypedCudaSpmmRun<Value> {
 public:
  CudaCsrSpmmRun(const SpmmProblem& problem, const Csr<Offset, double>& a,
                 cudaStream_t stream_of_run = nullptr)
      : TypedCudaSpmmRun<Value>(problem, stream_of_run),
        row_ptr_(a.row_ptr, this->stream()),
        col_idx_(a.col_idx, this->stream()),
        values_(problem.template values_as<Value>(), this->stream()) {}

 protected:
  /// A in device memory.
  CsrView<Offset, Value> a() const {
    return {static_cast<index_t>(this->rows()),
            static_cast<index_t>(this->cols()),
            static_cast<Offset>(col_idx_.size()),
            row_ptr_.data(),
            col_idx_.data(),
            values_.data()};
  }

 private:
  DeviceBuffer<Offset> row_ptr_;
  DeviceBuffer<index_t> col_idx_;
  DeviceBuffer<Value> values_;
};

/// As prepare_csr_spmm for Method<Offset, Value> and the type of the problem.
template <template <class, class> class Method>
std::unique_ptr<Run<SpmmProblem>> prepare_typed_cuda_spmm(const SpmmProblem& problem,
                                                          const Params& params) {
  return std::visit(
      [&](const auto& a) -> std::unique_ptr<Run<SpmmProblem>> {
        using Offset = typename std::decay_t<decltype(a)>::offset_type;
        if (problem.value_type() == DataType::fp32) {
          return std::make_unique<Method<Offset, float>>(problem, a, params);
        }
        return std::make_unique<Method<Offset, double>>(problem, a, params);
      },
      problem.matrix());
}

}  // namespace sparserepro
