// Base of the peers that call cusparseSpMM, for any format of A, with X and Y both row-major or
// both column-major.
//
// Descriptors and buffer are made before the clock starts; the buffer is workspace. In the layout
// `column`, kernel times do not contain the conversions of X and Y from and to row-major order,
// since a user of that layout needs none; end-to-end cycles contain them.
#pragma once

#include <string>
#include <utility>

#include "spmm/cuda_dense_transpose.cuh"
#include "spmm/cuda_run.cuh"
#include "spmm/peers/cusparse_operands.cuh"
#include "spmm/peers/cusparse_refusal.hpp"

namespace sparserepro {

/// Y = A X by cusparseSpMM with 32-bit indices. Constructors of derived classes describe A by
/// `set_matrix` unless `empty()`; the library fails for a matrix without entries.
class CusparseProduct : public CudaCsrSpmmRun<std::int32_t> {
 public:
  CusparseProduct(const SpmmProblem& problem, const Params& params, cusparseSpMMAlg_t algorithm)
      : CudaCsrSpmmRun<std::int32_t>(problem, cusparse_matrix(problem)),
        columns_(params.text("layout") == "column"),
        empty_(problem.shape().stored == 0 || problem.k() == 0),
        algorithm_(algorithm),
        handle_(stream()) {
    if (empty_) {
      return;
    }
    if (columns_) {
      x_columns_ = DeviceBuffer<double>(problem.x().data.size(), stream());
      y_columns_ = DeviceBuffer<double>(static_cast<std::size_t>(rows() * k()), stream());
      transpose_dense(x(), cols(), k(), x_columns_.data(), stream());
    }
    const cusparseOrder_t order = columns_ ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW;
    x_ = describe_dense(columns_ ? x_columns_.data() : x(), cols(), k(), order);
    y_ = describe_dense(columns_ ? y_columns_.data() : y(), rows(), k(), order);
  }

  void poison() override {
    CudaCsrSpmmRun::poison();
    y_columns_.fill_bytes(0xff, stream());
  }
  void execute() override {
    if (empty_) {
      write_zeros();
      return;
    }
    CUSPARSE_CHECK(cusparseSpMM(handle_.get(), op, op, &one, a_.get(), x_.get(), &zero, y_.get(),
                                CUDA_R_64F, algorithm_, buffer_.data()));
  }
  void download() override {
    if (columns_ && !empty_) {
      transpose_dense(y_columns_.data(), k(), rows(), y(), stream());
    }
    CudaCsrSpmmRun::download();
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(buffer_.bytes());
  }

 protected:
  bool empty() const { return empty_; }
  const CusparseHandle& handle() const { return handle_; }

  void set_matrix(CusparseDescriptor<const cusparseSpMatDescr> a) {
    a_ = std::move(a);
    std::size_t bytes = 0;
    CUSPARSE_CHECK(cusparseSpMM_bufferSize(handle_.get(), op, op, &one, a_.get(), x_.get(), &zero,
                                           y_.get(), CUDA_R_64F, algorithm_, &bytes));
    buffer_ = DeviceBuffer<char>(bytes, stream());
  }
  /// Calls the library's analysis of A unless A is empty.
  void analyse() {
    if (!empty_) {
      CUSPARSE_CHECK(cusparseSpMM_preprocess(handle_.get(), op, op, &one, a_.get(), x_.get(), &zero,
                                             y_.get(), CUDA_R_64F, algorithm_, buffer_.data()));
    }
  }

 private:
  static constexpr cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr double one = 1.0;
  static constexpr double zero = 0.0;

  bool columns_, empty_;
  cusparseSpMMAlg_t algorithm_;
  CusparseHandle handle_;
  DeviceBuffer<double> x_columns_, y_columns_;  // X and Y column-major
  CusparseDescriptor<const cusparseSpMatDescr> a_;
  CusparseDescriptor<cusparseDnMatDescr> x_, y_;
  DeviceBuffer<char> buffer_;
};

}  // namespace sparserepro
