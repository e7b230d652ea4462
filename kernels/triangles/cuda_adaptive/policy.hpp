// The tuned numbers of cuda_adaptive, and which of its paths a survey leads to.
#pragma once

#include <cstdint>

#include "formats/types.hpp"
#include "sparserepro/device/triangles.hpp"

namespace sparserepro {

using AdaptivePath = device::TrianglePath;

/// What survey_kernel finds out.
struct AdaptiveSurvey {
  std::uint64_t largest_group;  ///< entries of `group_rows` consecutive rows, at most
  std::uint64_t prefix_rows;    ///< rows that `prefix` reads for the sampled vertices
  std::uint64_t middle_rows;    ///< rows that `middle` reads for them
};

struct DeviceAdaptivePolicy {
  /// R-MAT 18, 20, 22 on an H200, ms: 256 threads 0.69, 2.97, 17.2; 512: 0.73, 3.43, 19.0; 128:
  /// 0.83, 3.19, 17.1.
  static constexpr int threads = 256;

  // Survey
  /// One row pointer of each group of rows is read: 0.02 ms on 8.4M vertices.
  static constexpr int group_rows = 64;
  static constexpr int sampled_vertices = 4096;

  // Choice of the path
  /// Rows are even when no group holds more entries than the larger of `even_group` and
  /// `even_excess` times the mean: then every degree is at most that, and few are far above the
  /// mean.
  static constexpr std::uint64_t even_group = 8 * group_rows;
  static constexpr double even_excess = 2.0;
  static constexpr double short_mean = 12.0;  ///< entries a row up to which threads take rows
  static constexpr double even_mean = 64.0;   ///< and up to which warps take vertices as they are

  // Path even
  /// Words of a warp's filter; a set of 16 numbers lets 0.4 % of other numbers pass.
  static constexpr int filter_words = 128;

  // Path oriented
  static constexpr int prepare_threads = 1024;
  /// Degrees that are ranked alike: equal ones below 8, then four classes an octave. On R-MAT,
  /// power-law and uniform graphs the work is within 1 % of that with exact degrees.
  static constexpr unsigned degree_classes = 128;
  /// Rows of at least so many entries are oriented in pieces of `2 * long_row` by a warp each,
  /// shorter ones many by a warp. A power of two: a class begins there.
  static constexpr int long_row = 128;
  /// Entries that a warp's short rows have together, about.
  static constexpr int batch_entries = 512;
  /// Kept neighbours up to which a warp counts with a hash table; 32 and 128: 1 to 6 % and 15 %
  /// slower (R-MAT, H200).
  static constexpr int table_set = 64;
  static constexpr int table_slots = 4 * table_set;
  /// Entries of the segment of a row that one warp or one block takes.
  static constexpr int warp_segment = 512, block_segment = 2048;
  /// Words of a block's bitmap at most: 8 blocks of 256 threads share the 228 KiB of a
  /// multiprocessor.
  static constexpr int bitmap_words = 6600;
  /// Rows of kept neighbours up to this length are read by one lane each, longer ones by the warp.
  static constexpr std::uint32_t lane_row = 8;
};

constexpr AdaptivePath choose_path(index_t vertices, std::int64_t stored,
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
