// The tuned numbers of cuda_csr_balanced, each with a line of evidence; plan.hpp applies them.
// path_policy.hpp has those of paths for certain rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "spmm/cuda_csr_balanced/path_policy.hpp"

namespace sparserepro {

/// Figures are microseconds of one product on one H200, from runs while tuning, which no archive
/// has, or, where H stands, on one H100; where two figures stand, the first is without the number's
/// choice and the second with it. FEM is fem:nx=51,ny=51,nz=51 (31M entries); uniform 500k x 500k
/// with 10M; stencil fem:stencil=5,nx=1096,ny=1096,nz=1,dofs=1 (6M); R-MAT
/// rmat:scale=20,symmetric=0 (16M); short rows 1M of 3 entries; circuit and band their defaults.
struct BalancedPolicy : PathPolicy {
  /// Threads of a block. 64: band, K = 16, 337 -> 319. 256: FEM, K = 16, 293 -> 268.
  static constexpr int threads = 128;
  /// At most 40 registers for one row and load, 56 for three rows, 80 for four with two loads, 64
  /// for others: R-MAT, K = 64, 1330 with 64, 1233 with 40; FEM, K = 64, 736 unbounded, 637 with
  /// 64; K = 3, 8, 134, 171 with 56, 163, 185 with 64; 4 unknowns, K = 5, 128, 64, 537 with 64, 59,
  /// 335 with 80. 48 for two loads in batches of two.
  static constexpr int resident_blocks(int rows, int loads, int batch) {
    return rows * loads == 1                       ? 12
           : rows == 1 && loads == 2 && batch <= 3 ? 10
           : rows == 3 && loads == 1               ? 9
           : rows == 4 && loads == 2               ? 6
           : loads == odd_loads                    ? 7
                                                   : 8;
  }
  /// Loads of a block of columns from which a thread takes two or three. By 1, 2, 3 a thread:
  /// 9-point mesh, K = 24, 120, 90, 79; web (R-MAT 18), K = 20, 113, 104, 98; 27 diagonals, K = 96,
  /// by 2, 3: 585, 456. Eight loads are a line: uniform 300k x 300k with 6M, K = 96 by 16 columns,
  /// 740 with one a thread, 799 with two.
  static constexpr std::int64_t least_spread = 9;
  /// Entries that a thread gathers at once. 8: FEM, K = 64, 719 -> 637; uniform, K = 128, 1969 ->
  /// 2117. Three loads, 4: 9-point mesh, K = 96, 235 -> 291.
  static constexpr int unroll(int rows, int loads) { return rows * loads > 2 ? 2 : 4; }
  /// Entries a row from which two loads gather 4 and not 2 at once. By 4 and 2: 9-point mesh, K =
  /// 64, 196, 177; uniform (20 a row), K = 20, 205, 196; 27 diagonals, K = 32, 206, 217.
  static constexpr double long_batch_from = 24;
  /// The same of rows of one slot in natural order with two loads of one column, from an odd K on.
  /// By 2 and 3: K = 15, 31, 49, 5 points 120, 116; 224, 213; 424, 394; 9 points, K = 31, 168, 147;
  /// uniform (8 a row), K = 31, 49, 308, 279; 496, 448. By 4 and 3: 27 diagonals, K = 49, 156, 151.
  static constexpr int odd_batch = 3;
  /// Loads of one column that 8 lanes take of 33 to 40 columns, a row of one slot in natural order.
  /// By 3 loads of 16 lanes and 5, K = 33: 5 points 241, 223; 9 points 183, 172; tall 240, 221;
  /// uniform 323, 319; K = 39: 5 points 255, 241; tall 243, 233.
  static constexpr int odd_loads = 5;
  static constexpr std::int64_t odd_batch_from = 15;
  /// Rows after which a group ends anyway, a multiple of 3 and 4.
  static constexpr int group_span = 48;
  /// Rows of one group, where so much of the entries lies in rows with the columns of the row
  /// before: runs of 3, 4, 5 rows have 0.67, 0.75, 0.8. One row: FEM, K = 16, 454 -> 268; K = 128,
  /// 2683 -> 1593. Three and four: runs of 4, K = 1, 8, 64, 23.7, 60.5, 199, 20.2, 37.8, 128; of 8,
  /// 31, 65, 225, 29, 53, 178; of 3, K = 8, 171, 184; of 5, 60, 65; of 6, 58.7, 60.1.
  static constexpr int group_rows(double same) {
    return (same > 0.71 && same < 0.78) || same > 0.85 ? 4 : 3;
  }
  /// Least share of the entries in rows with the columns of the row before for groups. With 3
  /// unknowns a node, 0.67: K = 64, 319 grouped, 568 the library; with 2, 0.5: K = 4, 73 grouped,
  /// 62 natural (H).
  static constexpr double least_same = 0.6;
  /// Padding of 32 rows to their longest up to which rows are even; others are binned. Tall (4
  /// entries a row, 2.2), K = 4, 108 in bins, 62 natural; web-NotreDame (4.1), K = 8, 38 in bins,
  /// 101 natural (H).
  static constexpr double most_even_padding = 3;
  /// The same for teams of less than a warp where rows have so many entries in the mean, as the
  /// teams of a warp wait for the longest. cnr-2000 (9.9 entries, 2.9), K = 16, 111 natural, 78 in
  /// bins; ct2010 (5, 2.8), K = 16, 13.4, 11.4; at K = 64 by whole warps 41, 47 (H).
  static constexpr double most_even_padding_of_part_warps = 2.5, part_warp_mean = 4.5;
  /// Rounds of batches of the longest row, beyond twice those of a warp's share of the rows, from
  /// which rows are binned, so that long ones have more slots: a round takes 0.35 us. memplus
  /// (longest 574), K = 1, 4, 16: 32.1, 49.1, 16.8 natural (H), 5.3, 8.2, 8.9 in bins (H).
  static constexpr double least_overhang = 8;
  /// Entries of the longest row up to which rows are even, whatever their padding: two batches.
  static constexpr std::uint64_t tiny_rows = 8;
  /// Padding beyond which path flat is taken. Tall, K = 1, 35 flat, 37 natural (H).
  static constexpr double most_padding = 1.6;
  /// Share of the entries near the diagonal below which rows are far or, as by hub columns, mixed;
  /// entries a row from which these take path flat. K = 1, natural, flat: far, regular rows of 6:
  /// 36, 32; of 9 22, 19; of 15 in few columns 31, 25; mixed, 8 a row with 15 hub columns 22, 19;
  /// fp32: 32, 30, 26, 22, 18, 15. Of 4 30, 30. A permuted mesh of 6 neighbours 33, 33.
  static constexpr double mostly_near = 0.9, far_flat_from = 5.5, mixed_flat_from = 7.5;
  /// Entries ahead that blocks fetch into L2, and of a matrix that they do so for. Stencil, K = 48,
  /// by none, 16, 32, 48, 64, 128 thousand: 359, 321, 314, 309, 310, 311; uniform, K = 96, 1525,
  /// 1503, 1491, 1487, 1494, 1545. Without row pointers: stencil 325, few columns 138, not 125.
  static constexpr std::int64_t ahead_entries = 48 << 10, least_ahead = 150'000;
  /// Least bytes of a row of X at once for that: L2 serves the entries twice. Grouped FEM, K = 4,
  /// 8: 108, 152 without, 114, 127 with; stencil packed, K = 8, 81, 74.
  static constexpr std::size_t least_ahead_bytes = 64;
  /// The same of far matrices with rows from a mean on, which L2 bounds. 40 entries a row, by 16
  /// columns at once, 187 without, 196 with; 12 a row, K = 9, 38.9, 40.2; 1.6 a row, 189, 168.
  static constexpr std::size_t least_ahead_far_bytes = 256;
  static constexpr double most_ahead_far = 8;
  /// Odd K, from and below, with which a thread holds two loads of one column each, so that half as
  /// many load the same entries of A. Web (0.26M rows, 15 entries), K = 3, 5, 7: 47, 68, 69 with
  /// one load, 46, 57, 61; FEM in groups, K = 5, 44 -> 36.
  static constexpr std::int64_t halved_from = 5, halved_below = 16;
  /// K below which even rows of one slot are packed; less where rows are short and X exceeds L2.
  /// Natural, packed: tall, K = 3, 5, 9: 81, 144, 180; 58, 75, 120; uniform, K = 12, 175, 152; K =
  /// 20, tall (X in L2) 197, 186; rows of 3 205, 236, of 7 160, 173; stencil 124, 129; K = 16, rows
  /// of 3 110, 125. Twice as many by loads of 16 bytes of fp32, K = 24, 32: 8 columns 33.7, 33.8;
  /// 17.3, 21.1; 9 points 49.7, 50.7; 39.4, 47.7; K = 32, rows of 3 108, 120.
  static constexpr std::int64_t packed_below(double mean, double x_bytes) {
    return mean < 7.5 && x_bytes > resident_bytes ? 16 : 22;
  }
  /// Odd K, and entries a row, from which such rows are natural instead. K = 15, 17, 21, packed and
  /// natural: 5 points 153, 126; 175, 134; 203, 146; tall 140, 124; 160, 141; 186, 146; 9 points, K
  /// = 21, 132, 111; uniform, K = 17, 182, 183; circuit 104, 89. But 1.6 entries, K = 13, 39, 50.
  static constexpr std::int64_t unpacked_odd = 15;
  static constexpr double unpacked_mean = 4.5;
  /// The longest row, in means, up to which rows are even with up to `most_even_padding`, whatever
  /// the team. 35 % of the rows empty, others of 9.6 entries (27 at most, padding 2.5), K = 3, 7,
  /// 12: 79, 132, 144 in bins, 59, 83, 107 packed.
  static constexpr double bounded_rows = 8;
  /// Entries of a row that a thread of path packed takes at once, by the mean. 2, 4: tall (6), K =
  /// 5, 79, 84; stencil (5), 64, 72; FEM (26), 49.5, 45.9; K = 16, uniform (8), 176, 163.
  static constexpr int packed_batch(double mean) { return mean < 7.5 ? 2 : 4; }
  /// Threads of a block of path packed, at most, which rows of fewer entries take: blocks of 25
  /// rows end sooner than others begin. 1.6 entries, K = 5, by 128, 256: 23.3, 16.8.
  static constexpr unsigned most_packed_threads = 256;
  static constexpr double few_entries = 3;
  /// Blocks of so many for 32 registers with a batch of 2 and loads of 8 bytes, 40, 48.
  static constexpr int packed_blocks(std::size_t load_bytes, int batch) {
    return load_bytes <= 8 ? (batch == 2 ? 8 : 6) : batch == 2 ? 6 : 5;
  }
  /// Entries that a block of path staged copies to shared memory at once, and blocks for 48
  /// registers. Rows far from the diagonal of so many entries in the mean go so, and most columns,
  /// from 12 entries on more; without them K = 5 and 7 take 1.0 to 1.06 of the time. Packed or
  /// natural, so: uniform (20), K = 2, 3, 4, 6, 8, 12, 16, 20: 92, 125, 111, 150, 146, 232, 241,
  /// 376; 90, 98, 93, 109, 124, 202, 222, 354; (8), K = 2, 3, 4, 6, 8, 12: 81, 95, 105, 155, 158,
  /// 248; 73, 83, 90, 141, 152, 243. Near the diagonal, K = 4, 8: 49, 57; 44, 62.
  static constexpr int staged_entries = 512, staged_blocks = 10;
  static constexpr double staged_mean = 6, long_staged_mean = 12;
  static constexpr std::int64_t most_staged = 8, most_staged_long = 20;
  /// Threads of a block of path blocks: a power of two, as many as a multiprocessor holds at once
  /// with 40 registers. Entries that a thread copies to shared memory at once.
  static constexpr unsigned least_row_threads = 64, most_row_threads = 512;
  static constexpr unsigned row_threads_at_once = 1536;
  static constexpr std::int64_t device_row_threads = 132 * row_threads_at_once;
  static constexpr int row_loads = 4;
  /// Entries that a thread gathers at once, by the bytes of a load. By 4, 8, K = 7, 31: 2050 rows
  /// of 3483 88, 320; 87, 224; 2000 of 400 13.0, 37.8; 11.5, 25.8.
  static constexpr int row_batch(std::size_t load_bytes) { return load_bytes <= 8 ? 8 : 4; }
  /// Threads of a block of path flat, and entries of a long row that it takes.
  static constexpr int flat_threads = 128, flat_part = 4096;
  /// Entries from which a block takes a task of path flat, not a warp. By blocks, by warps:
  /// soc-Epinions1 (0.5M) 7.1, 6.3; web-NotreDame (1.5M) 11.1, 11.3; web (3.9M) 28.2, 29.1; R-MAT
  /// 124, 131.
  static constexpr std::int64_t least_flat_of_blocks = 1'000'000;
  /// Least entries for path flat; where a row has several parts, which a second kernel adds up;
  /// where neighbouring rows share columns; and for a band (`near_flat_from`). memplus (0.1M), in
  /// bins 5.1, flat 3.8; a circuit of 0.4M with rows of 7000 6.3, 7.5, of 1.2M with rows of 11,000
  /// 14.9, 11.5; webs of 0.57M and 0.9M 9.8, 8.7, 18.8, 17.2; few columns of 0.53M, natural 5.8,
  /// flat 6.5, of 0.87M 9.0, 7.7; 27 points of 0.7M 5.1, 6.5. Parts of 8192: that circuit 14.
  static constexpr double least_flat = 5e4, least_flat_of_parts = 5.5e5;
  static constexpr double least_flat_of_alike = 7e5, least_flat_of_band = 1.7e6;
  /// 48 registers. 40: uniform (1M) 10.9 -> 11.7; R-MAT 124, 123.
  static constexpr int flat_blocks = 10;
  /// Entries of a warp of path flat with more than one column, at most, and log2 of those of a
  /// team: with fewer the copy to shared memory takes longer than it saves. R-MAT 18, K = 8, 16,
  /// shares of 32 and 64: 45, 72; of 16 and 32: 52, 85; of 8 and 16: 73, 111.
  static constexpr unsigned share_entries = 256;
  static constexpr int most_log_share = 6;
  /// Entries that a thread gathers at once, and blocks with 64 registers. By 8, by 4: power law, K
  /// = 8, 12, 16: 44, 64, 68; 46, 69, 74; R-MAT 20, K = 8, 187, 190.
  static constexpr int share_batch = 8, share_blocks = 8;
  /// Positions of a task of path merged, rows and entries together (`row_cost` a row), the entries
  /// that a row may have beyond it, and the threads of its block.
  static constexpr int merged_task = 1024, row_cost = 2;
  static constexpr int merged_overhang = 128, merged_threads = 128;
  /// Entries of a row beyond twice the mean of its task from which the task is uneven.
  static constexpr int merged_even = 8;
  /// Blocks of path merged for which a multiprocessor sets shared memory aside; the rest is L1.
  static constexpr int merged_blocks = 8;
  /// Calls from which an analysis pays that path merged does without, and one of groups that
  /// natural order does without. K = 1, calls after which both take as long: R-MAT 2, stencil 3.0,
  /// circuit 3.5, tall 3.7, band 5.6, soc-Epinions1 17 (H).
  static constexpr std::int64_t paying_calls = 4;
  /// Least entries a slot, by the lanes. FEM, K = 8, with 8 and 4 slots: 183, 163; uniform, K = 1,
  /// with 16, 8, 2: 97, 95, 117; band, K = 1, with 8 and 4: 143, 106.
  static constexpr double entries_per_slot(int log_lanes, bool far) {
    return log_lanes == 0 ? (far ? 2.5 : 3.4) : log_lanes == 1 ? 10 : log_lanes == 2 ? 14 : 28;
  }
  /// Rows of the sample whose columns are looked at.
  static constexpr std::int64_t sampled_rows = 16384;
  /// Mean distance from the diagonal beyond which rows near it take path flat, and their entries in
  /// the mean. 41 diagonals within 9000, K = 1: 78 natural, 68 flat (H). No other was measured.
  static constexpr double wide_spread = 1024, spread_flat_from = 12;
  /// Entries a row, from and below, with which rows near the diagonal take path flat as well. K =
  /// 1: band of 27, 139 to 153 natural, 122 flat; 27 of 1001 diagonals, 64, 55; band
  /// of 15, 74, 72; 9-point FEM with 2 unknowns (18) 41, 42; with 4 (36) 26, 28 (H).
  static constexpr double near_flat_from = 20, near_flat_below = 32;
  /// An entry is near if its column lies no farther from the diagonal. A matrix is far if most
  /// entries are not near: no neighbouring row has brought their rows of X into L1 or L2.
  static constexpr float near_columns = 16384;
  /// A far matrix is a wide band if at least so many entries lie within this distance.
  static constexpr float middle_columns = 131072;
  static constexpr double least_middle = 0.9;
  /// Most columns at once. FEM, K = 128, by 32, 64, 128: 1743, 1593, 1194.
  static constexpr unsigned near_block = 128;
  /// Bytes of the rows of X within reach of a row near the diagonal, so that they stay in L2. A
  /// circuit with a reach of 40000, K = 128, by 16, 32, 64, 128 columns: 493, 489, 593, 748 (H).
  static constexpr double window_bytes = 12e6;
  /// Share of the entries whose column the row before has too, from which on all columns are taken
  /// at once: neighbouring rows use the same rows of X. web-NotreDame (0.49), K = 64, by 16, 32, 64
  /// columns: 242, 215, 206 (H).
  static constexpr double least_repeated = 0.15;
  /// Bytes of a row of X of a far matrix, where so many columns of X take at most `small_bytes` (L2
  /// has 60 MB). Uniform, K = 128, by 8, 16, 32, 64, 128 columns: 3103, 2126, 2151, 2261, 2387; in
  /// fp32, by 16, 32, 64, 128: 2056, 1279, 1491, 1654 (H). Matrices of uneven rows take
  /// `far_block_bytes`, as their columns are uneven too, and hub columns stay in L2 anyway: R-MAT
  /// 18, K = 64, by 16, 64: 195, 147 (H).
  static constexpr std::size_t small_block_bytes = 128;
  static constexpr double small_bytes = 66e6;
  /// As many columns of X as take so much are in L2. Tall, K = 64, by 16, 32, 64 columns: 607, 423,
  /// 382 (H).
  static constexpr double resident_bytes = 33e6;
  /// Bytes of a row of X of the other far matrices. R-MAT, K = 128, by 16, 32, 64, 128 columns:
  /// 3291, 2506, 2389, 2470.
  static constexpr std::size_t far_block_bytes = 512;
  /// Warps that fill the device; rows that make fewer get more slots and no groups. bcsstk16 (4884
  /// rows), K = 12, 10.8 -> 7.4.
  static constexpr int device_warps = 132 * 32;
  /// Most entries of a segment, or so many per slot of a warp where those are more; less in a small
  /// matrix, a warp's share of its entries. soc-Epinions1, K = 64, 76.8 -> 54.9 by the share.
  static constexpr int segment = 256, segment_slot = 64;
  /// Least entries of a segment per slot of a warp, and where a warp is all slots, or of a row that
  /// a block takes. memplus, K = 64, 33.5 -> 18.9; soc-Epinions1, K = 1, 11.4 -> 9.0.
  static constexpr int least_slot = 32, least_slot_of_32 = 8;
  /// Lanes of a team up to which blocks take long rows, if none is longer than a block's four
  /// segments: no second kernel, and few rounds. memplus, K = 2, 3, 4, 8: 5.3, 8.0, 7.7, 8.3 by
  /// segments, 4.6, 5.0, 4.7, 5.6; soc-Epinions1, K = 2, 4: 8.9, 11.7, 7.6, 9.3. Rows in several
  /// blocks each: a circuit with rows of 7000, K = 2, 6.7 -> 10.1.
  static constexpr int block_lanes = 8;
  /// Entries per slot of a block of its longest row, at most, or four segments. 32: memplus, K =
  /// 12, 16, 7.4 -> 8.3, 7.7 -> 8.4.
  static constexpr int block_slot = 40;
  /// Rows up to which rows of twice the mean are cut. mbeacxc (496 rows), K = 64, 29.5 -> 14.3;
  /// bcsstk16 (4884), 27.9 cut, 15.0 whole.
  static constexpr std::int64_t few_rows = device_warps / 4;
  /// Rows from which those of up to one and a half times the mean are whole, however long. 4000
  /// rows of 320 near the diagonal, K = 16, 32, 128: 21.9, 38.2, 143 cut, 16.4, 24.0, 71.8 whole;
  /// 1024 of 410, K = 16, 64: 10.5, 25.0, 18.3, 35.1. Up to twice the mean: 3000 of 100 to 800, K =
  /// 12, 128: 18.4, 98, 22.7, 106.
  static constexpr std::int64_t filling_rows = device_warps / 2;
  /// Rounds of 8 segments in which a slot adds up those of the longest row. 8 slots always:
  /// mbeacxc, K = 128, 15.3 -> 9.8; R-MAT, K = 64, 1267 -> 1235.
  static constexpr std::int64_t combine_rounds = 8;
};

}  // namespace sparserepro
