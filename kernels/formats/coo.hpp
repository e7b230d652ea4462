// Coordinate list, in the order of the file or generator.
#pragma once

#include <cstdint>

#include "formats/buffer.hpp"
#include "formats/types.hpp"

namespace sparserepro {

/// Owning COO matrix on the host; entries in any order, duplicates allowed.
struct Coo {
  index_t rows{}, cols{};
  Buffer<index_t> row_idx;  ///< [nnz]
  Buffer<index_t> col_idx;  ///< [nnz]
  Buffer<double> values;    ///< [nnz]; empty for a pattern

  std::int64_t nnz() const { return static_cast<std::int64_t>(row_idx.size()); }
  bool pattern() const { return values.empty() && !row_idx.empty(); }
};

}  // namespace sparserepro
