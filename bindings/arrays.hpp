// Arrays of Python as the library's views: any object with DLPack or the buffer protocol, or a
// capsule of DLPack, is read in place. The Python package has checked frameworks, devices, shapes
// and contiguity; what the library itself wants, it checks.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "sparserepro/arrays.hpp"
#include "sparserepro/error.hpp"

namespace sparserepro::python {

namespace nb = nanobind;
using Input = nb::ndarray<nb::ro>;
using Output = nb::ndarray<>;

/// The type of the elements; of types that the library has no name for, an integer of their width,
/// for they are moved and never read as numbers.
inline DataType type_of(const nb::dlpack::dtype& type) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(type.code);
  if (type.lanes == 1) {
    switch (type.bits) {
      case 16:
        return code == Code::Bfloat ? DataType::bf16 : DataType::fp16;
      case 32:
        return code == Code::Float ? DataType::fp32 : DataType::int32;
      case 64:
        return code == Code::Float ? DataType::fp64 : DataType::int64;
      default:
        break;
    }
  }
  throw nb::type_error(("elements of " + std::to_string(type.bits) +
                        " bits; the library takes those of 16, 32 and 64 bits")
                           .c_str());
}

inline std::int64_t size_of(const Input& array) {
  return static_cast<std::int64_t>(array.size());
}

inline ConstArray view(const Input& array) {
  return {array.data(), type_of(array.dtype())};
}
inline Array view(const Output& array) {
  return {array.data(), type_of(array.dtype())};
}
/// None becomes `none`.
template <class View, class Source>
View view_or_none(const Source& array) {
  return array.is_valid() ? View(view(array)) : View();
}

/// Counters of the library in an array of int64; null for None.
inline std::uint64_t* counters_or_null(const Output& array) {
  return array.is_valid() ? static_cast<std::uint64_t*>(array.data()) : nullptr;
}

inline CsrInput csr(const Input& row_ptr, const Input& col_idx, const Input& values,
                    std::int64_t cols) {
  return {size_of(row_ptr) - 1, cols,          size_of(col_idx),
          view(row_ptr),        view(col_idx), view_or_none<ConstArray>(values)};
}
inline CsrOutput csr_output(const Output& row_ptr, const Output& col_idx, const Output& values) {
  return {view(row_ptr), view(col_idx), view_or_none<Array>(values)};
}

/// A matrix [rows x k] in rows or in columns, or a vector [rows]. Of an extent of one, or where
/// there are no elements, the array's strides mean nothing.
template <class Dense, class Source>
Dense dense(const Source& array) {
  const auto rows = static_cast<std::int64_t>(array.shape(0));
  if (array.ndim() == 1) {
    return {rows, 1, rows > 1 ? array.stride(0) : 1, view(array), DenseLayout::row_major};
  }
  const auto k = static_cast<std::int64_t>(array.shape(1));
  if (array.size() == 0) {
    return {rows, k, k, view(array), DenseLayout::row_major};
  }
  if (k <= 1 || array.stride(1) == 1) {
    return {rows, k, rows > 1 ? array.stride(0) : k, view(array), DenseLayout::row_major};
  }
  if (rows <= 1 || array.stride(0) == 1) {
    return {rows, k, array.stride(1), view(array), DenseLayout::column_major};
  }
  throw InputError("a dense matrix of " + std::to_string(rows) + " x " + std::to_string(k) +
                   " with strides " + std::to_string(array.stride(0)) + " and " +
                   std::to_string(array.stride(1)) + "; one of them must be 1");
}

/// Whether the elements lie in rows without gaps.
inline bool in_rows(const Input& array) {
  std::int64_t step = 1;
  for (std::size_t axis = array.ndim(); axis-- > 0;) {
    const auto extent = static_cast<std::int64_t>(array.shape(axis));
    if (extent > 1 && array.stride(axis) != step) {
      return array.size() == 0;
    }
    step *= extent;
  }
  return true;
}

/// An array on `data`, which `owner` frees, for other libraries, by DLPack: `kind` is DLPack's code
/// of the type, `device` the number of a CUDA device, or -1.
inline nb::ndarray<nb::array_api> owned(const nb::capsule& owner, void* data,
                                        const std::vector<std::size_t>& shape, int kind, int bits,
                                        int device) {
  const nb::dlpack::dtype type{static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(bits), 1};
  return nb::ndarray<nb::array_api>(data, shape.size(), shape.data(), owner, nullptr, type,
                                    device < 0 ? nb::device::cpu::value : nb::device::cuda::value,
                                    device < 0 ? 0 : device);
}
inline std::size_t bytes_of(const std::vector<std::size_t>& shape, int bits) {
  std::size_t bytes = static_cast<std::size_t>(bits) / 8;
  for (const std::size_t extent : shape) {
    bytes *= extent;
  }
  return bytes;
}

/// InputError becomes ValueError, CudaError RuntimeError; std::bad_alloc is MemoryError anyway.
inline void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const CudaError& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    }
  });
}

}  // namespace sparserepro::python
