// Whether an algorithm that sorts entries by column in memory private to a core must move every
// entry twice.
//
// A pass reads a tile of entries into private memory, sorts it by column there, and writes the
// entries of each column in the tile as one run. A run shorter than a memory sector costs a whole
// sector. One pass therefore suffices only if a tile has several entries of each column that occurs
// in it; otherwise a first pass moves entries to buckets of columns, and a second one sorts each
// bucket. The passes are those of sorting and permuting in external memory: A. Aggarwal and
// J. S. Vitter, The input/output complexity of sorting and related problems, CACM 31(9), 1988.
// docs/bounds.md has the derivation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/ceil_div.hpp"
#include "formats/csr.hpp"

namespace sparserepro {

/// Bytes of entries in a tile: the size of a large memory private to a core, the L2 cache of a
/// server's processor. A GPU's shared memory is about a tenth of it, so that its tiles have even
/// fewer entries a column.
constexpr std::int64_t two_passes_tile_bytes = std::int64_t{2} << 20;
/// Entries of a run that fill a sector of 32 bytes: 8 row indices of 4 bytes.
constexpr double two_passes_run = 8;

/// Entries of a tile divided by columns that occur in it, over at most 16 tiles of `tile`
/// consecutive entries that are evenly distributed over the matrix. 0 for a matrix without entries.
template <class Offset, class Value>
double entries_per_column_of_a_tile(const Csr<Offset, Value>& a, std::int64_t tile) {
  constexpr std::int64_t most_tiles = 16;
  const std::int64_t all = ceil_div(a.nnz(), tile);
  const std::int64_t tiles = std::min(all, most_tiles);
  std::vector<std::int8_t> met(static_cast<std::size_t>(a.cols), -1);  // last tile, below 16
  std::int64_t entries = 0, columns = 0;
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::int64_t begin = t * all / tiles * tile;
    const std::int64_t end = std::min(begin + tile, static_cast<std::int64_t>(a.nnz()));
    for (std::int64_t p = begin; p < end; ++p) {
      std::int8_t& last = met[a.col_idx[p]];
      columns += last != t;
      last = static_cast<std::int8_t>(t);
    }
    entries += end - begin;
  }
  return columns == 0 ? 0.0 : static_cast<double>(entries) / static_cast<double>(columns);
}

/// Whether tiles have fewer than two_passes_run entries a column. False for a matrix of one tile,
/// of few columns, or with locality, as a band.
template <class Offset, class Value>
bool needs_two_passes(const Csr<Offset, Value>& a) {
  const auto entry = static_cast<std::int64_t>(sizeof(index_t) + value_bytes<Value>);
  const std::int64_t tile = two_passes_tile_bytes / entry;
  return a.nnz() > tile && entries_per_column_of_a_tile(a, tile) < two_passes_run;
}

}  // namespace sparserepro
