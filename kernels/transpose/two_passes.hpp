// Whether an algorithm that distributes entries to columns through memory private to a core has to
// move every entry twice.
//
// A pass reads a tile of entries into private memory, orders it by column there, and writes each
// column's entries of the tile as one run. A run of less than a memory sector costs a whole one,
// so one pass is enough only if the tiles of A hold several entries of each column that they meet;
// else a first pass gathers columns into buckets and a second one orders each bucket. The count of
// passes is that of sorting and permuting in external memory: A. Aggarwal and J. S. Vitter,
// The input/output complexity of sorting and related problems, CACM 31(9), 1988. docs/bounds.md
// has the derivation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/ceil_div.hpp"
#include "formats/csr.hpp"

namespace sparserepro {

/// Bytes of entries in a tile: the largest memory private to a core, a second-level cache of a
/// server's processor. GPUs have about a tenth of it, so what holds here holds there.
constexpr std::int64_t two_passes_tile_bytes = std::int64_t{2} << 20;
/// Entries of a run that fill a sector: 8 row indices of 4 bytes are 32 bytes.
constexpr double two_passes_run = 8;

/// Entries of a tile per column that occurs in it; the mean over at most 16 tiles of `tile`
/// consecutive entries, spread evenly over the matrix. 0 without entries.
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

/// False for matrices of few columns, for bands and other matrices with locality, where the tiles'
/// runs are long, and for matrices of one tile.
template <class Offset, class Value>
bool needs_two_passes(const Csr<Offset, Value>& a) {
  const auto entry = static_cast<std::int64_t>(sizeof(index_t) + value_bytes<Value>);
  const std::int64_t tile = two_passes_tile_bytes / entry;
  return a.nnz() > tile && entries_per_column_of_a_tile(a, tile) < two_passes_run;
}

}  // namespace sparserepro
