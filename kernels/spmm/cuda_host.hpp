// Work on the host for products on the device, by all cores. It is apart since device sources are
// compiled without OpenMP.
#pragma once

#include <cstdint>

#include "formats/csr.hpp"
#include "formats/dense.hpp"

namespace sparserepro {

/// Y [rows * k] as a matrix of its own, on huge pages where the system grants them.
Dense dense_of(const Buffer<double>& y, std::int64_t rows, std::int64_t k);
Dense dense_of(const Buffer<float>& y, std::int64_t rows, std::int64_t k);

/// Position of an element of Y.
struct SpmmItem {
  index_t row;
  index_t col;
};

/// Positions of all elements of Y: first those of rows with fewer than `threshold` entries, then
/// the others, each group row by row.
struct SpmmItems {
  Buffer<SpmmItem> list;       ///< [rows * k]
  std::int64_t short_items{};  ///< elements of short rows
};

/// The elements of Y for A with `k` columns of X.
SpmmItems items_by_row_length(const Csr<std::int32_t, double>& a, std::int64_t k,
                              std::int64_t threshold);
SpmmItems items_by_row_length(const Csr<std::int64_t, double>& a, std::int64_t k,
                              std::int64_t threshold);

}  // namespace sparserepro
