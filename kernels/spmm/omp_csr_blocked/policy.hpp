// Tuned numbers of omp_csr_blocked, what they were measured against, and what bounds its speed.
#pragma once

#include <cstdint>

#include "formats/types.hpp"

namespace sparserepro {

/// Measured with AVX-512 on seven classes of matrices (uniform, FEM with 3 unknowns a node,
/// 5-point stencil, band of 27, R-MAT, circuit, 3 entries a row) at K = 1, 3, 4, 8, 16, 32 and
/// 64. The speed over the fastest of oneMKL 2025.3 (mostly that one), Eigen 3.4 and GraphBLAS 7.4
/// in geometric mean, by K and over all, and the least and the greatest:
///   Zen 5, 2   1.49 1.82 2.26 2.73 3.14 2.96 2.60   2.36   0.94 (stencil, 3), 4.8 (3 a row, 16)
///   Xeon, 2    1.36 1.63 1.40 1.65 1.51 1.44 1.52   1.50   1.12 (3 a row, 1), 2.1 (band, 3)
///   Xeon, 16   1.54 1.70 1.61 1.67 1.55 1.65 1.89   1.66   1.05 (stencil, 1), 2.3 (3 a row, 1)
/// with so many threads. The Xeons have L2 caches of 2 MiB, the Zen 5 of 1 MiB. Where pages
/// happen to lie makes 5 to 10 % of a cell, and passes of one design differ by 4 %: the design
/// before lanes were loaded one by one, which differs on Xeons at K = 3 alone, had 1.53, 1.48 and
/// 1.47 on another Xeon with 2 threads and 1.69 with 16; on the Zen 5 2.34, least 0.42 (R-MAT, K
/// = 1). On seven collected matrices, four of which have less than 0.6M entries: Xeon 1.30 (2
/// threads) and 1.36 (16; least 0.64, memplus), Zen 5 1.82 (2); with the classes 1.40, 1.50 and
/// 2.07. Of earlier designs over oneMKL, before X was copied and pieces of long rows were placed,
/// and before strips and the prefetch of entries, on Xeons:
///   2 threads     1.26 1.53 1.43 1.33 1.25 1.17 1.17   1.30   0.90 (uniform, 64), 1.91 (FEM, 3)
///   16 threads    1.22 1.63 1.42 1.61 1.26 1.31 1.34   1.39   0.92 (stencil, 16), 2.84 (band, 8)
///   2 threads     1.14 1.25 1.12 1.22 1.16 1.17 1.25   1.19   0.85 (uniform, 3), 1.95 (FEM, 3)
///   rows in place 0.73 0.96 0.79 1.05 1.03 1.11 1.14   0.96   with 2 threads in the same runs
/// The last line is the first design: rows of equal columns found on the way, nothing prepared.
/// With 16 threads strips and the prefetch of entries run at 1.13 of the speed of the design before
/// them at K = 1, 1.16 at 4, 1.10 at 8, 1.09 at 16 and 1.01 at 64.
///
/// What is left on a Xeon with 2 threads: let the floor be the time to read A, with 2 bytes for a
/// column or none in FEM, stencil and band, and X once, and to write Y, at 33 GB/s; on uniform,
/// R-MAT and 3 entries a row, if that is longer, to load the rows of X alone in the order of A
/// from small pages. oneMKL takes 1.63 times the floor in geometric mean of 47 cells. This design
/// takes 0.5 to 1.1 times the floor on uniform and R-MAT, where strips spare loads of X and huge
/// pages addresses, 0.9 to 1.2 on band and stencil, 0.9 to 1.6 on 3 entries a row, 1.4 to 1.9 on
/// the circuit, and on FEM 0.9 to 1.5 up to K = 16, 1.6 at 32 and 2.3 at 64. There the arithmetic
/// alone takes 15 and 26 ms beside 20 and 20 ms of memory. A core reads 14 GB/s, and what it
/// writes and what its L1 cache takes from the L2 cache mostly adds to that time: with X in the
/// L2 cache the circuit takes 0.75 (K = 32) and 0.9 (64) of the time, and a plain loop over as
/// many random columns nearby about what this design takes. Loads of random rows alone, in small
/// pages, take as long as all of 3 entries a row. If X lay in huge pages at no cost, that would
/// run at 1.2 to 1.6 of the speed; with the copy it does at 0.83 to 1.08. Tried besides:
///   K = 64 in two tiles of 32 columns     0.8 to 0.99
///   every second product backwards        1.0 to 1.03, nothing where other data come between
///   rows of X prefetched in sorted order into the L2 cache, random loads alone   0.6 to 0.95
///   new rows in sorted order, all lines of a row at once                FEM 0.87 to 0.97
///   FEM, K = 32 and 64: planes of rows in tiles, so that X is read once into the L2 cache, 1.03
///   to 1.07; entries prefetched 4 and 6 KiB ahead or into the L2 cache, Y through the caches, Y
///   in huge pages, windows of four times the work: within noise
///
/// Other designs, in the ratio to oneMKL that they reached where the design before has the second
/// figure:
///   rows by length, stored row by row       band 0.98, 1.80 (K = 3); FEM 0.93, 1.28 (K = 4)
///   shifted slices that load X by rows      band 1.36, 1.80 (K = 3); 1.12, 1.37 (K = 64)
///   slices of 8, padded, at K = 1           stencil 0.80, 1.05; FEM 1.19, 1.56
///   tiles of 8 or 16 columns in turn        K = 64: 0.25 to 0.96, 0.86 to 1.40 untiled
///   Y through a buffer in the L1 cache      uniform (K = 4) 0.84 to 0.88, 0.79 to 0.89
///   X prefetched at K = 1                   0.92 to 1.07, 0.97 to 1.18
struct BlockedPolicy {
  /// Entries times (K + 16) of a window or a piece of a row: some ten microseconds.
  static constexpr std::int64_t window_work = 1 << 18;
  /// The same of a part of a window where threads have fewer than four windows each. On four
  /// matrices of 0.1 to 0.6M entries with 8 and 16 threads 1.06 to 1.11 (K = 1 and 3; memplus 1.4),
  /// more columns within noise.
  static constexpr std::int64_t part_work = 1 << 14;
  /// Four times as many: within noise.
  static constexpr index_t most_rows = 512;
  /// K = 1: rows enough that most of equal length find seven others; 512: 0.86 to 1 (R-MAT, FEM).
  static constexpr index_t one_column_rows = 4096;
  static constexpr std::int64_t one_column_entries = 1 << 15;
  /// Of X between the first entry of a piece of a row and its last, which the windows before it
  /// have left in the L2 cache: 1.05 to 1.25 on the circuit over pieces of as many entries as a
  /// window, all before the windows. 2 MiB: 0.9; 256 KiB: within noise.
  static constexpr std::int64_t piece_x_bytes = 512 << 10;
  static constexpr std::int64_t least_piece = 64;
  /// A thread takes windows that follow each other about so many times; one window at a time:
  /// 0.82 to 0.95 on the stencil.
  static constexpr std::int64_t shares = 16;
  /// Beyond it Y leaves the caches before it is read again: 1.01 to 1.65 at K = 8 to 64, 1.15
  /// to 1.23 on the stencil at K = 4, where rows that follow each other make whole lines (16
  /// threads: 1.09); 1.02 to 1.04 with 2 and 3 entries a row. K = 1, where slices of eight rows lie
  /// on lines of Y: 1.07 (stencil), 1.0 to 1.03 on others, 0.86 to 1.05 on the circuit.
  /// K = 3, four rows at a time: on a Zen 5 with 2 threads 1.09 to 1.2 (band, stencil, 3 entries a
  /// row), on a Xeon 1.02 to 1.11 on these with 2 and 16.
  static constexpr std::int64_t stream_bytes = 4 << 20;
  /// An L2 cache: beyond it rows of X are prefetched where they are new; K = 16: 1.02 to 1.24.
  static constexpr std::int64_t prefetch_bytes = 2 << 20;
  /// From so many columns on in all windows: FEM 1.07 (K = 32), 1.13 (64) where no rows were
  /// listed, others within noise.
  static constexpr std::int64_t prefetch_columns = 32;
  /// Windows that a thread takes together from which on the new rows of one are asked for, a line
  /// at a time, while the one before it goes by (new_rows.hpp); the last of them does so in vain.
  /// With windows that begin with a unit 1.07 to 1.17 (FEM, K = 32), 1.03 to 1.15 (64), 1.02 to
  /// 1.12 (stencil, 8), 0.97 to 1.17 (16), 1.03 to 1.16 (32), 1.03 to 1.06 (circuit, 8 and 16).
  static constexpr std::int64_t listed_together = 4;

