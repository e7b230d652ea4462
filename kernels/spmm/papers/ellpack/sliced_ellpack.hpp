// Format SELL-C-sigma: rows are sorted by length within windows of sigma rows and divided into
// slices of C rows. Each slice is padded to its longest row and stored column by column.
// Source: M. Kreutzer, G. Hager, G. Wellein, H. Fehske, A. R. Bishop, "A unified sparse matrix data
// format for efficient general sparse matrix-vector multiplication on modern processors with wide
// SIMD units", SISC 36(5), 2014. One slice of all rows, unsorted, gives column-major ELLPACK.
#pragma once

#include <cstdint>
#include <string>

#include "formats/buffer.hpp"
#include "formats/types.hpp"
#include "spmm/spmm.hpp"

namespace sparserepro {

/// Place p, of slice s = p / C, holds row `row[p]`; its entry e lies at slice_ptr[s] + e C + p % C.
/// Places p >= rows of the last slice hold no row. Padding has value 0 and the column of the last
/// entry of the row, or 0 in an empty row.
struct SlicedEllpack {
  index_t rows{}, cols{};
  std::int64_t slice_height{};      ///< C
  Buffer<std::int64_t> slice_ptr;   ///< [slices + 1]
  Buffer<index_t> row, row_length;  ///< [rows], by place
  Buffer<index_t> col_idx;          ///< [slice_ptr[slices]]
  Buffer<double> values;            ///< [slice_ptr[slices]]
};

/// A in SELL-C-sigma with C = slice_height; the sort is stable, longest rows first. Requires
/// slice_height >= 1 and sigma >= 1.
SlicedEllpack make_sliced_ellpack(const SpmmProblem& problem, std::int64_t slice_height,
                                  std::int64_t sigma);

std::int64_t stored_bytes(const SlicedEllpack& a);

/// "" or, if the padded slices are too large, a message that says so.
std::string sliced_ellpack_refusal(const SpmmProblem& problem, std::int64_t slice_height,
                                   std::int64_t sigma);

}  // namespace sparserepro
