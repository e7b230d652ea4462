// ELLPACK, padded to the longest row and unpadded.
#pragma once

#include <cstdint>

#include "core/buffer.hpp"
#include "core/types.hpp"

namespace sparserepro {

/// Row-major ELLPACK padded with zeros: row i occupies slots [i*width, (i+1)*width).
/// A padding slot holds value 0 and repeats the row's last column (or 0 in an empty row), so that
/// it reads an element of X that the row reads anyway. row_length tells padding from entries;
/// the seed told them by equal neighbouring columns, which mistakes duplicates for padding.
struct Ellpack {
  index_t rows{}, cols{};
  index_t width{};             ///< longest row
  Buffer<index_t> row_length;  ///< [rows] stored entries
  Buffer<index_t> col_idx;     ///< [rows * width]
  Buffer<double> values;       ///< [rows * width]
};

/// ELLPACK without padding: row i occupies slots [row_offset[i], row_offset[i] + row_length[i]).
struct EllpackNoPadding {
  index_t rows{}, cols{};
  Buffer<index_t> row_length;       ///< [rows]
  Buffer<std::int64_t> row_offset;  ///< [rows], exclusive prefix sum of row_length
  Buffer<index_t> col_idx;          ///< [nnz]
  Buffer<double> values;            ///< [nnz]
};

/// Bytes of the padded arrays: rows * width * (index + value).
inline std::int64_t ellpack_bytes(std::int64_t rows, std::int64_t width) {
  return rows * width * static_cast<std::int64_t>(sizeof(index_t) + sizeof(double));
}

}  // namespace sparserepro
