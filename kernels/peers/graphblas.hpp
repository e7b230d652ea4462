// SuiteSparse:GraphBLAS for the peers that wrap it: its start, its errors, and its matrices.
#pragma once

#ifdef SPARSEREPRO_HAS_GRAPHBLAS

extern "C" {
#include <GraphBLAS.h>
}

#include <limits>
#include <utility>

#include "formats/csr.hpp"

#define GRB_CHECK(call) ::sparserepro::graphblas_check((call), #call)

namespace sparserepro {

/// Throws std::bad_alloc where the library had no memory, std::runtime_error for other failures.
void graphblas_check(GrB_Info info, const char* call);

/// Starts the library at the first call, and has it use this many threads from now on.
void graphblas_use_threads(int threads);

/// Owner of a matrix of the library.
class GrbMatrix {
 public:
  GrbMatrix() = default;
  GrbMatrix(GrB_Type type, std::int64_t rows, std::int64_t cols);
  ~GrbMatrix() { GrB_Matrix_free(&matrix_); }
  GrbMatrix(GrbMatrix&& other) noexcept : matrix_(std::exchange(other.matrix_, nullptr)) {}
  GrbMatrix& operator=(GrbMatrix&& other) noexcept {
    std::swap(matrix_, other.matrix_);
    return *this;
  }

  GrB_Matrix get() const { return matrix_; }
  /// Finishes all pending work on it, sorting included.
  void wait() { GRB_CHECK(GrB_Matrix_wait(matrix_, GrB_MATERIALIZE)); }

 private:
  GrB_Matrix matrix_ = nullptr;
};

template <class Value>
GrB_Type graphblas_type() {
  if constexpr (std::is_same_v<Value, double>) {
    return GrB_FP64;
  } else if constexpr (std::is_same_v<Value, float>) {
    return GrB_FP32;
  } else {
    return GrB_UINT8;
  }
}

/// `a`, held by row; a pattern becomes one shared value. `a` must not have duplicates. From version
/// 10 of the library on indices have 32 bits, and row pointers too where they fit.
template <class Offset, class Value>
GrbMatrix graphblas_matrix(const CsrView<Offset, Value>& a);

/// The entries of a matrix of the library whose type is that of `Value`, rows ascending.
template <class Offset, class Value>
Csr<Offset, Value> csr_from_graphblas(const GrbMatrix& matrix);

/// A full matrix, held by row, with a copy of these elements, or uninitialised without any;
/// rows * cols > 0.
GrbMatrix graphblas_full(const double* elements, std::int64_t rows, std::int64_t cols);

/// Copies the elements of a full fp64 matrix that is held by row.
void copy_full(const GrbMatrix& matrix, double* elements, std::int64_t count);

/// Sets the elements of such a matrix where they lie; nothing is allocated or released.
void fill_full(const GrbMatrix& matrix, double value, std::int64_t count, int threads);

/// Bytes of an index and of a row pointer of `graphblas_matrix` with `nnz` entries.
constexpr std::int64_t graphblas_index_bytes = GxB_IMPLEMENTATION_MAJOR >= 10 ? 4 : 8;
constexpr std::int64_t graphblas_pointer_bytes(std::int64_t nnz) {
  return GxB_IMPLEMENTATION_MAJOR >= 10 && nnz <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
}

/// Bytes of `graphblas_matrix(a)`.
template <class Offset, class Value>
std::int64_t graphblas_bytes(const CsrView<Offset, Value>& a) {
  return graphblas_pointer_bytes(a.nnz) * (std::int64_t{a.rows} + 1) +
         (graphblas_index_bytes + static_cast<std::int64_t>(value_bytes<Value>)) * a.nnz;
}

}  // namespace sparserepro

#endif
