// Products of windows of rows with a tile of the columns of X, for one instruction set each:
// avx512.cpp, avx2.cpp and portable.cpp instantiate impl.hpp with its flags.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "formats/small_floats.hpp"
#include "formats/types.hpp"
#include "spmm/omp_csr_blocked/layout/row_bundles.hpp"

namespace sparserepro::csr_blocks {

/// Of sums of products of elements.
template <class Element>
using SumOf = typename sparserepro::SumOf<Element>::Type;

[[gnu::always_inline]] inline double widened(double element) {
  return element;
}
template <class Element>
[[gnu::always_inline]] inline float widened(Element element) {
  return to_float(element);
}

/// Where the columns of one tile lie.
template <class Element>
struct Operands {
  const Element* x{};   ///< first column of the tile; rows are k apart
  SumOf<Element>* y{};  ///< the same of Y, in the first row of the window
  std::int64_t k{};
  int columns{};   ///< of the tile
  bool stream{};   ///< write whole, aligned vectors of Y past the caches
  bool fetch{};    ///< ask for the row of X of each entry, ahead of its product
  bool far{};      ///< long rows of X are prefetched into the L2 cache
  bool fetch_y{};  ///< ask for rows of Y ahead, where they do not follow each other
};

template <class Element>
struct Kernels {
  /// The rows of `window`, whose values these are, in Y.
  void (*window)(const Window& window, const Element* values, const Operands<Element>& operands);
  /// `count` rows of a CSR matrix in Y: row i has the entries row_ptr[i] to row_ptr[i + 1].
  /// With `fetch` `columns_ahead` columns behind those are readable.
  void (*csr)(const Element* values, const index_t* columns, IndexArray row_ptr, index_t count,
              const Operands<Element>& operands);
  /// Units of the slices that `window` takes, by the rows of a unit less one.
  SliceLanes lanes;
  bool diagonals{};  ///< whether `window` takes Layout::diagonals
  bool jagged{};     ///< and Layout::jagged
};

template <class Element>
struct InstructionSet {
  const char* name;
  int vector_columns;                     ///< least columns of a tile of a wider X
  int tile_columns;                       ///< most columns of a tile
  Kernels<Element> (*tile)(int columns);  ///< of a tile of 2 to tile_columns columns
  Kernels<Element> one_column;            ///< for K = 1, of bundles without bands
  /// y = alpha sums + beta y for `size` elements, rounded once; with beta = 0 none of y is read.
  void (*put)(const SumOf<Element>* sums, std::int64_t size, SumOf<Element> alpha,
              SumOf<Element> beta, Element* y);
};

using InstructionSets = std::tuple<InstructionSet<double>, InstructionSet<float>,
                                   InstructionSet<Half>, InstructionSet<Bfloat>>;

/// Those that this processor has, the fastest first; never empty.
std::vector<InstructionSets> all_instruction_sets();

template <class Element>
InstructionSet<Element> fastest_set() {
  return std::get<InstructionSet<Element>>(all_instruction_sets().front());
}

}  // namespace sparserepro::csr_blocks
