// Dense matrices of any layout and stride beside those that products take in place: rows without
// gaps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sparserepro/arrays.hpp"

namespace sparserepro {

/// Elements from a row to the next, and from a column to the next.
struct Steps {
  std::int64_t row, column;
};

/// Of a DenseInput or DenseOutput.
template <class Matrix>
Steps steps_of(const Matrix& m) {
  return m.layout == DenseLayout::row_major ? Steps{m.stride, 1} : Steps{1, m.stride};
}

/// Whether its rows follow each other without gaps; a single column is so in either layout.
template <class Matrix>
bool is_packed(const Matrix& m) {
  return m.cols == 1 ? steps_of(m).row == 1
                     : m.layout == DenseLayout::row_major && m.stride == m.cols;
}

/// to(i, j) = from(i, j), in tiles, so that lines of both sides are used as a whole.
template <class T>
void copy_dense(const T* from, Steps from_steps, T* to, Steps to_steps, std::int64_t rows,
                std::int64_t cols, int threads) {
  constexpr std::int64_t tile_rows = 64, tile_cols = 32;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t first = 0; first < rows; first += tile_rows) {
    const std::int64_t last = std::min(first + tile_rows, rows);
    for (std::int64_t column = 0; column < cols; column += tile_cols) {
      const std::int64_t end = std::min(column + tile_cols, cols);
      for (std::int64_t i = first; i < last; ++i) {
        for (std::int64_t j = column; j < end; ++j) {
          to[i * to_steps.row + j * to_steps.column] =
              from[i * from_steps.row + j * from_steps.column];
        }
      }
    }
  }
}

}  // namespace sparserepro
