// What the public functions check of the arrays that a caller hands over: their shapes, types and
// presence; on the host the ends of row_ptr, else never their contents.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "formats/index_array.hpp"
#include "formats/types.hpp"
#include "sparserepro/arrays.hpp"
#include "sparserepro/error.hpp"

namespace sparserepro {

/// Throws InputError unless `value` is within [0, most].
inline void check_range(const char* name, std::int64_t value, std::int64_t most) {
  if (value < 0 || value > most) {
    throw InputError(std::string(name) + " is " + std::to_string(value) +
                     "; it must be from 0 to " + std::to_string(most));
  }
}

inline bool is_index(DataType type) {
  return type == DataType::int32 || type == DataType::int64;
}

/// Throws InputError where an array of `elements` elements is missing.
inline void check_present(const char* name, const void* data, std::int64_t elements) {
  if (data == nullptr && elements > 0) {
    throw InputError(std::string(name) + " is missing; it has " + std::to_string(elements) +
                     " elements");
  }
}

/// Throws InputError where shape, types or presence of `a` are not those of CsrInput.
inline void check_csr(const CsrInput& a) {
  constexpr std::int64_t most = std::numeric_limits<index_t>::max();
  check_range("rows", a.rows, most);
  check_range("cols", a.cols, most);
  check_range("nnz", a.nnz, std::numeric_limits<std::int64_t>::max() / 8);
  if (!is_index(a.row_ptr.type)) {
    throw InputError(std::string("row_ptr is of ") + to_string(a.row_ptr.type) +
                     "; it must be of int32 or int64");
  }
  if (a.row_ptr.type == DataType::int32) {
    check_range("nnz with row_ptr of int32", a.nnz, std::numeric_limits<std::int32_t>::max());
  }
  if (!is_index(a.col_idx.type) && a.nnz > 0) {
    throw InputError(std::string("col_idx is of ") + to_string(a.col_idx.type) +
                     "; it must be of int32 or int64");
  }
  if (a.nnz > 0 && (a.rows == 0 || a.cols == 0)) {
    throw InputError(std::to_string(a.nnz) + " entries in a matrix of " + std::to_string(a.rows) +
                     " x " + std::to_string(a.cols));
  }
  check_present("row_ptr", a.row_ptr.data, a.rows + 1);
  check_present("col_idx", a.col_idx.data, a.nnz);
  check_present("values", a.values.data, a.values.type == DataType::none ? 0 : a.nnz);
}

/// Throws InputError unless row_ptr of `a`, which passed check_csr and lies on the host, runs from
/// 0 to nnz. What lies between the ends is not looked at.
inline void check_row_ends(const CsrInput& a) {
  const IndexArray row_ptr = a.row_ptr;
  if (row_ptr[0] != 0 || row_ptr[a.rows] != a.nnz) {
    throw InputError("row_ptr runs from " + std::to_string(row_ptr[0]) + " to " +
                     std::to_string(row_ptr[a.rows]) + "; it must run from 0 to nnz, " +
                     std::to_string(a.nnz));
  }
}

/// check_csr and check_row_ends: of a matrix on the host.
inline void check_host_csr(const CsrInput& a) {
  check_csr(a);
  check_row_ends(a);
}

/// Columns that a product takes at once: the bytes of X and Y fit 64 bits for any matrix.
inline constexpr std::int64_t most_columns_of_x = std::int64_t{1} << 28;

/// Throws InputError unless the DenseInput or DenseOutput `m` has `rows` x `k` elements of `type`.
template <class Matrix>
void check_dense(const char* name, const Matrix& m, std::int64_t rows, std::int64_t k,
                 DataType type) {
  if (m.rows != rows || m.cols != k) {
    throw InputError(std::string(name) + " is " + std::to_string(m.rows) + " x " +
                     std::to_string(m.cols) + "; the plan is for " + std::to_string(rows) + " x " +
                     std::to_string(k));
  }
  const std::int64_t least = m.layout == DenseLayout::row_major ? m.cols : m.rows;
  if (m.stride < least || m.stride > std::numeric_limits<std::int64_t>::max() / 64) {
    throw InputError(std::string("the stride of ") + name + ", " + to_string(m.layout) + ", is " +
                     std::to_string(m.stride) + "; it must be at least " + std::to_string(least));
  }
  if (m.data.type != type) {
    throw InputError(std::string(name) + " is of " + to_string(m.data.type) + ", A of " +
                     to_string(type) + "; they must be of one type");
  }
  check_present(name, m.data.data, rows * k);
}

/// The type of the product with `a`: fp64 where an empty matrix has no values. Throws InputError
/// where it is none of the floating-point types.
inline DataType product_type(const CsrInput& a) {
  if (a.nnz == 0 && a.values.type == DataType::none) {
    return DataType::fp64;
  }
  if (a.values.type < DataType::fp16) {
    throw InputError(std::string("values are of ") + to_string(a.values.type) +
                     "; the product takes fp64, fp32, fp16 and bf16");
  }
  return a.values.type;
}

/// Throws InputError unless `values` can take the place of `nnz` values of `type`.
inline void check_values(const ConstArray& values, std::int64_t nnz, DataType type) {
  if (nnz > 0 && values.type != type) {
    throw InputError(std::string("values are of ") + to_string(values.type) +
                     "; those of the plan are of " + to_string(type));
  }
  check_present("values", values.data, nnz);
}

/// Throws InputError unless all arrays begin at a multiple of 16 bytes, as kernels on a device want
/// it for loads of several elements.
template <class... Pointers>
void check_aligned(const char* name, const Pointers*... arrays) {
  if (((reinterpret_cast<std::uintptr_t>(arrays) % 16 != 0) || ...)) {
    throw InputError(std::string("an array of ") + name +
                     " does not begin at a multiple of 16 bytes");
  }
}

/// Throws InputError unless `a` has the shape and the types of `made_for`.
inline void check_same_shape(const CsrInput& made_for, const CsrInput& a) {
  const auto text = [](const CsrInput& m) {
    return std::to_string(m.rows) + " x " + std::to_string(m.cols) + " with " +
           std::to_string(m.nnz) + " entries, row_ptr of " + to_string(m.row_ptr.type) +
           ", col_idx of " + to_string(m.col_idx.type) + ", values of " + to_string(m.values.type);
  };
  if (made_for.rows != a.rows || made_for.cols != a.cols || made_for.nnz != a.nnz ||
      made_for.row_ptr.type != a.row_ptr.type || made_for.col_idx.type != a.col_idx.type ||
      made_for.values.type != a.values.type) {
    throw InputError("made for " + text(made_for) + "; called with " + text(a));
  }
}

/// Throws InputError unless `out` has the types of `a`; its row_ptr has `rows` + 1 elements.
inline void check_csr_output(const CsrInput& a, const CsrOutput& out, std::int64_t rows) {
  const auto same = [](const char* name, DataType wanted, DataType given) {
    if (wanted != given) {
      throw InputError(std::string(name) + " of the answer is of " + to_string(given) +
                       ", that of the matrix of " + to_string(wanted));
    }
  };
  same("row_ptr", a.row_ptr.type, out.row_ptr.type);
  check_present("row_ptr of the answer", out.row_ptr.data, rows + 1);
  if (a.nnz > 0) {
    same("col_idx", a.col_idx.type, out.col_idx.type);
    same("values", a.values.type, out.values.type);
    check_present("col_idx of the answer", out.col_idx.data, a.nnz);
    check_present("values of the answer", out.values.data,
                  a.values.type == DataType::none ? 0 : a.nnz);
  }
}

}  // namespace sparserepro
