// Views of the caller's arrays: nothing here owns memory or copies it. An array knows its element
// type at run time, so that one compiled library serves all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sparserepro {

/// Element types of arrays. `none`: there is no array.
enum class DataType : std::uint8_t { none, int32, int64, fp16, bf16, fp32, fp64 };

/// Bytes of an element; 0 for `none`.
constexpr std::size_t bytes_of(DataType type) {
  switch (type) {
    case DataType::none:
      return 0;
    case DataType::fp16:
    case DataType::bf16:
      return 2;
    case DataType::int32:
    case DataType::fp32:
      return 4;
    case DataType::int64:
    case DataType::fp64:
      return 8;
  }
  return 0;
}

/// "int32", "fp16", ...; "none" where there is no array.
constexpr const char* to_string(DataType type) {
  constexpr const char* names[] = {"none", "int32", "int64", "fp16", "bf16", "fp32", "fp64"};
  return names[static_cast<std::size_t>(type)];
}

/// The type of elements T: signed integers of 4 or 8 bytes, float, double.
template <class T>
constexpr DataType data_type_of() {
  if constexpr (std::is_same_v<T, float>) {
    return DataType::fp32;
  } else if constexpr (std::is_same_v<T, double>) {
    return DataType::fp64;
  } else {
    static_assert(
        std::is_integral_v<T> && std::is_signed_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
        "give the array as {pointer, DataType}");
    return sizeof(T) == 4 ? DataType::int32 : DataType::int64;
  }
}

/// An array that is read; its length is said where it is used.
struct ConstArray {
  const void* data = nullptr;
  DataType type = DataType::none;

  constexpr ConstArray() = default;
  constexpr ConstArray(std::nullptr_t) {}
  constexpr ConstArray(const void* elements, DataType element_type)
      : data(elements), type(element_type) {}
  template <class T, class = std::enable_if_t<!std::is_void_v<T>>>
  constexpr ConstArray(const T* elements)
      : data(elements), type(data_type_of<std::remove_cv_t<T>>()) {}
};

/// An array that is written.
struct Array {
  void* data = nullptr;
  DataType type = DataType::none;

  constexpr Array() = default;
  constexpr Array(std::nullptr_t) {}
  constexpr Array(void* elements, DataType element_type) : data(elements), type(element_type) {}
  template <class T, class = std::enable_if_t<!std::is_void_v<T> && !std::is_const_v<T>>>
  constexpr Array(T* elements) : data(elements), type(data_type_of<T>()) {}
};

/// A matrix in compressed sparse rows (CSR), read. Entries of a row may stand in any order, and a
/// position may be stored more than once. Functions for the host refuse a row_ptr that does not run
/// from 0 to nnz; the rest of what index arrays hold is not checked.
struct CsrInput {
  std::int64_t rows = 0, cols = 0;  ///< both below 2^31
  std::int64_t nnz = 0;             ///< stored entries
  ConstArray row_ptr;               ///< [rows + 1] int32 or int64, from 0 to nnz, never falling
  ConstArray col_idx;               ///< [nnz] int32 or int64, each in [0, cols)
  ConstArray values;                ///< [nnz]; none for a pattern
};

/// Arrays of a matrix in CSR that is written.
struct CsrOutput {
  Array row_ptr;  ///< [rows + 1]
  Array col_idx;  ///< [nnz]
  Array values;   ///< [nnz]; none for a pattern
};

/// Where element (i, j) of a dense matrix lies: at data[i * stride + j] in `row_major`, with a
/// stride of at least the columns; at data[j * stride + i] in `column_major`, with a stride of at
/// least the rows.
enum class DenseLayout : std::uint8_t { row_major, column_major };

/// "row_major" or "column_major".
constexpr const char* to_string(DenseLayout layout) {
  return layout == DenseLayout::row_major ? "row_major" : "column_major";
}

/// What a product does to its sparse matrix: op(A) is A or A^T.
enum class Operation : std::uint8_t { none, transpose };

/// "none" or "transpose".
constexpr const char* to_string(Operation operation) {
  return operation == Operation::none ? "none" : "transpose";
}

/// A dense matrix, read.
struct DenseInput {
  std::int64_t rows = 0, cols = 0;
  std::int64_t stride = 0;  ///< elements from a row to the next, or from a column to the next
  ConstArray data;
  DenseLayout layout = DenseLayout::row_major;
};

/// The same, written.
struct DenseOutput {
  std::int64_t rows = 0, cols = 0;
  std::int64_t stride = 0;
  Array data;
  DenseLayout layout = DenseLayout::row_major;
};

}  // namespace sparserepro
