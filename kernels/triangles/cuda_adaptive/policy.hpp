// Which of its paths cuda_adaptive takes, and its tuned numbers.
#pragma once

#include <cstdint>

#include "formats/types.hpp"

namespace sparserepro {

/// prefix, middle: a thread, or a lane, per row; even: a warp per vertex; oriented: by degree.
enum class AdaptivePath { prefix, middle, even, oriented };

/// What survey_kernel finds out.
struct AdaptiveSurvey {
  std::uint64_t largest_group;  ///< entries of `group_rows` consecutive rows, at most
  std::uint64_t prefix_rows;    ///< rows that `prefix` reads for the sampled vertices
  std::uint64_t middle_rows;    ///< rows that `middle` reads for them
};

/// Floors on an H200, from its measured rates: 4.2 TB/s, 47 G random sectors/s from device memory,
/// 9 TB/s from L2. `prefix` reads the CSR once: 0.060 ms for the mesh of 2900^2, 0.080 for the road
/// of 24M vertices. `middle` on the permuted mesh adds a row pointer and 1.6 sectors of a row for
/// 1.29 rows a vertex: 0.45 ms. `even` on 1.05M vertices of 32 entries reads 8.4M rows of 5
/// sectors, two thirds from device memory: 0.3 ms. `oriented` gathers a rank for each entry: 0.05,
/// 0.2 and 0.8 ms for R-MAT 18, 20 and 22, and streams sum over edges of min d+ numbers.
///
/// Designs side by side on one H200, ms, the kernels alone in a program of their own:
///   mesh 1024^2, mesh 2900^2, road, each in natural order:
///     thread per vertex, merge of prefixes (here)        0.020  0.103  0.195
///     thread per vertex, row in registers                0.026  0.164  0.327
///     rows of 32 vertices spread over a warp's lanes     0.027  0.167  0.251
///   mesh 2900^2, permuted: prefix rule, merge 0.893; middle rule, merge 0.726, registers 0.529,
///     registers and rows spread over the lanes (here) 0.484
///   uniform, 32 entries a row: hash table 1.45, bit filter with two rows in flight 1.27, with four
///     (here) 1.13, with 16 lanes and 16-byte loads 1.19; oriented by degree 1.09 after 0.40 of
///     preparation
///   R-MAT 18, 20, 22: blocks of 256, two rows in flight (here) 0.69, 2.97, 17.2; one row 0.72,
///     3.22, 18.1; blocks of 512 0.73, 3.43, 19.0; blocks of 128 0.83, 3.19, 17.1; entries of 32
///     rows spread evenly over the lanes of a block's warps 1.18, 6.14, 35.3
/// By the driver, count and preparation: mesh 1024^2 0.016 + 0.026, mesh 2900^2 0.101 + 0.025,
/// permuted 0.507 + 0.024, road 0.175 + 0.035, uniform 1.128 + 0.023; R-MAT 18 0.754 + 0.182 and
/// R-MAT 20 3.43 + 0.445 with a branch at each test of the bitmap, without 0.634 + 0.194, 2.45 +
/// 0.468, and R-MAT 22 15.3 + 1.76.
struct DeviceAdaptivePolicy {
  static constexpr int threads = 256;

  /// The survey reads one row pointer of each group, so it bounds every degree at little cost.
  static constexpr int group_rows = 64;
  static constexpr int sampled_vertices = 4096;
  /// Rows are even when no group holds more entries than the larger of these: then every degree is
  /// at most that, and few are far above the mean.
  static constexpr std::uint64_t even_group = 8 * group_rows;
  static constexpr double even_excess = 2.0;
  static constexpr double short_mean = 12.0;  ///< entries a row up to which threads take rows
  static constexpr double even_mean = 64.0;   ///< and up to which warps take vertices as they are

  /// even: bits of a warp's filter; a set of 16 lets 0.4 % of other numbers pass.
  static constexpr int filter_words = 128;

  /// oriented: rows beyond this are oriented by a block, others by 16 lanes.
  static constexpr int long_row = 256;
  static constexpr int lanes_per_row = 16;
  static constexpr int orient_threads = 512;
  /// Out-degree up to which a warp counts with a hash table of its own; 32 and 128 are slower by
  /// 1 to 6 % and by 15 % (R-MAT).
  static constexpr int table_set = 64;
  static constexpr int table_slots = 4 * table_set;
  /// Neighbours that one warp or one block works through for one vertex; hubs are split.
  static constexpr int warp_chunk = 512, block_chunk = 2048;
  /// Words of a block's bitmap at most: 8 blocks of 256 threads share a multiprocessor. Vertices of
  /// larger ranks take windows of it.
  static constexpr int bitmap_words = 6600;
  /// Rows up to this length are read by one lane each, longer ones by the warp.
  static constexpr std::uint32_t lane_row = 8;
};

inline AdaptivePath choose_path(index_t vertices, std::int64_t stored,
                                const AdaptiveSurvey& survey) {
  const double mean = static_cast<double>(stored) / vertices;
  const double even = DeviceAdaptivePolicy::even_excess * DeviceAdaptivePolicy::group_rows * mean;
  const auto largest = static_cast<double>(survey.largest_group);
  if (mean > DeviceAdaptivePolicy::even_mean ||
      (largest > even && survey.largest_group > DeviceAdaptivePolicy::even_group)) {
    return AdaptivePath::oriented;
  }
  if (mean > DeviceAdaptivePolicy::short_mean) {
    return AdaptivePath::even;
  }
  return survey.middle_rows < survey.prefix_rows ? AdaptivePath::middle : AdaptivePath::prefix;
}

}  // namespace sparserepro
