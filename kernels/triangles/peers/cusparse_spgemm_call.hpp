// cuSPARSE's product of two sparse matrices (cusparseSpGEMM): descriptors, phases and buffers.
#pragma once

#include <cstdint>

#include "cuda/device_buffer.hpp"
#include "cuda/peers/cusparse.hpp"
#include "formats/types.hpp"

namespace sparserepro::spgemm {

/// A sparse matrix of ones in device memory, in CSR.
struct Operand {
  index_t rows{}, cols{};
  std::int32_t nnz{};
  const std::int32_t* row_ptr{};
  const index_t* col_idx{};
};

/// The product of a block of rows, in CSR; the entries of a row may be in any order.
struct Product {
  index_t rows{};
  std::int64_t nnz{};
  const std::int32_t* row_ptr{};
  const index_t* col_idx{};
  const float* values{};  ///< exact: elements are at most the largest degree, which is below 2^24
};

/// Grows `buffer` to `bytes`, without keeping its contents. Returns false if the device lacks
/// memory.
inline bool reserve(DeviceBuffer<char>& buffer, std::size_t bytes, cudaStream_t stream) {
  if (bytes <= buffer.bytes()) {
    return true;
  }
  buffer = {};
  try {
    buffer = DeviceBuffer<char>(bytes, stream);
  } catch (const CudaError&) {
    if (cudaGetLastError() != cudaErrorMemoryAllocation) {
      throw;
    }
    return false;
  }
  return true;
}

/// Returns false if the library lacked memory for the call. Throws CudaError at other failures.
inline bool had_resources(cusparseStatus_t status) {
  if (status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES || status == CUSPARSE_STATUS_ALLOC_FAILED) {
    return false;
  }
  CUSPARSE_CHECK(status);
  return true;
}

/// C = X Y for matrices of ones in fp32 with 32-bit row pointers. Buffers never shrink, so that a
/// repeated product allocates nothing.
class Multiplication {
 public:
  Multiplication(cudaStream_t stream, cusparseSpGEMMAlg_t algorithm)
      : stream_(stream), handle_(stream), algorithm_(algorithm) {}

  /// Computes C; returns false if library or device lack memory. `ones` [max(nnz of X, nnz of Y)].
  bool operator()(const Operand& x, const Operand& y, const float* ones) {
    if (!reserve(row_ptr_, (static_cast<std::size_t>(x.rows) + 1) * sizeof(std::int32_t),
                 stream_)) {
      return false;
    }
    const Matrix a(x, ones), b(y, ones);
    Matrix c(x.rows, y.cols, row_ptr_.data());
    const Description description;
    const Phases call{handle_.get(), a.get(), b.get(), c.get(), algorithm_, description.get()};

    std::size_t bytes = 0;
    if (!had_resources(call.estimate_work(bytes, nullptr)) || !reserve(work_, bytes, stream_) ||
        !had_resources(call.estimate_work(bytes, work_.data()))) {
      return false;
    }
    if (algorithm_ == CUSPARSE_SPGEMM_ALG2 || algorithm_ == CUSPARSE_SPGEMM_ALG3) {
      if (!had_resources(call.estimate_memory(bytes, nullptr, nullptr)) ||
          !reserve(estimate_, bytes, stream_)) {
        return false;
      }
      std::size_t needed = 0;
      if (!had_resources(call.estimate_memory(bytes, estimate_.data(), &needed))) {
        return false;
      }
      bytes = needed;
    } else if (!had_resources(call.compute(bytes, nullptr))) {
      return false;
    }
    if (!reserve(compute_, bytes, stream_) ||
        !had_resources(call.compute(bytes, compute_.data()))) {
      return false;
    }
    std::int64_t rows = 0, cols = 0, nnz = 0;
    CUSPARSE_CHECK(cusparseSpMatGetSize(c.get(), &rows, &cols, &nnz));
    if (!reserve(col_idx_, static_cast<std::size_t>(nnz) * sizeof(index_t), stream_) ||
        !reserve(values_, static_cast<std::size_t>(nnz) * sizeof(float), stream_)) {
      return false;
    }
    CUSPARSE_CHECK(
        cusparseCsrSetPointers(c.get(), row_ptr_.data(), col_idx_.data(), values_.data()));
    CUSPARSE_CHECK(call.copy());
    product_ = {x.rows, nnz, reinterpret_cast<const std::int32_t*>(row_ptr_.data()),
                reinterpret_cast<const index_t*>(col_idx_.data()),
                reinterpret_cast<const float*>(values_.data())};
    return true;
  }

