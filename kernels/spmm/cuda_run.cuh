// Bases of all products on the device: X and Y in device memory, poison and download of Y; and the
// CSR matrix of the products of CSR.
#pragma once

#include <memory>

#include "cuda/cuda_run.hpp"
#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"
#include "formats/huge_pages.hpp"
#include "spmm/cuda_host.hpp"
#include "spmm/spmm.hpp"

namespace sparserepro {

/// A product on the device. `execute` of the derived class writes y() from x() and a matrix in its
/// own format.
class CudaSpmmRun : public CudaRun<SpmmProblem> {
 public:
  explicit CudaSpmmRun(const SpmmProblem& problem)
      : rows_(problem.shape().rows),
        cols_(problem.shape().cols),
        k_(problem.k()),
        x_(problem.x().data, stream()),
        y_(static_cast<std::size_t>(rows_ * k_), stream()) {}

  /// Sets every element to NaN (all bits set).
  void poison() override { y_.fill_bytes(0xff, stream()); }
  void download() override {
    if (host_y_.rows != rows_ || host_y_.cols != k_) {
      host_y_ = Dense(rows_, k_);
      advise_huge_pages(host_y_.data);  // fewer page faults, which dominate a large download
    }
    y_.copy_to(host_y_.data.data(), stream());
    synchronize();
  }
  Dense result() override { return copy_of(host_y_); }
  std::int64_t workspace_bytes() const override { return 0; }

 protected:
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  std::int64_t k() const { return k_; }
  /// [cols * k], row-major, in device memory.
  const double* x() const { return x_.data(); }
  /// [rows * k], row-major, in device memory.
  double* y() { return y_.data(); }
  /// Y = 0, the answer if A has no entry.
  void write_zeros() { y_.fill_bytes(0, stream()); }

 private:
  std::int64_t rows_, cols_, k_;
  DeviceBuffer<double> x_, y_;
  Dense host_y_;
};

/// A product of a CSR matrix on the device.
template <class Offset>
class CudaCsrSpmmRun : public CudaSpmmRun {
 public:
  CudaCsrSpmmRun(const SpmmProblem& problem, const Csr<Offset, double>& a)
      : CudaSpmmRun(problem),
        row_ptr_(a.row_ptr, stream()),
        col_idx_(a.col_idx, stream()),
        values_(a.values, stream()) {}

 protected:
  /// A in device memory.
  CsrView<Offset, double> a() const {
    return {static_cast<index_t>(rows()),
            static_cast<index_t>(cols()),
            static_cast<Offset>(col_idx_.size()),
            row_ptr_.data(),
            col_idx_.data(),
            values_.data()};
  }

 private:
  DeviceBuffer<Offset> row_ptr_;
  DeviceBuffer<index_t> col_idx_;
  DeviceBuffer<double> values_;
};

/// Prepares `Method<Offset>(problem, a, params)` for the width of the problem's row pointers.
template <template <class> class Method>
std::unique_ptr<Run<SpmmProblem>> prepare_cuda_spmm(const SpmmProblem& problem,
                                                    const Params& params) {
  return std::visit(
      [&](const auto& a) -> std::unique_ptr<Run<SpmmProblem>> {
        using Offset = typename std::decay_t<decltype(a)>::offset_type;
        return std::make_unique<Method<Offset>>(problem, a, params);
      },
      problem.matrix());
}

}  // namespace sparserepro
