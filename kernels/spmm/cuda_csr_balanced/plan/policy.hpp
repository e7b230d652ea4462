// The tuned numbers of cuda_csr_balanced, each with a line of evidence; choose_plan.hpp applies
// them. path_policy.hpp has those that choose a path.
#pragma once

#include <cstddef>
#include <cstdint>

#include "spmm/cuda_csr_balanced/plan/path_policy.hpp"

namespace sparserepro {

/// Evidence as in PathPolicy.
struct BalancedPolicy : PathPolicy {
  /// Threads of a block. By 64, 128: band, K = 16, 337, 319; by 128, 256: FEM, K = 16, 268, 293.
  static constexpr int threads = 128;
  /// Blocks that a multiprocessor holds, by which registers are bounded. R-MAT, K = 64, with 64
  /// registers 1330, 40: 1233; FEM, K = 64, without bound 736, 64: 637.
  static constexpr int resident_blocks(int rows, int loads, int batch) {
    return rows * loads == 1                       ? 12
           : rows == 1 && loads == 2 && batch <= 3 ? 10
           : rows == 3 && loads == 1               ? 9
           : rows == 4 && loads == 2               ? 6
           : rows > 1 && loads == 3                ? 8 - rows
           : loads >= odd_loads                    ? (loads == most_odd_loads ? 6 : 7)
                                                   : 8;
  }
  /// Loads of a block of columns from which a thread takes two or three. By 1, 2, 3: 9 points, K =
  /// 24, 120, 90, 79; web (R-MAT 18), K = 20, 113, 104, 98.
  static constexpr std::int64_t least_spread = 9;
  /// The same of groups; with loads of 16 bytes from a mean on. Time by three loads over one, FEM
  /// of 0.4M to 12M entries, K = 10, 12 and in fp32 20, 24: rows of 40 and more 0.66 to 1.09, of 15
  /// to 35 0.83 to 1.32; in fp32, K = 10, 14: 0.53 to 1.07.
  static constexpr std::int64_t least_group_spread = 5;
  static constexpr double long_group_spread_mean = 40;
  /// Entries of fours of 15 to 35 a row from which they take three loads at K = 18 to 24. Time by
  /// three loads over one, 0.3M to 0.85M entries: 1.01 to 1.30; 1.9M and more 0.81 to 0.99.
  static constexpr double least_spread_of_fours = 1e6;
  /// Entries that a thread gathers at once. By 2, 8: FEM, K = 64, 637, 719.
  static constexpr int unroll(int rows, int loads) { return rows * loads > 2 ? 2 : 4; }
  /// Entries a row from which two loads gather 4 and not 2. By 4, 2: 9 points, K = 64, 196, 177; 27
  /// diagonals, K = 32, 206, 217.
  static constexpr double long_batch_from = 24;
  /// The same of two loads of one column from an odd K on. By 2, 3: 9 points, K = 31, 168, 147.
  static constexpr int odd_batch = 3;
  static constexpr std::int64_t odd_batch_from = 15;
  /// Loads of one column that 8 lanes take of 33 to 40, and of 57 to 64. By 2 or 3 loads of 16 or
  /// 32 lanes, so: K = 33, 5 points 241, 223; uniform 323, 319; K = 41, 49, 57, 99, 5 points and 2
  /// unknowns 92, 130, 131, 267, so 83, 104, 118, 234, in fp32 72, 124, 125, 251, so 56, 64, 72,
  /// 184.
  static constexpr int odd_loads = 5, most_odd_loads = 8;
  /// Entries that they gather at once. K = 47, 55 in fp32, by 3: 64, 72, so 60, 64.
  static constexpr int batch_of_odd(int loads) { return loads == odd_loads ? odd_batch : 2; }
  /// Whether so many loads pay. fp64, by 2 loads, so: uniform of 12 a row, K = 49, 57, 145, 167,
  /// 168, 203 (fp32 93, 100, 75, 85); 13 diagonals, K = 49, 57, 85, 88, 83, 95 (fp32 76, 76, 57,
  /// 64).
  static constexpr bool takes_odd_loads(bool far, std::size_t element_bytes, int loads) {
    return loads == odd_loads || element_bytes < 8 || (!far && loads < most_odd_loads);
  }
  /// Odd K, from and below, with which a thread takes two loads of one column. By one, so: web
  /// (0.26M rows), K = 5, 7: 68, 69, 57, 61.
  static constexpr std::int64_t halved_from = 5, halved_below = 16;
  /// Least entries a slot, by the lanes. FEM, K = 8, by 8 and 4 slots 183, 163; band, K = 1, 143,
  /// 106.
  static constexpr double entries_per_slot(int log_lanes, bool far) {
    return log_lanes == 0 ? (far ? 2.5 : 3.4) : log_lanes == 1 ? 10 : log_lanes == 2 ? 14 : 28;
  }
  /// Warps that fill the device; bins that make fewer get more slots, and rows no groups. bcsstk16
  /// (4884 rows), K = 12, without, so: 10.8, 7.4.
  static constexpr int multiprocessors = 132, device_warps = multiprocessors * 32;
  /// Warps of a block on each multiprocessor.
  static constexpr int block_warps = multiprocessors * threads / 32;
  /// Groups, two slots in place of one: entries a row, lanes of fp64 and of smaller types, warps of
  /// two thirds of the rows. Two slots over one, fp64, K = 4, 20 a row 0.52 (0.3M rows; 63,000
  /// 1.24); K = 6 to 8, 20 and 25 0.70 to 0.93; K = 12 and 16, 15 1.11, 20 to 53 0.77 to 0.96
  /// (25,000 rows 1.10); K = 24 0.9 to 1.3; in fp32, K = 8 to 16 0.58 to 0.98, K = 24 0.9 to 1.1.
  static constexpr double least_two_slot_mean = 18;
  static constexpr int most_two_slot_log_lanes(std::size_t element_bytes) {
    return element_bytes == 8 ? 3 : 2;
  }
  static constexpr std::int64_t two_slot_warps = device_warps * 7 / 5;
  /// What a row costs its team besides its entries, in batches of one slot; and each doubling of
  /// the slots where a thread has several loads. 842 cells of 3000 to 90,000 rows, K = 4 to
  /// 128: 1.013 of the time of the best slots in geometric mean, 1.19 at most; doubling until the
  /// device was full, 1.048, 1.46.
  static constexpr double row_cost_in_batches = 2;
  static constexpr double sum_cost(int loads) { return loads == 1 ? 0 : loads == 2 ? 1 : 0.6; }
  /// The part of a turn that takes no time: some warps end before the others.
  static constexpr double least_turn = 0.02;