  /// C of the last successful call; valid until the next call.
  const Product& product() const { return product_; }
  /// Bytes of buffers and product.
  std::size_t bytes() const {
    return work_.bytes() + estimate_.bytes() + compute_.bytes() + row_ptr_.bytes() +
           col_idx_.bytes() + values_.bytes();
  }

 private:
  class Matrix {
   public:
    Matrix(const Operand& x, const float* ones) {
      CUSPARSE_CHECK(cusparseCreateCsr(
          &matrix_, x.rows, x.cols, x.nnz, const_cast<std::int32_t*>(x.row_ptr),
          const_cast<index_t*>(x.col_idx), const_cast<float*>(ones), CUSPARSE_INDEX_32I,
          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    }
    /// A matrix without entries; cusparseCsrSetPointers adds them.
    Matrix(std::int64_t rows, std::int64_t cols, void* row_ptr) {
      CUSPARSE_CHECK(cusparseCreateCsr(&matrix_, rows, cols, 0, row_ptr, nullptr, nullptr,
                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    }
    ~Matrix() { cusparseDestroySpMat(matrix_); }
    Matrix(const Matrix&) = delete;
    Matrix& operator=(const Matrix&) = delete;
    cusparseSpMatDescr_t get() const { return matrix_; }

   private:
    cusparseSpMatDescr_t matrix_ = nullptr;
  };

  class Description {
   public:
    Description() { CUSPARSE_CHECK(cusparseSpGEMM_createDescr(&description_)); }
    ~Description() { cusparseSpGEMM_destroyDescr(description_); }
    Description(const Description&) = delete;
    Description& operator=(const Description&) = delete;
    cusparseSpGEMMDescr_t get() const { return description_; }

   private:
    cusparseSpGEMMDescr_t description_ = nullptr;
  };

  /// The calls of the library with their common arguments.
  struct Phases {
    static constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    static constexpr float one = 1.0F, zero = 0.0F;
    /// Share of C that algorithm 3 computes at a time, as in NVIDIA's example.
    static constexpr float chunk_fraction = 0.2F;

    cusparseHandle_t handle;
    cusparseSpMatDescr_t a, b, c;
    cusparseSpGEMMAlg_t algorithm;
    cusparseSpGEMMDescr_t description;

    cusparseStatus_t estimate_work(std::size_t& bytes, void* buffer) const {
      return cusparseSpGEMM_workEstimation(handle, plain, plain, &one, a, b, &zero, c, CUDA_R_32F,
                                           algorithm, description, &bytes, buffer);
    }
    cusparseStatus_t estimate_memory(std::size_t& bytes, void* buffer,
                                     std::size_t* compute_bytes) const {
      return cusparseSpGEMM_estimateMemory(handle, plain, plain, &one, a, b, &zero, c, CUDA_R_32F,
                                           algorithm, description, chunk_fraction, &bytes, buffer,
                                           compute_bytes);
    }
    cusparseStatus_t compute(std::size_t& bytes, void* buffer) const {
      return cusparseSpGEMM_compute(handle, plain, plain, &one, a, b, &zero, c, CUDA_R_32F,
                                    algorithm, description, &bytes, buffer);
    }
    cusparseStatus_t copy() const {
      return cusparseSpGEMM_copy(handle, plain, plain, &one, a, b, &zero, c, CUDA_R_32F, algorithm,
                                 description);
    }
  };

  cudaStream_t stream_;
  CusparseHandle handle_;
  cusparseSpGEMMAlg_t algorithm_;
  DeviceBuffer<char> work_, estimate_, compute_;   // of the library's phases
  DeviceBuffer<char> row_ptr_, col_idx_, values_;  // C
  Product product_;
};

}  // namespace sparserepro::spgemm
