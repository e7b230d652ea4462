// Tuned numbers of omp_csr_blocked; README.md tells where each is asked for, and what was dropped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "formats/types.hpp"

namespace sparserepro {

/// Figures are ratios of speed, with the number before without. Z3, Z4: Zen 3, Zen 4, X: Xeon with
/// L2 caches of 2 MiB, 2 threads.
struct BlockedPolicy {
  /// So many columns of X are few, on every processor.
  static constexpr std::int64_t few_columns = 8;
  /// Entries and rows of a window, so that it takes some ten microseconds, but no more than 1/64 of
  /// all entries, for the balance of 16 threads. At K = 1 rows shall find seven others of their
  /// length there: with four times the least work 1.0 to 1.4 on 1, 2 and 4 threads, ten matrices of
  /// 12,000 to 180,000 entries; with eight times 0.8 on 4 threads (X). The same up to K = 8 where
  /// rows are not short: 1.0 to 1.4 on matrices of up to 120,000 entries; on roads 0.9 to 1.1.
  static constexpr std::int64_t window_entries(std::int64_t k, std::int64_t nnz,
                                               std::int64_t rows) {
    constexpr std::int64_t window_work = 1 << 18, windows = 64;
    const bool is_wide = k == 1 || (k <= few_columns && nnz >= short_rows * rows);
    const std::int64_t least_work = is_wide ? 1 << 16 : 1 << 14;
    const std::int64_t most = k == 1 ? 1 << 15 : 1 + window_work / (k + 16);
    return std::clamp(nnz / windows, 1 + least_work / (k + 16), most);
  }
  /// Of X between the first entry of a piece of a long row and its last: 1.05 to 1.25 on a circuit
  /// over pieces of a window's size ahead of all windows; 2 MiB: 0.9 (X).
  static constexpr std::int64_t piece_x_bytes = 512 << 10;
  static constexpr std::int64_t least_piece = 64;
  /// Of Y, from which on it is written past the caches: 1.01 to 1.65 at K = 8 to 64 (X).
  static constexpr std::int64_t stream_bytes = 4 << 20;
  /// Products from which on `automatic` makes bundles: calls after which these and their
  /// preparation take less time than path csr, median: K = 1 14 in fp32, 30 in fp64,
  /// K = 8 19 (X, 26 cells), 26 (Z4), K = 16 7, K = 32 6 (Z4, seven matrices).
  static constexpr std::int64_t paying_calls(std::int64_t k) {
    return k == 1 ? 20 : k < 16 ? 24 : 7;
  }
  /// At K = 1, of 0 for many. With fewer, shifted slices and units take less time in all than
  /// diagonals (60 to 110), and csr than bundles of rows of 11 and more scattered entries (20 to
  /// 180) (X). Diagonals where nothing else is shared pay from 12 to 33 on.
  static constexpr bool are_few(std::int64_t calls) { return calls != 0 && calls < 64; }
  /// Bundles up to so many columns, but for one, which are a cache line of X. K = 8 1.37, 9 to 11
  /// 0.95 to 1.1 (X); 8 1.4, in fp32 1.6, 9 and 16 in fp32 1.3 and 1.4 (Z4); with AVX2 8 1.2, in
  /// fp32 8 1.3, 16 1.2 (Z3); README.md, "Without a copy".
  static constexpr std::int64_t line_columns(std::int64_t sum_bytes) { return 64 / sum_bytes; }
  /// And of an X up to so many bytes, for few_columns / 2 and more: of a larger one K = 4, 5, 7, 8
  /// 0.94, 0.93, 0.83, 1.01 (Z4), 1.07, 0.98, 0.91, 1.05 (Z3).
  static constexpr std::int64_t few_columns_x_bytes(bool near_last_level_cache, std::int64_t k) {
    return near_last_level_cache && k >= few_columns / 2 ? std::int64_t{16} << 20
                                                         : std::numeric_limits<std::int64_t>::max();
  }
  /// And where rows have fewer entries in the mean: of an X beyond the L2 cache with 32 and more
  /// bundles take 1.05 to 1.6 times as long as csr at K = 2 to 8, of a smaller one with 42 and 48
  /// 0.86 to 1.08, with 64 and more 0.9 to 1.16 (X). Of two vectors that overlap within a line
  /// 1.0 to 1.04 times as long with 7 and more, 0.82 to 0.89 with fewer (Z3).
  static constexpr std::int64_t few_columns_short_rows(std::int64_t x_bytes, bool overlap) {
    return overlap ? 7 : x_bytes <= prefetch_bytes ? 48 : 32;
  }
  /// Bundles where rows have fewer entries in the mean, whose ends the processor does not foresee,
  /// and X lies in an L2 cache; with a large X 0.7 to 1.5.
  static constexpr std::int64_t short_rows = 4;
  /// The same at K = 1, whatever X: 3 entries 1.7 to 3.0; 6: 1.2 to 3.4; 10: 1.1 to 1.4; 14: 1.2 to
  /// 1.5; 26 to 30: 1.0 to 1.75, in the mean 1.2; 32 and more: 0.6 to 1.1 (Z4, X). Jagged slices of
  /// elements of 8 bytes 1.0 to 1.2 up to 63, of 4 bytes 1.1 to 1.4 up to 80, from 100 on 1.0 (X).
  /// With few calls those whose bundles pay after 5 to 35 products.
  static constexpr std::int64_t one_column_short_rows(std::int64_t calls, int jagged_bytes) {
    return are_few(calls) ? 11 : jagged_bytes == 8 ? 64 : jagged_bytes == 4 ? 96 : 32;
  }
  /// Else bundles from this share of the entries on in units of several rows or shifted slices, and
  /// slices of diagonals at K = 1 from this share on in them.
  static constexpr double shared_entries = 0.5;
  /// Their values with zeros, up to so many bytes of values, so that they lie in the L2 caches of
  /// the threads: 1.2 there, 0.7 beyond them; 8 threads 1.1 to 1.2, up to 1.3 MB a thread on two
  /// and four 0.87 to 1.15 (X).
  static constexpr std::int64_t padded_bytes(std::int64_t threads) {
    return (threads << 20) + (1 << 18);
  }
  /// Of X, an L2 cache: beyond it rows of X are prefetched; K = 16: 1.02 to 1.24 (X).
  static constexpr std::int64_t prefetch_bytes = 2 << 20;
  /// But not by windows that meet rows of X between so few that these stay in the cache, and each
  /// of them often: 1.07 to 1.35 on bands and FEM, K = 8 to 32; with five entries a column 0.95
  /// (X).
  static constexpr std::int64_t near_columns(std::int64_t row_bytes, std::int64_t nnz,
                                             std::int64_t cols) {
    return nnz < 8 * cols || row_bytes == 0 ? 0 : (1 << 20) / row_bytes;
  }
};

}  // namespace sparserepro