  /// Rows of the sample whose columns are looked at.
  static constexpr std::int64_t sampled_rows = 16384;
  /// An entry is near if its column lies no farther from the diagonal; in the middle.
  static constexpr float near_columns = 16384, middle_columns = 131072;
  /// A far matrix is a wide band if at least so many entries lie in the middle.
  static constexpr double least_middle = 0.9;

  /// Most columns of X at once. FEM, K = 128, by 64, 128: 1593, 1194.
  static constexpr unsigned near_block = 128;
  /// Bytes of the rows of X within reach of a row near the diagonal, so that they stay in L2; of
  /// wide bands. A circuit with a reach of 40,000, K = 128, by 32, 64, 128 columns: 489, 593, 748
  /// (H); 51 diagonals within 5,220, by 64, 128: 193, 207; 5 of 9 within 38,200, K = 64, by 16, 32,
  /// 64: 173, 140, 173; 7 within 60,000: 289, 328, 498.
  static constexpr double window_bytes(bool far) { return far ? 24e6 : 12e6; }
  /// Share of the entries whose column the row before has, from which on all columns are taken at
  /// once. web-NotreDame (0.49), K = 64, by 16, 64 columns: 242, 206 (H).
  static constexpr double least_repeated = 0.15;
  /// The same from which even rows of a far matrix take `far_block_bytes` at once: columns of hubs.
  /// 48 of them in 188,000, K = 64, 256, by 16 columns 165, 632, so 104, 390; 0.012: no difference.
  static constexpr double least_hub_share = 0.05;
  /// Bytes of a row of X at once of a far matrix of even rows, where these of all rows take at most
  /// `small_bytes` (L2 has 60 MB). Uniform, K = 128, by 8, 16, 64 columns: 3103, 2126, 2261. More
  /// where these take at most `medium_bytes`: K = 64, by 16, 32, 64 columns: uniform of 150k
  /// columns, 6 a row, 94, 84, 97; hub columns (218k) 158, 139, 157; uniform of 264k, 18 a row, by
  /// 16, 32: 368, 422.
  static constexpr std::size_t small_block_bytes = 128, medium_block_bytes = 256;
  static constexpr double small_bytes = 66e6, medium_bytes = 56e6;
  /// Bytes of a row of X of other far matrices, but all of it where that is half as much again, and
  /// less than twice. R-MAT, K = 128, by 16, 64, 128: 3291, 2389, 2470; uniform of 800k, K = 100,
  /// by 64, 128: 849, 784.
  static constexpr std::size_t far_block_bytes = 512;

