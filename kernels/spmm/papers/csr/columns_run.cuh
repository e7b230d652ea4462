// Base of the products on the device that read X by columns: preprocessing transposes X, so that
// each column is contiguous. Source: SpMM seed, section 3.3, whose times do not contain the
// transposition.
#pragma once

#include "spmm/cuda_dense_transpose.cuh"
#include "spmm/papers/cuda_elements.cuh"

namespace sparserepro {

/// A product of CSR whose preprocessing writes x_columns().
template <class Offset>
class CudaColumnsSpmmRun : public CudaCsrSpmmRun<Offset> {
 public:
  CudaColumnsSpmmRun(const SpmmProblem& problem, const Csr<Offset, double>& a)
      : CudaCsrSpmmRun<Offset>(problem, a), xt_(problem.x().data.size(), this->stream()) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    transpose_dense(this->x(), this->cols(), this->k(), xt_.data(), this->stream());
  }
  std::int64_t workspace_bytes() const override { return static_cast<std::int64_t>(xt_.bytes()); }

 protected:
  ColumnMajorX x_columns() const { return {xt_.data(), this->cols()}; }

 private:
  DeviceBuffer<double> xt_;
};

}  // namespace sparserepro
