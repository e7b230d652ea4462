// AMD's AOCL-Sparse for the peers that wrap it: its threads, its errors, its handles.
#pragma once

#ifdef SPARSEREPRO_HAS_AOCL

#include <aoclsparse.h>

#include <new>
#include <stdexcept>
#include <string>

#include "formats/csr.hpp"

#define AOCL_CHECK(call) ::sparserepro::aocl_check((call), #call)

namespace sparserepro {

static_assert(sizeof(aoclsparse_int) == sizeof(std::int32_t), "AOCL-Sparse with 32-bit integers");

/// Throws std::bad_alloc where the library had no memory, std::runtime_error for other failures.
inline void aocl_check(aoclsparse_status status, const char* call) {
  if (status == aoclsparse_status_memory_error) {
    throw std::bad_alloc();
  }
  if (status != aoclsparse_status_success) {
    throw std::runtime_error(std::string(call) + ": AOCL-Sparse status " +
                             std::to_string(static_cast<int>(status)));
  }
}

/// Owner of the description of a general matrix whose indices begin at 0.
class AoclDescription {
 public:
  AoclDescription() { AOCL_CHECK(aoclsparse_create_mat_descr(&handle_)); }
  ~AoclDescription() { aoclsparse_destroy_mat_descr(handle_); }
  AoclDescription(const AoclDescription&) = delete;
  AoclDescription& operator=(const AoclDescription&) = delete;
  aoclsparse_mat_descr get() const { return handle_; }

 private:
  aoclsparse_mat_descr handle_ = nullptr;
};

/// Owner of a handle to the arrays of a matrix, which are not copied and which the library does not
/// change.
class AoclMatrix {
 public:
  AoclMatrix() = default;
  ~AoclMatrix() { reset(); }
  AoclMatrix(const AoclMatrix&) = delete;
  AoclMatrix& operator=(const AoclMatrix&) = delete;

  aoclsparse_matrix get() const { return handle_; }
  void assign(const CsrView<std::int32_t, double>& a) {
    reset();
    AOCL_CHECK(aoclsparse_create_dcsr(&handle_, aoclsparse_index_base_zero, a.rows, a.cols, a.nnz,
                                      const_cast<aoclsparse_int*>(a.row_ptr),
                                      const_cast<aoclsparse_int*>(a.col_idx),
                                      const_cast<double*>(a.values)));
  }

 private:
  void reset() {
    if (handle_ != nullptr) {
      aoclsparse_destroy(&handle_);
      handle_ = nullptr;
    }
  }

  aoclsparse_matrix handle_ = nullptr;
};

}  // namespace sparserepro

#endif
