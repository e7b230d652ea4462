// What the public functions refuse of the arrays that they write: memory that they also read, or
// write as another array. By addresses, in constant time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "sparserepro/arrays.hpp"
#include "sparserepro/error.hpp"

namespace sparserepro {

/// Where an array lies: `runs` runs of `run` bytes, one beginning `stride` bytes after another.
/// The stride of a single run means nothing; that of several is not below `run`.
struct Place {
  const char* name = nullptr;
  const void* data = nullptr;
  std::uint64_t run = 0, runs = 1, stride = 0;
};

inline Place place_of(const char* name, const void* data, DataType type, std::int64_t elements) {
  return {name, data, static_cast<std::uint64_t>(elements) * bytes_of(type)};
}

/// Of an array of counts or coefficients; a null one takes no memory.
template <class T>
Place place_of(const char* name, const T* data, std::int64_t elements) {
  return {name, data, data == nullptr ? 0 : static_cast<std::uint64_t>(elements) * sizeof(T)};
}
/// Of a DenseInput or DenseOutput that passed check_dense.
template <class Matrix>
Place place_of(const char* name, const Matrix& m) {
  const bool in_rows = m.layout == DenseLayout::row_major;
  const std::uint64_t element = bytes_of(m.data.type);
  return {name, m.data.data, static_cast<std::uint64_t>(in_rows ? m.cols : m.rows) * element,
          static_cast<std::uint64_t>(in_rows ? m.rows : m.cols),
          static_cast<std::uint64_t>(m.stride) * element};
}

/// Whether two arrays share memory. Where runs of one lie between those of the other, it is exact
/// for equal strides, as of two ranges of columns of one array; of different ones it says yes.
inline bool share_memory(const Place& a, const Place& b) {
  if (a.run == 0 || a.runs == 0 || b.run == 0 || b.runs == 0) {
    return false;
  }
  const auto begin = [](const Place& at) { return reinterpret_cast<std::uintptr_t>(at.data); };
  const auto end = [&](const Place& at) { return begin(at) + (at.runs - 1) * at.stride + at.run; };
  if (begin(a) >= end(b) || begin(b) >= end(a)) {
    return false;
  }
  if ((a.runs == 1 && b.runs == 1) || (a.runs > 1 && b.runs > 1 && a.stride != b.stride)) {
    return true;
  }
  const std::uint64_t stride = a.runs > 1 ? a.stride : b.stride;
  const std::uint64_t after = begin(b) >= begin(a)
                                  ? (begin(b) - begin(a)) % stride
                                  : stride - 1 - (begin(a) - begin(b) - 1) % stride;
  return after < a.run || stride - after < b.run;
}

/// Throws InputError where `written` shares memory with one of `others`.
inline void check_apart(const Place& written, std::initializer_list<Place> others) {
  for (const Place& other : others) {
    if (share_memory(written, other)) {
      throw InputError(std::string(written.name) + " and " + other.name +
                       " share memory; what is written must lie apart");
    }
  }
}

/// The same for `others` and the arrays of `a`.
inline void check_apart(const Place& written, const CsrInput& a,
                        std::initializer_list<Place> others) {
  check_apart(written, others);
  check_apart(written, {place_of("row_ptr of A", a.row_ptr.data, a.row_ptr.type, a.rows + 1),
                        place_of("col_idx of A", a.col_idx.data, a.col_idx.type, a.nnz),
                        place_of("values of A", a.values.data, a.values.type, a.nnz)});
}

/// Throws InputError where an array of `out`, which passed check_csr_output, shares memory with an
/// array of `a` or another of `out`.
inline void check_csr_apart(const CsrInput& a, const CsrOutput& out, std::int64_t rows) {
  const Place row_ptr =
      place_of("row_ptr of the answer", out.row_ptr.data, out.row_ptr.type, rows + 1);
  const Place col_idx =
      place_of("col_idx of the answer", out.col_idx.data, out.col_idx.type, a.nnz);
  check_apart(row_ptr, a, {});
  check_apart(col_idx, a, {row_ptr});
  check_apart(place_of("values of the answer", out.values.data, out.values.type, a.nnz), a,
              {row_ptr, col_idx});
}

/// `a` where its values are not read.
inline CsrInput pattern_of(CsrInput a) {
  a.values = {};
  return a;
}

}  // namespace sparserepro
