// Descriptors of cuSPARSE's generic interface for the operands of a product.
#pragma once

#include <memory>

#include "cuda/cusparse.hpp"
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

/// Descriptor of the CSR matrix `a` in device memory, whose arrays must outlive it.
template <class Offset>
CusparseDescriptor<const cusparseSpMatDescr> describe_csr(const CsrView<Offset, double>& a) {
  cusparseConstSpMatDescr_t out = nullptr;
  CUSPARSE_CHECK(
      cusparseCreateConstCsr(&out, a.rows, a.cols, a.nnz, a.row_ptr, a.col_idx, a.values,
                             sizeof(Offset) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  return CusparseDescriptor<const cusparseSpMatDescr>(out);
}

/// Descriptor of a contiguous dense `rows` x `cols` matrix in device memory, row- or column-major.
inline CusparseDescriptor<cusparseDnMatDescr> describe_dense(const double* data, std::int64_t rows,
                                                             std::int64_t cols,
                                                             cusparseOrder_t order) {
  cusparseDnMatDescr_t out = nullptr;
  CUSPARSE_CHECK(cusparseCreateDnMat(&out, rows, cols, order == CUSPARSE_ORDER_ROW ? cols : rows,
                                     const_cast<double*>(data), CUDA_R_64F, order));
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
