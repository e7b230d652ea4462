// What the structure of a matrix tells about how the algorithms will fare on it.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/csr.hpp"

namespace sparserepro {

/// Rows (or columns) whose length is in [from, to].
struct LengthBin {
  std::int64_t from{}, to{}, count{};
};

/// Distribution of the entries per row, or per column. All zero when there are none.
struct LengthSummary {
  std::int64_t min{}, max{};
  double q1{}, median{}, q3{};  ///< quantiles, linear between order statistics
  double mean{}, stddev{};      ///< of the whole population, not of a sample
  std::int64_t empty{};
  /// [0, 0], [1, 1], [2, 3], [4, 7], ... without gaps up to the bin of `max`.
  std::vector<LengthBin> histogram;
};

LengthSummary summarise_lengths(const std::vector<std::int64_t>& lengths);

struct MatrixStats {
  LengthSummary row_length, col_length;  ///< stored entries
  std::int64_t duplicates{};             ///< stored entries whose position is stored before
  std::int64_t bandwidth{};              ///< max |i - j|
  double padding_factor{};               ///< rows * longest row / stored; 0 without entries
  bool pattern_symmetric{};              ///< (i, j) is stored iff (j, i) is; false unless square
};

/// Statistics of `a`, whose rows must ascend by column. Work O(nnz log(longest row) + rows + cols),
/// shared by `threads` threads; <= 0: one per processor of the affinity mask.
MatrixStats matrix_stats(const Csr<std::int64_t, double>& a, int threads = 0);

}  // namespace sparserepro
