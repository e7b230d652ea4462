// Compressed sparse row: owner and view.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>

#include "formats/available_cores.hpp"
#include "formats/buffer.hpp"
#include "formats/error.hpp"
#include "formats/types.hpp"

namespace sparserepro {

/// Non-owning CSR matrix; passed by value, valid on the host or on a device.
template <class Offset, class Value>
struct CsrView {
  index_t rows{}, cols{};
  Offset nnz{};              ///< stored entries, explicit zeros and duplicates included
  const Offset* row_ptr{};   ///< [rows+1], row_ptr[0] == 0, non-decreasing
  const index_t* col_idx{};  ///< [nnz], each in [0, cols)
  const Value* values{};     ///< [nnz]; nullptr for `Pattern`
};

/// Owning CSR matrix on the host.
template <class Offset, class Value>
struct Csr {
  using offset_type = Offset;
  using value_type = Value;

  index_t rows{}, cols{};
  Buffer<Offset> row_ptr{Offset{0}};  ///< [rows+1]
  Buffer<index_t> col_idx;            ///< [nnz]
  Buffer<Value> values;               ///< [nnz]; empty for `Pattern`

  Csr() = default;
  /// Sizes all arrays for `nnz` entries and leaves them uninitialised.
  Csr(index_t row_count, index_t col_count, Offset nnz) : rows(row_count), cols(col_count) {
    row_ptr.resize(static_cast<std::size_t>(row_count) + 1);
    col_idx.resize(static_cast<std::size_t>(nnz));
    if constexpr (has_values<Value>) {
      values.resize(static_cast<std::size_t>(nnz));
    }
  }

  Offset nnz() const { return static_cast<Offset>(col_idx.size()); }
  CsrView<Offset, Value> view() const {
    return {rows,           cols,           nnz(),
            row_ptr.data(), col_idx.data(), has_values<Value> ? values.data() : nullptr};
  }

  /// Throws FormatError that names the first broken invariant. O(rows + nnz).
  void validate() const {
    if (rows < 0 || cols < 0) {
      throw FormatError("CSR: negative dimension");
    }
    if (row_ptr.size() != static_cast<std::size_t>(rows) + 1) {
      throw FormatError("CSR: row_ptr has " + std::to_string(row_ptr.size()) + " elements for " +
                        std::to_string(rows) + " rows");
    }
    if (row_ptr.front() != 0 || row_ptr.back() != nnz()) {
      throw FormatError("CSR: row_ptr must run from 0 to nnz");
    }
    for (index_t i = 0; i < rows; ++i) {
      if (row_ptr[i] > row_ptr[i + 1]) {
        throw FormatError("CSR: row_ptr decreases at row " + std::to_string(i));
      }
    }
    for (std::size_t p = 0; p < col_idx.size(); ++p) {
      if (col_idx[p] < 0 || col_idx[p] >= cols) {
        throw FormatError("CSR: column " + std::to_string(col_idx[p]) + " outside [0, " +
                          std::to_string(cols) + ") at entry " + std::to_string(p));
      }
    }
    if (has_values<Value> && values.size() != col_idx.size()) {
      throw FormatError("CSR: values and col_idx differ in length");
    }
  }
};

/// Throws InputError where so many entries do not fit row pointers of type `Offset`.
template <class Offset>
void require_offsets(std::int64_t nnz) {
  if (nnz > std::numeric_limits<Offset>::max()) {
    throw InputError(std::to_string(nnz) + " entries do not fit " +
                     std::to_string(8 * sizeof(Offset)) + "-bit row pointers; offset_bits = 64 " +
                     "makes them wide");
  }
}

/// Copies `a` with other offset and value types. Throws InputError when nnz does not fit `Offset`.
/// Values are narrowed by static_cast; a `Pattern` source gives ones.
template <class Offset, class Value, class FromOffset, class FromValue>
Csr<Offset, Value> csr_cast(const Csr<FromOffset, FromValue>& a) {
  const auto nnz = static_cast<std::int64_t>(a.nnz());
  require_offsets<Offset>(nnz);
  Csr<Offset, Value> out(a.rows, a.cols, static_cast<Offset>(nnz));
  const int threads = available_cores();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i <= a.rows; ++i) {
    out.row_ptr[i] = static_cast<Offset>(a.row_ptr[i]);
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t p = 0; p < nnz; ++p) {
    out.col_idx[p] = a.col_idx[p];
    if constexpr (has_values<Value> && has_values<FromValue>) {
      out.values[p] = static_cast<Value>(a.values[p]);
    } else if constexpr (has_values<Value>) {
      out.values[p] = Value{1};
    }
  }
  return out;
}

}  // namespace sparserepro
