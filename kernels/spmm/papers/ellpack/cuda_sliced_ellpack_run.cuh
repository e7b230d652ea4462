// Base of the products of column-major ELLPACK, in slices or as a whole: one thread an element of
// Y, so that neighbouring threads read neighbouring slots. A thread stops at the length of its row,
// not at the end of its padding (ELLPACK-R: F. Vazquez, J. J. Fernandez, E. M. Garzon, CCPE 23(8),
// 2011).
#pragma once

#include "spmm/papers/cuda_elements.cuh"
#include "spmm/papers/ellpack/sliced_ellpack.hpp"

namespace sparserepro {

/// Thread e computes column e % K of the row at place e / K.
template <class Slots>
__global__ void __launch_bounds__(1024)
    slots_kernel(Slots a, RowMajorX x, int k, std::int64_t elements, double* y) {
  const std::int64_t e = global_thread();
  if (e >= elements) {
    return;
  }
  const Element at = element_of(e, k);
  const index_t length = a.length(at.row);
  const std::int64_t stride = a.stride();
  std::int64_t slot = a.first(at.row);
  double partial_sum = 0.0;
  for (index_t n = 0; n < length; ++n, slot += stride) {
    partial_sum += a.values[slot] * x(a.col_idx[slot], at.col);
  }
  y[std::int64_t{a.row(at.row)} * k + at.col] = partial_sum;
}

/// A product of a matrix in slices, which `prepare` builds on the host.
class CudaSlicedEllpackRun : public CudaSpmmRun {
 public:
  CudaSlicedEllpackRun(const SpmmProblem& problem, const SlicedEllpack& a, int block_size)
      : CudaSpmmRun(problem),
        block_size_(block_size),
        bytes_(stored_bytes(a)),
        padding_factor_(problem.shape().stored == 0
                            ? 1.0
                            : static_cast<double>(a.values.size()) /
                                  static_cast<double>(problem.shape().stored)),
        slice_ptr_(a.slice_ptr, stream()),
        row_(a.row, stream()),
        row_length_(a.row_length, stream()),
        col_idx_(a.col_idx, stream()),
        values_(a.values, stream()) {
    synchronize();  // `a` must outlive the copies
  }

  std::int64_t workspace_bytes() const override { return bytes_; }
  Measures measures() const override { return {{"padding_factor", padding_factor_}}; }

 protected:
  const std::int64_t* slice_ptr() const { return slice_ptr_.data(); }
  const index_t* row() const { return row_.data(); }
  const index_t* row_length() const { return row_length_.data(); }
  const index_t* col_idx() const { return col_idx_.data(); }
  const double* values() const { return values_.data(); }

  /// Queues slots_kernel for all elements.
  template <class Slots>
  void launch(const Slots& a) {
    const std::int64_t elements = rows() * k();
    if (elements == 0) {
      return;
    }
    const auto blocks = static_cast<unsigned>(ceil_div(elements, std::int64_t{block_size_}));
    slots_kernel<<<blocks, block_size_, 0, stream()>>>(a, RowMajorX{x(), k()},
                                                       static_cast<int>(k()), elements, y());
    CUDA_CHECK_LAUNCH();
  }

 private:
  int block_size_;
  std::int64_t bytes_;
  double padding_factor_;
  DeviceBuffer<std::int64_t> slice_ptr_;
  DeviceBuffer<index_t> row_, row_length_, col_idx_;
  DeviceBuffer<double> values_;
};

}  // namespace sparserepro
