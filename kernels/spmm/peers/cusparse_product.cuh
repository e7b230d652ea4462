// Base of the peers that call cusparseSpMM, for any format of A, with X and Y both row-major or
// both column-major.
//
// Descriptors and buffer are made before the clock starts; the buffer is workspace. In the layout
// `column`, kernel times do not contain the conversions of X and Y from and to row-major order,
// since a user of that layout needs none; end-to-end cycles contain them.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "spmm/cuda_dense_transpose.cuh"
#include "spmm/cuda_run.cuh"
#include "spmm/peers/cusparse_operands.cuh"
#include "spmm/peers/cusparse_refusal.hpp"

namespace sparserepro {

/// Y = op(A) X by cusparseSpMM with 32-bit indices. Constructors of derived classes describe A by
/// `set_matrix` unless `empty()`; the library fails for a matrix without entries.
template <class Value>
class TypedCusparseProduct : public CudaCsrSpmmRun<std::int32_t, Value> {
 public:
  TypedCusparseProduct(const SpmmProblem& problem, const Params& params,
                       cusparseSpMMAlg_t algorithm,
                       cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE)
      : CudaCsrSpmmRun<std::int32_t, Value>(problem, cusparse_matrix(problem)),
        op_(op),
        columns_(params.text("layout") == "column"),
        empty_(problem.shape().stored == 0 || problem.k() == 0),
        algorithm_(algorithm),
        handle_(this->stream()) {
    if (empty_) {
      return;
    }
    if (columns_) {
      x_columns_ = DeviceBuffer<Value>(problem.x().data.size(), stream());
      y_columns_ = DeviceBuffer<Value>(static_cast<std::size_t>(y_rows() * k()), stream());
      transpose_dense(x(), x_rows(), k(), x_columns_.data(), stream());
    }
    const cusparseOrder_t order = columns_ ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW;
    x_ = describe_dense(columns_ ? x_columns_.data() : x(), x_rows(), k(), order);
    y_ = describe_dense(columns_ ? y_columns_.data() : y(), y_rows(), k(), order);
  }

  void poison() override {
    Base::poison();
    y_columns_.fill_bytes(0xff, stream());
  }
  void execute() override {
    if (empty_) {
      this->write_zeros();
      return;
    }
    CUSPARSE_CHECK(cusparseSpMM(handle_.get(), op_, plain, &one, a_.get(), x_.get(), &zero,
                                y_.get(), cusparse_type<Value>, algorithm_, buffer_.data()));
  }
  void download() override {
    if (columns_ && !empty_) {
      transpose_dense<Value>(y_columns_.data(), k(), y_rows(), y(), stream());
    }
    Base::download();
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(buffer_.bytes());
  }

 protected:
  using Base = CudaCsrSpmmRun<std::int32_t, Value>;
  using Base::k;
  using Base::stream;
  using Base::x;
  using Base::x_rows;
  using Base::y;
  using Base::y_rows;

  bool empty() const { return empty_; }
  const CusparseHandle& handle() const { return handle_; }

  void set_matrix(CusparseDescriptor<const cusparseSpMatDescr> a) {
    a_ = std::move(a);
    std::size_t bytes = 0;
    CUSPARSE_CHECK(cusparseSpMM_bufferSize(handle_.get(), op_, plain, &one, a_.get(), x_.get(),
                                           &zero, y_.get(), cusparse_type<Value>, algorithm_,
                                           &bytes));
    buffer_ = DeviceBuffer<char>(bytes, stream());
  }
  /// Calls the library's analysis of A unless A is empty.
  void analyse() {
    if (!empty_) {
      CUSPARSE_CHECK(cusparseSpMM_preprocess(handle_.get(), op_, plain, &one, a_.get(), x_.get(),
                                             &zero, y_.get(), cusparse_type<Value>, algorithm_,
                                             buffer_.data()));
    }
  }

 private:
  static constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr Value one = 1;
  static constexpr Value zero = 0;

  cusparseOperation_t op_;
  bool columns_, empty_;
  cusparseSpMMAlg_t algorithm_;
  CusparseHandle handle_;
  DeviceBuffer<Value> x_columns_, y_columns_;  // X and Y column-major
  CusparseDescriptor<const cusparseSpMatDescr> a_;
  CusparseDescriptor<cusparseDnMatDescr> x_, y_;
  DeviceBuffer<char> buffer_;
};

using CusparseProduct = TypedCusparseProduct<double>;

/// An algorithm of cusparseSpMM for CSR.
inline cusparseSpMMAlg_t cusparse_csr_algorithm(const std::string& name) {
  return name == "alg1"   ? CUSPARSE_SPMM_CSR_ALG1
         : name == "alg2" ? CUSPARSE_SPMM_CSR_ALG2
         : name == "alg3" ? CUSPARSE_SPMM_CSR_ALG3
                          : CUSPARSE_SPMM_ALG_DEFAULT;
}

/// Prepares Method<Value>(problem, params) for the type of the problem.
template <template <class> class Method>
std::unique_ptr<Run<SpmmProblem>> prepare_typed_cusparse(const SpmmProblem& problem,
                                                         const Params& params) {
  if (problem.value_type() == DataType::fp32) {
    return std::make_unique<Method<float>>(problem, params);
  }
  return std::make_unique<Method<double>>(problem, params);
}

}  // namespace sparserepro
