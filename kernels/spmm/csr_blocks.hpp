// Products of ranges of rows with a tile of the columns of X, for one instruction set each: what
// omp_csr_blocked gives its threads to do. csr_blocks_<instruction set>.cpp instantiate
// csr_blocks_impl.hpp with the compiler's flags for that set.
#pragma once

#include <cstdint>
#include <vector>

#include "core/csr.hpp"

namespace sparserepro::csr_blocks {

/// Y = A X in the columns of one tile.
template <class Offset>
struct Operands {
  CsrView<Offset, double> a;
  const double* x{};  ///< first column of the tile: [a.cols] rows, k apart
  double* y{};        ///< the same of Y: [a.rows] rows, k apart
  std::int64_t k{};
  bool stream{};  ///< write whole, aligned vectors of Y past the caches
};

template <class Offset>
struct Kernels {
  /// Rows [first, last) of Y in `columns` columns.
  void (*rows)(const Operands<Offset>& operands, index_t first, index_t last, int columns);
  /// sums [columns] = what the entries [begin, end), all of one row, add to that row of Y.
  void (*segment)(const Operands<Offset>& operands, Offset begin, Offset end, int columns,
                  double* sums);
};

template <class Offset>
struct InstructionSet {
  const char* name;
  int tile_columns;                      ///< most columns of a tile
  Kernels<Offset> (*tile)(int columns);  ///< of a tile of 1 to tile_columns columns
  Kernels<Offset> one_column;            ///< for K = 1
};

/// Those that this processor has, the widest first; never empty.
template <class Offset>
std::vector<InstructionSet<Offset>> instruction_sets();

}  // namespace sparserepro::csr_blocks
