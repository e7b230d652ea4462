// Descriptors of cuSPARSE's generic interface for the operands of a product.
#pragma once

#include <memory>
#include <type_traits>

#include "cuda/peers/cusparse.hpp"
#include "formats/csr.hpp"

namespace sparserepro {

/// Destroys descriptors of cuSPARSE.
struct CusparseDescriptorDeleter {
  void operator()(const cusparseSpMatDescr* d) const { cusparseDestroySpMat(d); }
  void operator()(const cusparseDnMatDescr* d) const { cusparseDestroyDnMat(d); }
  void operator()(const cusparseDnVecDescr* d) const { cusparseDestroyDnVec(d); }
  void operator()(cusparseMatDescr* d) const { cusparseDestroyMatDescr(d); }
};
template <class Descriptor>
using CusparseDescriptor = std::unique_ptr<Descriptor, CusparseDescriptorDeleter>;

template <class Value>
inline constexpr cudaDataType cusparse_type =
    std::is_same_v<Value, float> ? CUDA_R_32F : CUDA_R_64F;

/// Descriptor of the CSR matrix `a` in device memory, whose arrays must outlive it.
template <class Offset, class Value>
CusparseDescriptor<const cusparseSpMatDescr> describe_csr(const CsrView<Offset, Value>& a) {
  cusparseConstSpMatDescr_t out = nullptr;
  CUSPARSE_CHECK(
      cusparseCreateConstCsr(&out, a.rows, a.cols, a.nnz, a.row_ptr, a.col_idx, a.values,
                             sizeof(Offset) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, cusparse_type<Value>));
  return CusparseDescriptor<const cusparseSpMatDescr>(out);
}

/// Descriptor of a contiguous dense `rows` x `cols` matrix in device memory, row- or column-major.
template <class Value>
CusparseDescriptor<cusparseDnMatDescr> describe_dense(const Value* data, std::int64_t rows,
                                                      std::int64_t cols, cusparseOrder_t order) {
  cusparseDnMatDescr_t out = nullptr;
  CUSPARSE_CHECK(cusparseCreateDnMat(&out, rows, cols, order == CUSPARSE_ORDER_ROW ? cols : rows,
                                     const_cast<Value*>(data), cusparse_type<Value>, order));
  return CusparseDescriptor<cusparseDnMatDescr>(out);
}

/// Descriptor of a vector of `length` elements in device memory.
inline CusparseDescriptor<cusparseDnVecDescr> describe_vector(const double* data,
                                                              std::int64_t length) {
  cusparseDnVecDescr_t out = nullptr;
  CUSPARSE_CHECK(cusparseCreateDnVec(&out, length, const_cast<double*>(data), CUDA_R_64F));
  return CusparseDescriptor<cusparseDnVecDescr>(out);
}

}  // namespace sparserepro
