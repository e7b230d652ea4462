// Dense matrix, row-major.
#pragma once

#include <cstdint>

#include "formats/buffer.hpp"

namespace sparserepro {

/// Owning row-major matrix: element (i, j) at data[i * cols + j].
struct Dense {
  std::int64_t rows{}, cols{};
  Buffer<double> data;  ///< [rows * cols]

  Dense() = default;
  /// Leaves the elements uninitialised.
  Dense(std::int64_t row_count, std::int64_t col_count) : rows(row_count), cols(col_count) {
    data.resize(static_cast<std::size_t>(row_count * col_count));
  }
  double& operator()(std::int64_t i, std::int64_t j) { return data[i * cols + j]; }
  double operator()(std::int64_t i, std::int64_t j) const { return data[i * cols + j]; }
};

}  // namespace sparserepro