  /// Rows after which a group ends anyway, a multiple of 3 and 4.
  static constexpr int group_span = 48;
  /// Rows of a group, where so much of the entries lies in rows with the columns of the row before:
  /// runs of 3, 4, 5 have 0.67, 0.75, 0.8. By one, 3: FEM, K = 16, 454, 268; by 3, 4: runs of 4, K
  /// = 8, 60.5, 37.8.
  static constexpr int group_rows(double same) {
    return same < 0.6 ? 2 : (same > 0.71 && same < 0.78) || same > 0.85 ? 4 : 3;
  }

  /// Entries ahead that blocks fetch into L2, and of a matrix that they do so for. Stencil, K = 48,
  /// without, 48k: 359, 309.
  static constexpr std::int64_t ahead_entries = 48 << 10, least_ahead = 150'000;
  /// Least bytes of a row of X at once for that: L2 serves the entries twice. Without, with: FEM in
  /// groups, K = 4, 108, 114; stencil packed, K = 8, 81, 74.
  static constexpr std::size_t least_ahead_bytes = 64;
  /// The same of far matrices with rows from a mean on, which L2 bounds: 40 a row, 187, 196.
  static constexpr std::size_t least_ahead_far_bytes = 256;
  static constexpr double most_ahead_far = 8;

  /// Path packed: entries that a thread takes at once. By 2, 4: tall, K = 5, 79, 84; FEM 50, 46.
  static constexpr int packed_batch(double mean) { return mean < 7.5 ? 2 : 4; }
  /// Most threads of a block, which rows of fewer entries take. 1.6 entries, K = 5, by 128, 256:
  /// 23.3, 16.8.
  static constexpr unsigned most_packed_threads = 256;
  static constexpr double few_entries = 3;
  /// Blocks of so many for 32 registers with a batch of 2 and loads of 8 bytes, 40, 48.
  static constexpr int packed_blocks(std::size_t load_bytes, int batch) {
    return load_bytes <= 8 ? (batch == 2 ? 8 : 6) : batch == 2 ? 6 : 5;
  }
  /// Path short_rows: entries of a row that a thread takes at once; loads of several columns from
  /// which a thread takes two.
  static constexpr int short_batch = 2;
  static constexpr unsigned least_short_pairs = 8;
  /// Path staged: entries that a block copies to shared memory at once, blocks for 48 registers.
  static constexpr int staged_entries = 512, staged_blocks = 10;
  /// Path blocks: threads of a block, a power of two; as many as a multiprocessor holds at once
  /// with 40 registers; entries that a thread copies to shared memory at once.
  static constexpr unsigned least_row_threads = 64, most_row_threads = 512;
  static constexpr unsigned row_threads_at_once = 1536;
  static constexpr std::int64_t device_row_threads = 132 * row_threads_at_once;
  static constexpr int row_loads = 4;
  /// Entries that a thread gathers at once, by the bytes of a load. By 4, 8, K = 31: 2050 rows of
  /// 3483 320, 224.
  static constexpr int row_batch(std::size_t load_bytes) { return load_bytes <= 8 ? 8 : 4; }

  /// Natural order by one load: entries that a thread takes at once; a team has room for the mean
  /// times a power of the padding, and is a warp from so much on. K = 1, by 4, 8, 16 lanes: 27
  /// points 7.0, 6.4, 8.2; Poisson of 14 8.2, 7.1, 9.7; powers, 18 in the mean, 15.6, 13.1, 11.2;
  /// 27 points and 3 unknowns, by 16, 32 lanes: 14.1, 15.3.
  static constexpr int one_load_batch = 4;
  static constexpr double one_load_spread = 0.65, least_of_one_load_warp = 96;
  /// The same of one column in fp64: 27 points and 3 unknowns of 6M and 11M, by 16, 32 lanes: 24.0,
  /// 20.4; 36.5, 32.4; K = 2 24.3, 25.8.
  static constexpr double least_of_one_column_warp = 72;
  /// The part of it for which a team has room where loads of 16 bytes find rows of X near the
  /// diagonal, or in so few bytes, if rows are not padded more (3.4 and 5.2: 1.10 to 1.23). K = 2,
  /// by 1, 2, 4, 8 lanes: 9 points 7.2, 8.5, 8.5, 12.5; 27 points 9.7, 9.2, 8.7, 9.4; K = 4 in
  /// fp32, 9 points of 4M 15.8, 16.0, 19.5, 31.
  static constexpr double one_load_part = 0.55, near_bytes = 600e3, most_near_padding = 3;
  /// Threads of all rows below which a team has twice the lanes. 5000 rows of 20, by 8, 16: 3.63,
  /// 3.34; 6000 of 12, by 4, 8: 3.78, 3.29.
  static constexpr std::int64_t one_load_threads = 50'000;
  /// Least threads for the part. K = 4 in fp32, 20,000 rows of 20 by 4, 8 lanes 4.2, 3.8; 40,000 of
  /// 15 by 2, 4 4.6, 3.8; 103,000 of 9 5.1, 6.1.
  static constexpr std::int64_t least_part_threads = 100'000;
  /// Bytes of A, X and Y from which A leaves L2 first, so that X and Y stay; with less, it would
  /// leave for nothing. 27 points, K = 1, 17, 34, 43, 55 and 77 MB, leaving and not: 7.0, 5.2;
  /// 12.0, 9.0; 13.9, 11.8; 16.5, 17.5; 21.8, 24.3; 5 points, K = 2, 38, 55 and 92 MB 11.9, 10.4;
  /// 15.2, 19.6; 24.6, 30.5. Path flat from `resident_bytes` on: a web of 16 MB 11.4, 10.7, of 36
  /// MB 25.7, 27.7.
  static constexpr double passing_bytes = 45e6;

