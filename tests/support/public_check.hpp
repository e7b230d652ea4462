// What tests of the public functions share: values that tell entries apart in every width, the
// answer that they lead to, and the text of a refusal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "formats/csr.hpp"
#include "formats/matrix.hpp"
#include "sparserepro/error.hpp"
#include "transpose/transpose.hpp"

namespace sparserepro::testing {

/// The value of entry p.
template <class Value>
Value stamp(std::int64_t p) {
  return static_cast<Value>(p * 2654435761U);
}

/// `matrix` with the numbers of its entries as values.
inline Csr<std::int64_t, double> numbered(const Matrix& matrix) {
  const auto& csr = matrix.csr;
  Csr<std::int64_t, double> out(csr.rows, csr.cols, csr.nnz());
  std::copy(csr.row_ptr.begin(), csr.row_ptr.end(), out.row_ptr.begin());
  std::copy(csr.col_idx.begin(), csr.col_idx.end(), out.col_idx.begin());
  for (std::int64_t p = 0; p < csr.nnz(); ++p) {
    out.values[p] = static_cast<double>(p);
  }
  return out;
}

/// Whether pointers and columns of any width are those of `wanted`.
template <class Pointers, class Columns>
bool same_pattern(const Csr<std::int64_t, double>& wanted, const Pointers* row_ptr,
                  const Columns* col_idx) {
  bool same = true;
  for (std::size_t c = 0; c < wanted.row_ptr.size(); ++c) {
    same = same && row_ptr[c] == static_cast<Pointers>(wanted.row_ptr[c]);
  }
  for (std::size_t q = 0; q < wanted.col_idx.size(); ++q) {
    same = same && col_idx[q] == static_cast<Columns>(wanted.col_idx[q]);
  }
  return same;
}

/// Whether `values` are the stamps of the entries that `wanted` names, moved on by `shift`.
template <class Value>
bool stamped(const Csr<std::int64_t, double>& wanted, const Value* values, std::int64_t shift = 0) {
  bool same = true;
  for (std::size_t q = 0; q < wanted.values.size(); ++q) {
    same = same && values[q] == stamp<Value>(static_cast<std::int64_t>(wanted.values[q]) + shift);
  }
  return same;
}

/// The text of the InputError that `call` throws, or "".
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace sparserepro::testing
