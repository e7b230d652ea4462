// Steps on the host of products on the device, by all cores: device sources are compiled without
// OpenMP.
#pragma once

#include <cstdint>

#include "formats/csr.hpp"
#include "formats/dense.hpp"

namespace sparserepro {

Dense copy_of(const Dense& y);

/// An element of Y.
struct SpmmItem {
  index_t row;
  index_t col;
};

/// All elements of Y, those of rows with fewer than `threshold` entries first, else row by row.
struct SpmmItems {
  Buffer<SpmmItem> list;       ///< [rows * k]
  std::int64_t short_items{};  ///< how many are of short rows
};

SpmmItems items_by_row_length(const Csr<std::int32_t, double>& a, std::int64_t k,
                              std::int64_t threshold);
SpmmItems items_by_row_length(const Csr<std::int64_t, double>& a, std::int64_t k,
                              std::int64_t threshold);

}  // namespace sparserepro
