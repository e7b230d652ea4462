// Intel oneMKL's sparse BLAS for the peers that wrap it: its threads, its errors, its handles.
#pragma once

#ifdef SPARSEREPRO_HAS_MKL

#include <mkl_service.h>
#include <mkl_spblas.h>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "formats/csr.hpp"

#define MKL_CHECK(call) ::sparserepro::mkl_check((call), #call)

namespace sparserepro {

/// Throws std::bad_alloc where the library had no memory, std::runtime_error for other failures.
inline void mkl_check(sparse_status_t status, const char* call) {
  if (status == SPARSE_STATUS_ALLOC_FAILED) {
    throw std::bad_alloc();
  }
  if (status != SPARSE_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(call) + ": oneMKL status " +
                             std::to_string(static_cast<int>(status)));
  }
}

/// Has the library use exactly this many threads when this thread calls it.
inline void mkl_use_threads(int threads) {
  mkl_set_dynamic(0);
  mkl_set_num_threads_local(threads);
}

/// Owner of a handle of a sparse matrix.
class MklMatrix {
 public:
  MklMatrix() = default;
  ~MklMatrix() { reset(); }
  MklMatrix(MklMatrix&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  MklMatrix& operator=(MklMatrix&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  sparse_matrix_t get() const { return handle_; }
  /// For a call that makes a matrix; frees the one before.
  sparse_matrix_t* out() {
    reset();
    return &handle_;
  }
  void reset() {
    if (handle_ != nullptr) {
      mkl_sparse_destroy(handle_);
      handle_ = nullptr;
    }
  }

 private:
  sparse_matrix_t handle_ = nullptr;
};

/// A handle to the arrays of `a`, which are not copied and which the library does not change.
template <class Value>
MklMatrix mkl_matrix(const CsrView<std::int32_t, Value>& a) {
  auto* const row_ptr = const_cast<MKL_INT*>(a.row_ptr);
  auto* const col_idx = const_cast<MKL_INT*>(a.col_idx);
  auto* const values = const_cast<Value*>(a.values);
  MklMatrix matrix;
  if constexpr (std::is_same_v<Value, double>) {
    MKL_CHECK(mkl_sparse_d_create_csr(matrix.out(), SPARSE_INDEX_BASE_ZERO, a.rows, a.cols, row_ptr,
                                      row_ptr + 1, col_idx, values));
  } else {
    MKL_CHECK(mkl_sparse_s_create_csr(matrix.out(), SPARSE_INDEX_BASE_ZERO, a.rows, a.cols, row_ptr,
                                      row_ptr + 1, col_idx, values));
  }
  return matrix;
}

}  // namespace sparserepro

#endif