  /// Strips may be parted up to K = 4, for the same answer with any number of threads, but not
  /// beside a near last-level cache: on a Zen 5 0.5 to 1.0 (K = 1 to 4, 2 threads), with strips of
  /// half the size 0.4 to 0.9, with blocks of 512 KiB 0.85 to 1.0. The speed over that without, on
  /// uniform and R-MAT, on Xeons:
  ///   K             1           3           4           8           16
  ///   2 threads     1.45 1.38   1.55 1.63   1.60 1.74   1.28 1.47   1.02 1.40
  ///   16 threads    1.17 1.04   1.13 1.32   1.19 1.08   0.90 1.02   0.78 0.85
  /// At K = 32 with 2 threads 0.95 and 1.13; uniform at K = 64 0.8.
  static constexpr std::int64_t most_parted_columns = 4;
  /// Bytes of Y that a strip keeps in the L2 cache beside a block of X; half as many again: 0.84 to
  /// 0.9; 1 MiB at K = 1: 0.92 to 0.95.
  static constexpr std::int64_t strip_bytes(std::int64_t k) { return k == 1 ? 512 << 10 : 1 << 20; }
  /// Bytes of X in a block. At K = 4 256 KiB: 0.95 (uniform), 1.03 (R-MAT).
  static constexpr std::int64_t block_bytes(std::int64_t k) {
    return k == 1 ? 256 << 10 : 128 << 10;
  }
  /// Loads of X spared for each entry from which on it pays: 3 entries a row spare 0.12 at K = 3
  /// and 0.07 at 4, where the speed is 0.75 and 0.86; uniform and R-MAT 0.37 to 0.55.
  static constexpr double least_spared(std::int64_t k) { return k == 1 ? 0.3 : 0.2; }
  /// At K = 1, where sums are scattered, entries a row from which on it pays; with 3: 0.83 to 0.93.
  static constexpr std::int64_t parted_row = 8;
};

}  // namespace sparserepro
