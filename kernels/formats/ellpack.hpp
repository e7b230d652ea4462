// ELLPACK, padded to the longest row and unpadded.
#pragma once

#include <cstdint>
#include <string>

#include "formats/buffer.hpp"
#include "formats/types.hpp"

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

/// Padded slots per stored entry; 1 for a matrix without entries.
inline double padding_factor(std::int64_t rows, std::int64_t width, std::int64_t stored) {
  return stored == 0
             ? 1.0
             : static_cast<double>(rows) * static_cast<double>(width) / static_cast<double>(stored);
}

/// Bytes that one padded matrix may take: a bench keeps several of them side by side.
inline constexpr std::int64_t max_ellpack_bytes = std::int64_t{2} << 30;

/// "" or why the padded arrays are too large to build.
inline std::string padding_refusal(std::int64_t rows, std::int64_t width, std::int64_t stored) {
  if (width == 0 || rows <= max_ellpack_bytes / ellpack_bytes(1, width)) {
    return "";
  }
  const double mib =
      static_cast<double>(rows) * static_cast<double>(ellpack_bytes(1, width)) / (1 << 20);
  return "padding every row to " + std::to_string(width) + " entries stores " +
         std::to_string(static_cast<std::int64_t>(padding_factor(rows, width, stored))) +
         " times the entries (padding factor) in " +
         std::to_string(static_cast<std::int64_t>(mib)) + " MiB; the limit is " +
         std::to_string(max_ellpack_bytes / (1 << 20)) + " MiB";
}

}  // namespace sparserepro
