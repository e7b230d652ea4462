// Base of the products of ELLPACK without padding on the device, as in the seed's kernels.
#pragma once

#include "spmm/papers/cuda_elements.cuh"
#include "spmm/papers/ellpack/ellpack_formats.hpp"

namespace sparserepro {

/// A product of the rows of a(), each of which has an offset and a length.
class CudaEllpackRun : public CudaSpmmRun {
 public:
  explicit CudaEllpackRun(const SpmmProblem& problem)
      : CudaEllpackRun(problem, make_ellpack_no_padding(problem)) {}

  std::int64_t workspace_bytes() const override { return bytes_; }

 protected:
  RaggedRows a() const {
    return {row_offset_.data(), row_length_.data(), col_idx_.data(), values_.data()};
  }

 private:
  CudaEllpackRun(const SpmmProblem& problem, const EllpackNoPadding& a)
      : CudaSpmmRun(problem),
        bytes_(stored_bytes(a)),
        row_offset_(a.row_offset, stream()),
        row_length_(a.row_length, stream()),
        col_idx_(a.col_idx, stream()),
        values_(a.values, stream()) {
    synchronize();  // `a` must outlive the copies
  }

  std::int64_t bytes_;
  DeviceBuffer<std::int64_t> row_offset_;
  DeviceBuffer<index_t> row_length_, col_idx_;
  DeviceBuffer<double> values_;
};

}  // namespace sparserepro