  /// Path flat: threads of a block, and entries of a long row that it takes. By 4096, 8192: a
  /// circuit with rows of 11,000 11.4, 14; webs of 1M entries 11.8, 10.5.
  static constexpr int flat_threads = 128, flat_part = 4096;
  /// Entries from which a block takes a task, not a warp. By blocks, by warps: soc-Epinions1 (0.5M)
  /// 7.1, 6.3; R-MAT 124, 131.
  static constexpr std::int64_t least_flat_of_blocks = 1'000'000;
  /// 48 registers. By 40, 48: uniform (1M) 11.7, 10.9.
  static constexpr int flat_blocks = 10;
  /// More than one column: entries of a warp, at most, and log2 of those of a team. R-MAT 18, K =
  /// 8, by 32 and 64, 16 and 32, 8 and 16: 45, 52, 73.
  static constexpr unsigned share_entries = 256;
  static constexpr int most_log_share = 6;
  /// Entries that a thread gathers at once, and blocks with 64 registers. By 8, 4: a power law, K =
  /// 12, 64, 69.
  static constexpr int share_batch = 8, share_blocks = 8;

  /// Path merged: positions of a task, rows and entries together (`row_cost` a row), the entries
  /// that a row may have beyond it, and the threads of its block.
  static constexpr int merged_task = 1024, row_cost = 2;
  static constexpr int merged_overhang = 128, merged_threads = 128;
  /// Entries of a row beyond twice the mean of its task from which the task is uneven.
  static constexpr int merged_even = 8;
  /// Blocks for which a multiprocessor sets shared memory aside; the rest is L1.
  static constexpr int merged_blocks = 8;

  /// Most entries of a segment, or so many per slot of a warp where those are more; less in a small
  /// matrix, a warp's share of its entries: soc-Epinions1, K = 64, 76.8, so 54.9.
  static constexpr int segment = 256, segment_slot = 64;
  /// Least entries of a segment per slot of a warp, and where a warp is all slots, or of a row that
  /// a block takes. memplus, K = 64, with more 33.5, so 18.9.
  static constexpr int least_slot = 32, least_slot_of_32 = 8;
  /// Lanes of a team up to which blocks take long rows, if none is longer than a block's four
  /// segments. memplus, K = 3, 8: by segments 8.0, 8.3, so 5.0, 5.6.
  static constexpr int block_lanes = 8;
  /// Entries per slot of a block of its longest row, at most, or four segments. By 32, 40: memplus,
  /// K = 12, 8.3, 7.4.
  static constexpr int block_slot = 40;
  /// Beyond so many a block of one lane ends last. Four rows of 5094 in 0.31M entries, by blocks,
  /// by segments as of longer rows: K = 1 15, 7.
  static constexpr int most_block_entries = 4096;
  /// Rows up to which rows of twice the mean are cut. mbeacxc (496 rows), K = 64, whole 29.5, cut
  /// 14.3; bcsstk16 (4884) 15.0, 27.9.
  static constexpr std::int64_t few_rows = device_warps / 4;
  /// Rows from which those of up to one and a half times the mean are whole, however long. 4000
  /// rows of 320 near the diagonal, K = 32, cut 38.2, whole 24.0; 1024 of 410 25.0, 35.1 (K = 64).
  static constexpr std::int64_t filling_rows = device_warps / 2;
  /// Rounds of 8 segments in which a slot adds up those of the longest row. By 8 slots always, so:
  /// mbeacxc, K = 128, 15.3, 9.8.
  static constexpr std::int64_t combine_rounds = 8;
};

}  // namespace sparserepro
