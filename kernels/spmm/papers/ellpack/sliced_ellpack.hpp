// SELL-C-sigma: rows sorted by length within windows of sigma rows, cut into slices of C rows, and
// each slice stored by columns, padded to its longest row.
// Source: M. Kreutzer, G. Hager, G. Wellein, H. Fehske, A. R. Bishop, "A unified sparse matrix data
// format for efficient general sparse matrix-vector multiplication on modern processors with wide
// SIMD units", SISC 36(5), 2014. One slice of all rows, unsorted, is column-major ELLPACK.
#pragma once

#include <cstdint>
#include <string>

#include "formats/buffer.hpp"
#include "formats/types.hpp"
#include "spmm/spmm.hpp"

namespace sparserepro {

/// Place p of slice s = p / C holds row `row[p]`; its entry e is at slice_ptr[s] + e C + p % C.
/// Places beyond the last row of the last slice hold no row. Padding has value 0 and the column of
/// the row's last entry, or 0.
struct SlicedEllpack {
  index_t rows{}, cols{};
  std::int64_t slice_height{};      ///< C
  Buffer<std::int64_t> slice_ptr;   ///< [slices + 1]
  Buffer<index_t> row, row_length;  ///< [rows], by place
  Buffer<index_t> col_idx;          ///< [slice_ptr[slices]]
  Buffer<double> values;            ///< [slice_ptr[slices]]
};

/// Requires slice_height >= 1 and sigma >= 1; sorting is stable, longest rows first.
SlicedEllpack make_sliced_ellpack(const SpmmProblem& problem, std::int64_t slice_height,
                                  std::int64_t sigma);

std::int64_t stored_bytes(const SlicedEllpack& a);

/// "" or why the padded slices are too large.
std::string sliced_ellpack_refusal(const SpmmProblem& problem, std::int64_t slice_height,
                                   std::int64_t sigma);

}  // namespace sparserepro
