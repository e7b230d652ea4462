// The tuned numbers of paths blocks and flat of cuda_csr_balanced and of rows that count as even;
// paths.hpp applies them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sparserepro {

/// Figures as in BalancedPolicy.
struct PathPolicy {
  /// The longest row, in means of the rows with entries, up to which rows are even where many have
  /// none (one in `least_empty`), but for path flat from so many lanes on, or odd K. In bins or
  /// flat, then packed or natural, K = 2, 3, 7, 31, 128: 77 % empty, others of 4: 132, 180, 324,
  /// 778, 1814; 76, 120, 222, 537, 1664; 60 %, 8: 69, 92, 175, 517, 1335; 46, 57, 145, 417, 1258; K
  /// = 8, 16 flat 118, 186, packed 127, 204; in fp32, K = 1, 3: 48, 79; 36, 46.
  static constexpr double most_alike_length = 6;
  static constexpr std::int64_t least_empty = 4, least_alike_lanes = 4, most_odd_alike = 7;
  /// Entries a row in the mean, the longest row in means, and rows from which a block takes one.
  /// Before, so, K = 1, 3, 8, 24, 31, 64: 731 rows of 951: 9.4, 11.8, 9.9, 23.7, 27.7, 44.9; 9.3,
  /// 9.7, 10.4, 18.2, 25.0, 40.4; 2050 of 3483: 63, 70, 88, 277, 429, 749; 60, 67, 70, 165, 224,
  /// 428; 250 of 1600: 8.1, 10.0, 9.8, 17.9, 19.5, 34.0; 7.0, 7.6, 7.9, 13.6, 16.9, 27.4; K = 2
  /// 1.04 times as fast in the mean of 11 such matrices, in fp32, K = 1, 2, 4, 1.09, 1.03, 1.00.
  /// 150 rows of 20,000, K = 3, 8, 64: 33, 36, 205; 38, 45, 244. 2000 of 60, K = 48: 9.5, 10.8.
  static constexpr std::int64_t least_block_mean = 120, halved_block_mean = 100,
                                most_block_length = 4;
  static constexpr std::int64_t least_block_rows = 200;
  /// Most columns with which rows of a dense matrix, from 1 / `dense` of the columns on, go so,
  /// unless they are less than `few_rows`: X lies near. 2000 rows of 400 in 2000 columns, K = 12,
  /// 16, 24, 32, 64: 15.2, 14.9, 18.1, 21.0, 33.5; 12.9, 15.1, 21.3, 25.0, 45.3; in fp32, K = 24,
  /// 32, 1.09, 0.89 times as fast.
  static constexpr std::int64_t dense = 32;
  static constexpr std::int64_t most_dense_columns(std::size_t element_bytes) {
    return element_bytes == 8 ? 16 : 24;
  }
  /// Entries a row and rows of a far matrix from which more rows than the device holds at once go
  /// so, and the most columns. Before, so, K = 3, 8, 16, 24: 13,900 rows of 179: 37, 53, 78, 114;
  /// 30, 50, 71, 115; 20,000 of 500: 104, 174, 258, 337; 95, 148, 227, 368; 12,000 of 130, K = 4,
  /// 8: 0.93 as fast. K = 5, 7 in fp64 from fewer rows on: 5000 of 300 25.8, 28.1; 20.5, 22.8; 6000
  /// of 150 15.5, 16.9; 12.7, 14.4; dense, 8192 of 410 28.8, 31.4; 32.7, 35.7. No mean between 70,
  /// where it takes longer, and 125 was measured.
  /// K = 3 too, dense as well: 12,000 of 130 20.2, 15.7; 8192 of 410 35.4, 22.1; 5000 of 300 17.8,
  /// 16.9; in fp32 17.8, 15.4; 21.0, 16.5; 17.0, 14.4.
  static constexpr std::int64_t far_block_mean = 150, many_block_rows = 8000;
  static constexpr std::int64_t most_block_columns = 16;
  /// Lanes of 16 bytes, entries a row in the mean, threads of all rows and bytes of X with which
  /// even rows of a far matrix go packed. Before, so, K = 12, 16, 24, 32, 48: 20,000 rows of 500 in
  /// 1M columns: 226, 227, 338, 496, 746; 170, 167, 268, 385, 697; 60,000 of 100 in 600,000: 142,
  /// 141, 229, 295, 473; 133, 112, 199, 279, 469; 10,000 of 800 in 1M: 155, 167, 226, 354, 522;
  /// 184, 177, 207, 278, 443; 100,000 of 64: 137, 139, 249, 294, 440; 124, 131, 229, 309, 512; in
  /// fp32, K = 24, 64: 283, 462; 155, 392. Worst 13,900 of 179, K = 24, 114, 122. Of 100 to
  /// 900: 1.2 to 1.4.
  static constexpr std::int64_t least_side_lanes = 6, most_side_lanes = 16;
  static constexpr std::int64_t least_side_mean = 64, least_side_threads = 100'000;
  static constexpr double least_side_bytes = 45e6;
  /// Entries a row in the mean from which a warp takes each of so many rows or fewer, or, where
  /// most would be parts of path flat, of any number, if all are about as long. K = 1, flat, so:
  /// 5000 rows of 300 15.6, 12.8; 6000 of 150 13.7, 8.1; 8000 of 500 35, 39; 12,400 of 638 85, 68.
  static constexpr double least_warp_mean = 128, most_warp_rows = 6336, least_part_mean = 512;
  /// Entries of uneven rows from which they go so, the lanes of a team, and columns of fp32. Bins,
  /// shares: web-NotreDame (1.5M), K = 3, 5, 8, 12, 16: 26, 31, 34, 54, 57; 24, 29, 27, 42, 46;
  /// R-MAT 20 216, 276, 220, 342, 331; 186, 221, 185, 279, 287; soc-Epinions1 (0.5M), K =
  /// 8, 11.3, 12.3; a graph of 1.2M 15.4, 18.9; hub rows that share columns, K = 3, 20, 1.09, 1.11
  /// of the time. Two lanes: web, K = 4, 17.6, 20.1, cnr-2000 29, 35, R-MAT 20 172, 164. fp32:
  /// R-MAT 18, K = 7, 12, 16, 20, 0.97, 1.06, 0.97, 0.85 of the time; web 1.16, 1.02, 0.85, 0.74.
  static constexpr std::int64_t least_shares = 1'400'000;
  static constexpr std::int64_t least_share_lanes = 3, most_share_lanes = 10, least_fp32_shares = 9;
  /// Uneven rows far from the diagonal go so with other K too: where those with entries have so few
  /// in the mean, with two lanes if X has so many bytes, and in fp32 with fewer columns. Bins,
  /// shares, power laws of 2.3M and 1M rows, K = 2, 4, 24, 31, 64: 173, 207, 510, 959, 1175; 106,
  /// 143, 428, 623, 1040; 79, 100, 294, 544, 699; 57, 68, 258, 389, 659; R-MAT 20 (8M), K = 4, 24,
  /// 64: 111, 292, 670; 98, 348, 838; R-MAT 18, K = 4, 41, 41; in fp32, K = 3, R-MAT 20 112,
  /// 96; power laws, K = 3, 7: 200, 293; 91, 173; 83, 132; 56, 74; R-MAT 16 0.87, 0.80 as fast.
  static constexpr double most_far_share_mean = 6, least_far_share_bytes = 16e6;
  static constexpr double least_far_fp32_bytes = 3e6;
  static constexpr std::int64_t most_far_fp32_shares = 6;
  /// The same of rows far from the diagonal with so many entries in the mean, of any lengths.
  /// Before, so, K = 5, 8, 10, 16: 20,000 rows of 250: 64, 69, 98, 110; 59, 56, 79, 95; 60,000 of
  /// 100: 83, 73, 102, 156; 71, 66, 90, 109; 697 of 2350: 36, 32, 54, 58; 28, 30, 43, 46; 25,000 of
  /// 70: 26, 21, 27, 30; 25, 23, 30, 34; 5000 of 300, K = 5, 8: 26, 16; 21, 20. Ten lanes, 697 of
  /// 2350: 68, 72.
  /// Not in fp32: 9000 of 778, K = 24, 32: 201, 184 so, 136, 136 by blocks.
  static constexpr std::int64_t long_share_mean = 64, least_long_shares = 3'000'000;
  static constexpr std::int64_t very_long_share_mean = 500, least_very_long_shares = 1'600'000;
  static constexpr std::int64_t most_long_share_lanes = 8;
};

}  // namespace sparserepro
