// The tuned numbers of cuda_csr_balanced, each with a line of evidence; plan.hpp applies them.
#pragma once

#include <cstdint>

namespace sparserepro {

/// Figures are microseconds of one product on one H200, from runs while tuning, which no archive
/// has; where two figures stand, the first is without the number's choice and the second with it.
/// FEM is fem:nx=51,ny=51,nz=51 (31M entries); uniform 500k x 500k with 10M; stencil
/// fem:stencil=5,nx=1096,ny=1096,nz=1,dofs=1 (6M); R-MAT rmat:scale=20,symmetric=0 (16M); short
/// rows 1M of 3 entries; circuit and band their defaults.
struct BalancedPolicy {
  /// Threads of a block. 64: band, K = 16, 337 -> 319. 256: FEM, K = 16, 293 -> 268.
  static constexpr int threads = 128;
  /// At most 40 registers for one row and load, 64 for more: R-MAT, K = 64, 1330 with 64, 1233 with
  /// 40; FEM, K = 64, 736 unbounded, 637 with 64.
  static constexpr int resident_blocks(int rows, int loads) { return rows * loads == 1 ? 12 : 8; }
  /// At most 64 registers; no other value was measured.
  static constexpr int stream_blocks = 8;
  /// Entries that a thread gathers at once. 8: FEM, K = 64, 719 -> 637; uniform, K = 128, 1969 ->
  /// 2117.
  static constexpr int unroll(int rows, int loads) { return rows * loads > 2 ? 2 : 4; }
  /// Rows of one group. One row: FEM, K = 16, 454 -> 268; K = 128, 2683 -> 1593.
  static constexpr int group_rows = 3;
  /// Least share of the entries in rows with the columns of the row before for groups. FEM has
  /// 0.67; no other value was measured.
  static constexpr double least_same = 0.4;
  /// Padding of 32 rows to their longest beyond which rows are binned. R-MAT (18), K = 8, 441 ->
  /// 251; uniform (1.49), K = 8, 156 natural, 172 in bins.
  static constexpr double most_padding = 1.6;
  /// Entries a row below which rows are streamed. Stencil (5), K = 64, 667 -> 423; band (27), K =
  /// 64, 1035 natural, 1190 streamed.
  static constexpr double short_rows = 12;
  /// Least lanes of a team for a stream. Stencil, K = 8, 4 lanes: 90 natural, 112 streamed.
  static constexpr int least_stream_lanes = 8;
  /// Least entries of a stream. memplus (126k entries), K = 64: 12.1 natural, 14.4 streamed.
  static constexpr double least_stream = 1e6;
  /// Entries of a task of the stream, where a row counts as `row_cost` more than it has. Stencil, K
  /// = 16, by 32, 64, 128, 256: 140, 149, 162, 168.
  static constexpr int task_entries = 32, row_cost = 2;
  /// Entries of a step of path flat (a byte of row ends a lane), and the most of a task. Tasks of
  /// 512, 1024, 2048: circuit 27.5, 25.9, 26.3; uniform 86.1, 85.8, 89.0.
  static constexpr int flat_step = 256, flat_task = 1024;
  /// Least entries for path flat. memplus (0.1M) 4.7 without, 6.8 flat; cnr-2000 (3.2M) 21.1
  /// -> 17.8.
  static constexpr double least_flat = 2e6;
  /// 80 registers, for the entries of two steps. 8, for those of one: circuit 31.3 -> 28.9.
  static constexpr int flat_blocks = 6;
  /// Least entries a slot, by the lanes. FEM, K = 8, with 8 and 4 slots: 183, 163; uniform, K = 1,
  /// with 16, 8, 2: 97, 95, 117; band, K = 1, with 8 and 4: 143, 106.
  static constexpr double entries_per_slot(int log_lanes, bool far) {
    return log_lanes == 0 ? (far ? 2.5 : 3.4) : log_lanes == 1 ? 10 : log_lanes == 2 ? 14 : 28;
  }
  /// An entry is far if its column lies farther from the diagonal: no neighbouring row has brought
  /// its row of X into L1 or L2. No other value was measured.
  static constexpr float near_columns = 16384;
  /// Columns at once of a matrix near the diagonal. FEM, K = 128, by 32, 64, 128: 1743, 1593, 1194.
  static constexpr unsigned near_block = 128;
  /// The same of a far matrix, where so many columns of X take at most `small_bytes` (L2 has 60
  /// MB). Uniform, K = 128, by 8, 16, 32, 64, 128: 3103, 2126, 2151, 2261, 2387.
  static constexpr unsigned small_block = 16;
  static constexpr std::int64_t small_bytes = 66'000'000;
  /// The same of a far matrix with more. R-MAT, K = 128, by 16, 32, 64, 128: 3291, 2506, 2389,
  /// 2470.
  static constexpr unsigned far_block = 64;
  /// Warps that fill the device; rows that make fewer get more slots and no groups. bcsstk16 (4884
  /// rows), K = 12, 10.8 -> 7.4.
  static constexpr int device_warps = 132 * 32;
  /// Most entries of a segment, or so many per slot of a warp where those are more; less in a small
  /// matrix, a warp's share of its entries. soc-Epinions1, K = 64, 76.8 -> 54.9 by the share.
  static constexpr int segment = 256, segment_slot = 64;
  /// Least entries of a segment per slot of a warp, and where a warp is all slots. memplus, K = 64,
  /// 33.5 -> 18.9; soc-Epinions1, K = 1, 11.4 -> 9.0.
  static constexpr int least_slot = 32, least_slot_of_32 = 8;
  /// Rows up to which rows of twice the mean are cut. mbeacxc (496 rows), K = 64, 29.5 -> 14.3;
  /// bcsstk16 (4884), 27.9 cut, 15.0 whole.
  static constexpr std::int64_t few_rows = device_warps / 4;
  /// Rounds of 8 segments in which a slot adds up those of the longest row. 8 slots always:
  /// mbeacxc, K = 128, 15.3 -> 9.8; R-MAT, K = 64, 1267 -> 1235.
  static constexpr std::int64_t combine_rounds = 8;
};

}  // namespace sparserepro
