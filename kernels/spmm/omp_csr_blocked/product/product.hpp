// Products of windows of rows with a tile of the columns of X, for one instruction set each:
// avx512.cpp, avx2.cpp and portable.cpp instantiate impl.hpp with its flags.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/types.hpp"
#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

namespace sparserepro::csr_blocks {

/// Where the columns of one tile lie.
struct Operands {
  const double* x{};  ///< first column of the tile; rows are k apart
  double* y{};        ///< the same of Y, in the first row of the window
  std::int64_t k{};
  int columns{};  ///< of the tile
  bool stream{};  ///< write whole, aligned vectors of Y past the caches
};

struct Kernels {
  /// The rows of `window` in Y.
  void (*window)(const Window& window, const Operands& operands);
  /// sums [columns] = sum over p < count of values[p] x_columns[p].
  void (*segment)(const double* values, const index_t* columns, std::int64_t count,
                  const Operands& operands, double* sums);
  /// `count` rows of a CSR matrix in Y: row i has the entries row_ptr[i] to row_ptr[i + 1].
  /// Unless `fetch` is none, `columns_ahead` columns behind those are readable.
  void (*csr)(const double* values, const index_t* columns, const std::int32_t* row_ptr,
              index_t count, const Operands& operands, Fetch fetch);
  void (*wide_csr)(const double* values, const index_t* columns, const std::int64_t* row_ptr,
                   index_t count, const Operands& operands, Fetch fetch);
  /// Units of the slices that `window` takes, by the rows of a unit less one.
  SliceLanes lanes;
};

struct InstructionSet {
  const char* name;
  int tile_columns;                              ///< most columns of a tile
  Kernels (*tile)(int columns, std::int64_t k);  ///< of a tile of 1 to tile_columns columns of K
  Kernels one_column;                            ///< for K = 1, of bundles without bands
};

/// Those that this processor has, the fastest first; never empty.
std::vector<InstructionSet> instruction_sets();

}  // namespace sparserepro::csr_blocks
