// The tuned numbers by which cuda_csr_balanced chooses a path; paths.hpp and choose_plan.hpp apply
// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sparserepro {

/// Evidence is in microseconds of one product in fp64 on one H200, from runs while tuning, which no
/// archive has, or, where H stands, on one H100; mostly by another path first, then by the one that
/// is named. FEM is fem:nx=51,ny=51,nz=51 (31M entries); uniform 500k x 500k with 10M; stencil, 5
/// points, fem:stencil=5,nx=1096,ny=1096,nz=1,dofs=1 (6M); R-MAT rmat:scale=20,symmetric=0 (16M);
/// circuit and band their defaults; tall 1.5M rows of 4 to 6 entries in 4,000 columns.
struct PathPolicy {
  /// Calls from which an analysis pays that path merged does without, and lists of equal shares. K
  /// = 1, both take as long after: R-MAT 2, stencil 3.0, tall 3.7, band 5.6 (H).
  static constexpr std::int64_t paying_calls = 4;
  /// Bytes of rows of X, one for each entry and call, from which the search of groups pays. 27
  /// points and 3 unknowns: 24,000 rows, K = 32, 64, after 5.3 and 2.9 calls (2.4, 2.6 GB); 10,800,
  /// K = 32, 7 (1.4 GB); 375,000, K = 8, 32, 64, 2.4, 0.5, 0.3 (4.5, 3.9, 4.9 GB).
  static constexpr double paying_group_bytes = 2.5e9;
  /// Grouped: least share of the entries in rows with the columns of the row before. 3 unknowns a
  /// node, 0.67, K = 64, 319 (the library 568).
  static constexpr double least_same = 0.6;
  /// The same of groups of two: 2 unknowns a node, 0.5. By groups over without, 0.5M to 10M
  /// entries, 27 points, K = 3 to 8, 10 to 20, 24, 26 to 256: 0.74 to 1.02, 0.58 to 0.95, 0.82,
  /// 0.64 to 0.9; in fp32, K = 4, 6 to 24, 26 to 256: 0.81 to 1.07, 0.65 to 1.03, 0.62 to 0.93; 9
  /// points, K = 3 to 8, 10 to 22, 24, 26 to 256: 0.83 to 1.31, 0.75 to 0.97, 1.07, 0.62 to 0.91;
  /// in fp32, K = 10 to 20, 22 to 44, 48, 52 to 256: 0.89 to 1.15, 0.70 to 1.07, 1.03, 0.71 to
  /// 0.91; 5 points 0.77 to 1.37.
  static constexpr double least_same_of_pairs = 0.45;
  static constexpr double least_pair_mean = 14, long_pair_mean = 30;
  static constexpr std::int64_t least_short_pairs_k(bool whole) { return whole ? 12 : 22; }
  /// Rows from which groups pay that do not fill the device three times: with so many bytes of a
  /// row of X, or so many entries and two loads. 3 unknowns a node, 27 points, 7,100 to 24,000
  /// rows, K = 8 to 64: 0.66 to 0.97 of natural; 4,800 0.98 to 1.18; 9 points, 6,100, K = 20 to
  /// 128: 0.74 to 0.91.
  /// Fewer with odd K: 5850 rows of 107, K = 5 to 15, grouped 0.69 to 0.92; 16,000 of 26 0.85 to
  /// 0.97.
  static constexpr std::int64_t least_grouped_rows(int width) { return width == 1 ? 5500 : 6000; }
  static constexpr std::int64_t least_grouped(int width) { return width == 1 ? 420'000 : 480'000; }
  static constexpr std::size_t wide_grouped_bytes = 192;
  /// Bytes of a row of X from which they pay where packed would take the rows; fewer of rows of so
  /// many entries, but in fp32 not by loads of two columns. Packed, 30,000, 70,000, 700,000 rows, K
  /// = 3, 4, 6, 8: 9 points and 3 unknowns 1.01, 1.2, 1.18, 1.18 of groups, 1.2, 1.5, 1.33, 1.30,
  /// 0.77, 1.09, 0.97, 0.89; 5 points 0.88, 0.84, 0.94, 0.96, 1.06, 1.0, 1.04, 1.13, 0.70, 0.60,
  /// 0.93, 0.91; K = 10, 12, 60,000: 0.83, 0.94; 9 points in fp32, K = 10, 18, 0.79, 0.77.
  static constexpr std::size_t packed_grouped_bytes = 96, narrow_grouped_bytes = 24;
  /// The same of fours that fill the device six times. In fp32, K = 3, 5: 0.5M and 0.6M rows of 20
  /// 0.69 to 0.75; 104,000 1.12, 1.09; 36,000 1.2, 1.15.
  static constexpr std::size_t narrowest_grouped_bytes = 12;
  /// Rows from which threes are packed with three columns. 5 and 9 points of 3, 5, 6 and 7
  /// unknowns, 27 points of 3 and 5, 15,000 to 700,000 rows: 0.69 to 0.92; but 76 a
  /// row, 9.2M, 1.35.
  static constexpr std::int64_t least_triple_rows = 12'000, most_long_triples = 4'000'000;
  static constexpr double long_triple_mean = 50;
  static constexpr double narrow_grouped_mean = 18;
  /// In fp32, K = 10 to 22, groups by loads of two columns over packed: 9 points 0.61 to 1.08; 5
  /// points and 6 unknowns 0.73 to 1.04, 5 0.87 to 1.23, 4 0.75 to 1.09.
  static constexpr double least_grouped_mean_of_two_columns = 25.2;
  /// By one load, with one column fours alone: least entries, and entries a row by the rows of a
  /// group. K = 2, in fp32 2 and 4, natural over grouped: fours of 20 0.89 to 1.13, of 35 1.02
  /// to 1.34, of 70 and more 1.06 to 1.66; threes of 15 to 30 0.72 to 0.97, of 45 0.80 to 0.96, of
  /// 53 and more 0.86 to 1.4.
  static constexpr std::int64_t least_grouped_of_one = 1'000'000;
  static constexpr double least_grouped_mean_of_one(int group_rows) {
    return group_rows == 4 ? 30 : 50;
  }
  /// But not with odd K from 17 to 31, whose lanes are a warp; to 23 where rows are long or go by
  /// fours. K = 17, 31, 9 points and 3 unknowns 177, 181, natural 135, 161; 27 points 262, 265,
  /// natural 208, 291; 5 points and 4 unknowns in fp32, K = 31, 76, natural 83.
  static constexpr std::int64_t least_ungrouped_odd = 17, most_ungrouped_odd = 31;
  static constexpr std::int64_t least_grouped_odd = 25;
  static constexpr double least_grouped_odd_mean = 60;
  /// Nor with those whose loads 8 lanes take, but of long rows. K = 33, 39: 5 points and 3 unknowns
  /// 84, 86, natural 74, 77, in fp32 71, 72, natural 50, 50; 27 points and 4 unknowns 102, 103,
  /// natural 105, 108; in fp32, K = 49, 63: 9 points and 3 unknowns 38, 39, natural 34, 43.
  static constexpr std::int64_t least_odd_natural = 33;
  static constexpr std::int64_t most_odd_natural(std::size_t element_bytes) {
    return element_bytes == 8 ? 40 : 56;
  }

  /// Packed, side by side: lanes of 16 bytes, entries a row in the mean, threads of all rows and
  /// bytes of X of even rows of a far matrix. K = 16, 24: 20,000 rows of 500 227, 338, so 167, 268;
  /// worst 13,900 of 179, K = 24, 114, 122; in fp32, K = 24, 64: 283, 462, so 155, 392.
  static constexpr std::int64_t least_side_lanes = 6, most_side_lanes = 16;
  static constexpr std::int64_t least_side_mean = 64, least_side_threads = 100'000;
  static constexpr double least_side_bytes = 45e6;

  /// Blocks: entries a row in the mean, the longest row in means, and least rows. K = 3, 8, 24: 731
  /// rows of 951 11.8, 9.9, 23.7, so 9.7, 10.4, 18.2; 2050 of 3483 70, 88, 277, so 67, 70, 165; 150
  /// of 20,000, K = 64, 205, so 244. In records: report/ablations/h200/long_rows.jsonl.
  static constexpr std::int64_t least_block_mean = 120, most_block_length = 4;
  /// The same of less rows than the device holds at once, and with K = 3. 1500 to 2600 rows of 108
  /// to 118, K = 8, 16, 32, 64: 0.93, 0.76 to 0.84, 0.89, 0.81 to 0.93; K = 3, 2000 of 83 0.71.
  static constexpr std::int64_t lower_block_mean = 100, triple_block_mean = 80;
  /// The same of less than `few_rows` rows, and most columns of these where the longest row has
  /// more than twice the mean. K = 3, 16, 64: 500 rows of 100 5.9, 7.6, 8.4, so 5.1, 5.2, 7.0; 496
  /// of 100, 484 at most, 7.6, 7.7, 8.8, so 4.9, 6.4, 12.1; 900 of 184, K = 28, 64: 10.0, 14.5,
  /// so 12.6, 21.3.
  static constexpr std::int64_t few_block_mean = 60, most_few_block_length = 6;
  static constexpr std::int64_t most_uneven_block_columns = 20;
  static constexpr std::int64_t least_block_rows = 200;
  /// Most columns for rows of a dense matrix, from 1 / `dense` of the columns on, unless they are
  /// less than `few_rows`. 2000 rows of 400 of 2000 columns, K = 12, 24, 64: 15.2, 18.1, 33.5,
  /// so 12.9, 21.3, 45.3. From 1 / `very_dense` on where rows are less than fill half of the
  /// device: a twelfth to a twentieth, K = 32, 64, 0.74 to 0.95; 2600 rows 0.88 to 1.22.
  static constexpr std::int64_t dense = 32, very_dense = 8;
  static constexpr std::int64_t most_dense_columns(std::size_t element_bytes) {
    return element_bytes == 8 ? 16 : 24;
  }
  /// The same for more rows than the device holds at once, if far, and the most columns, even and
  /// odd. K = 3, 8, 24: 13,900 rows of 179 37, 53, 114, so 30, 50, 115; K = 8, 16, 17, 31: 6510 of
  /// 1038 164, 209, 257, 389, so 111, 169, 230, 372. With K = 3 always: 12,000 of 130 20.2, 15.7;
  /// 8192 of 410 35.4, 22.1; near, 5000 of 144 11.4, 9.0. With K = 5, 7 from a lower mean on, but
  /// not `dense`: 6000 of 150 15.5, 16.9, so 12.7, 14.4; 8192 of 410 28.8, 31.4, so 32.7, 35.7.
  static constexpr std::int64_t far_block_mean = 150, many_block_rows = 6000;
  static constexpr std::int64_t most_odd_block_columns = 31;
  static constexpr std::int64_t most_block_columns = 16;

  /// Natural order by one load: most batches of its team that the longest row takes, or as many
  /// rows of the mean. K = 1, by flat over it: powers of 4 to 18 in the mean with 1.9, 3.1, 6.2, 16
  /// batches 0.97, 0.97, 0.81, 0.75; 1145 a row 1.2. K = 2, by bins or flat: 1.11, 1.05, 0.81,
  /// 0.97.
  static constexpr double most_one_load_batches = 3;
  /// Entries of the longest row up to which it does so all the same. Poisson of 2 and 6, at most 13
  /// and 20, K = 2, in fp32 4, by packed or path short_rows over it: 1.06 to 1.10.
  static constexpr double one_load_length = 24;
  /// Padding from which one column goes by flat. Powers of 1.4 to 6 in the mean, 15 to 136 at most,
  /// padding of 4.1 to 6: 0.80 to 1.0; of 12 1.04 to 1.09.
  /// Where others are empty, 1.12.
  static constexpr double least_flat_padding = 4;
  /// Not with one column where far rows with so many entries in the mean, of those that have some,
  /// and A, X and Y are more than L2 keeps: path flat. Uniform of 20 to 32 a row 1.06 to 1.14; of
  /// 10 in two of three rows 1.09; 4 0.94.
  static constexpr double least_far_some = 6;
  /// Most entries a row in the mean where natural order takes rows that blocks could take. K = 1,
  /// 2, in fp32 also 4: 500 to 3000 rows of 70 to 317 0.69 to 0.95. K = 1, blocks over natural:
  /// 2260 rows of 894 1.18, of 2664 0.85.
  static constexpr std::int64_t most_warp_mean = 320, most_full_warp_mean = 1024;

  /// Flat with K = 1: least entries; where a row has several parts, which a second kernel adds up,
  /// and where rows are long in the mean. memplus (0.1M) 5.1, 3.8; a circuit of 0.4M with rows of
  /// 7000 6.3, 7.5; a web of 0.57M 9.8, 8.7; 0.43M in rows of 32, 4265 at most, 11.7, 9.1.
  static constexpr double least_flat = 5e4, least_flat_of_parts = 5.5e5;
  static constexpr double least_flat_of_long = 2e5;
  static constexpr std::int64_t long_flat_mean = 20;

  /// Flat with K > 1: entries of uneven rows, lanes of a team, columns of fp32. Bins, so, K = 5,
  /// 12: web-NotreDame (1.5M) 31, 54, 29, 42; R-MAT 276, 342, 221, 279; a graph of 1.2M, K = 8,
  /// 15.4, 18.9; two lanes, web, K = 4, 17.6, 20.1; fp32, K = 7, 20: web 1.16, 0.74 of the time.
  static constexpr std::int64_t least_shares = 1'400'000;
  /// The same of uneven rows with some odd K. K = 3, webs and powers of 0.13M to 1.3M entries 0.66
  /// to 1.03, in fp32 0.71 to 1.06; K = 5 0.87 to 1.02, in fp32 0.87 to 1.09; K = 7 0.91 to 1.41; K
  /// = 9, up to 0.52M 0.91 to 1.37, from 0.54M on 0.77 to 0.97, in fp32 0.82 to 1.0.
  static constexpr std::int64_t least_shares_of(std::int64_t k, std::size_t element_bytes) {
    return k == 3 || (k == 5 && element_bytes == 8) ? 100'000 : k == 9 ? 530'000 : least_shares;
  }
  static constexpr std::int64_t least_share_lanes = 3, most_share_lanes = 10, least_fp32_shares = 9;
  /// Other K too for uneven rows far from the diagonal: entries of those that have some in the
  /// mean; with two lanes bytes of X; in fp32 columns and bytes. Power law of 2.3M rows, K = 2, 31:
  /// 173, 959, so 106, 623; R-MAT, K = 4, 24: 111, 292, 98, 348; in fp32, K = 3, 112, 96.
  static constexpr double most_far_share_mean = 6, least_far_share_bytes = 16e6;
  static constexpr double least_far_fp32_bytes = 3e6;
  static constexpr std::int64_t most_far_fp32_shares = 6;
  /// The same for far rows of any lengths in fp64: entries a row in the mean, and in all. K = 5,
  /// 16: 20,000 rows of 250 64, 110, so 59, 95; 697 of 2350 36, 58, so 28, 46; in fp32, 9000 of
  /// 778, K = 24, blocks 136, so 201.
  static constexpr std::int64_t long_share_mean = 64, least_long_shares = 3'000'000;
  static constexpr std::int64_t very_long_share_mean = 500, least_very_long_shares = 1'600'000;
  static constexpr std::int64_t most_long_share_lanes = 8;

  /// Staged: entries a row in the mean of even rows of a far matrix, and most columns. Packed or
  /// natural, so, K = 3, 8, 16: uniform (20 a row) 125, 146, 241, so 98, 124, 222; (8) 95, 158,
  /// so 83, 152 at K = 8. In records: report/ablations/h200/whole_lines.jsonl.
  static constexpr double staged_mean = 6, long_staged_mean = 12;
  static constexpr std::int64_t most_staged = 8, most_staged_long = 20;

  /// Bytes of X that stay in L2; as many columns as take so much go at once. Tall, K = 64, by 16,
  /// 64 columns: 607, 382 (H).
  static constexpr double resident_bytes = 33e6;
  /// Packed: K below which even rows of one slot go so; less where rows are short and X exceeds L2.
  /// Natural, packed: tall, K = 5, 144, 75; K = 20, rows of 3 205, 236, tall 197, 186. Twice as
  /// many by loads of 16 bytes of fp32, K = 32: 9 points 49.7, 39.4; rows of 3 108, 120. K = 22,
  /// fp32 44: bands, 27 points, uniform 0.76 to 0.98 of natural; rows of 4, 16,000 to 160,000, 0.72
  /// to 0.98, 9 points 0.9 to 1.04; K = 24, 9 points 1.13 to 1.17.
  static constexpr std::int64_t packed_below(double mean, double x_bytes) {
    return mean < 7.5 && x_bytes > resident_bytes ? 16 : 24;
  }
  /// Bytes of Y up to which rows of such means, none longer than so many times theirs, are packed
  /// whatever K is; of odd K fewer. K = 31, 32, 48, 64: 5000 rows of 4 to 7, 0.83 to 0.9 of
  /// natural; K = 31, 32, 64, 16,000 of them 0.94 to 1.0.
  static constexpr double small_packed_bytes = 2.6e6, small_odd_bytes = 9e5;
  static constexpr double least_small_mean = 4, most_small_mean = 14, most_small_length = 3;
  /// Warps of rows with one slot from which path packed takes them, though natural order has more
  /// slots; more of them for long rows. K = 16: 4500 rows of 8, 25, 51 1.00, 1.30, 1.42 of natural,
  /// 11,000 0.89, 1.00, 1.02, 15,000 0.92, 0.92, 0.88; bands of 9 and 27, 8000 rows, 0.82, 0.95.
  static constexpr double least_packed_warps = 800, most_packed_warps = 3168;
  static constexpr double packed_warps(double mean) {
    return std::min(most_packed_warps, least_packed_warps * std::max(1.0, mean / 10));
  }
  /// Odd K, and entries a row, from which such rows are natural instead. K = 17: 5 points, packed
  /// 175, natural 134; uniform 182, 183; 1.6 entries, K = 13, 39, 50.
  static constexpr std::int64_t unpacked_odd = 15;
  static constexpr double unpacked_mean = 4.5;

  /// Short rows: most entries a row in the mean, where three loads a lane leave none idle, and of
  /// rows with some. One entry a row, K = 16, 64, 100: natural 30, 118, 184, so 24, 92, 155; three
  /// entries in each fourth row, K = 128, 633, 579; eight in each tenth, K = 8, by flat 0.9 of it,
  /// K = 24 natural 0.95, K = 100, 128 natural 1.06, 1.07; roads, K = 31, 335, 321.
  static constexpr double most_short_mean = 2.7, most_short_mean_of_threes = 2.2;
  /// Least elements of Y for the path, by the loads of a row. Up to two entries a row, K = 7, 22,
  /// 31, 48: 28,000 rows 1.19 to 1.24, 1.09 to 1.16, 1.03 to 1.06, 1.05 to 1.11 of packed or
  /// natural, 300,000 1.0 to 1.07, 1.0, 1.0, 1.0; K = 16, 28,000 rows 1.0, 5,000 1.1; in fp32, K =
  /// 40, 55,000 to 95,000 rows 1.18 to 1.3, K = 31, 5000 rows of 3 to 7 1.13 to 1.27.
  static constexpr std::int64_t least_short_elements_of(std::int64_t lanes, int width) {
    return width == 1 ? 1'500'000 : lanes > whole_lanes ? 3'500'000 : 400'000;
  }
  static constexpr double most_short_mean_of_some = 4.5;
  /// Odd K: least in fp64, and from which rows may have more entries in fp32. K = 7, 9, 13: 5
  /// points 63.8, 80.0, 119.8, so 49.1, 60.6, 80.4; 9 points 36.2, 45.0, 66.1, so 27.5, 33.4, 45.2;
  /// uniform of 9 a row 22, 24, 31, so 30, 33, 37.
  static constexpr std::int64_t least_short_odd = 7, shared_short_odd = 5, any_short_odd = 9;
  static constexpr double most_short_mean_of_odd = 7;
  /// Longer ones of a large Y, from and below an odd K. K = 25, 31: band of 9 a row 83, 84, so 72,
  /// 79; uniform of 9 57, 61, so 55, 60; hub columns of 8 84, 89, so 71, 79; K = 21 55, so 60. From
  /// K = 33 to 63 8 lanes take a row instead. K = 41, 55, 5 points 81, 119, natural 70, 83.
  static constexpr std::int64_t longer_short_odd = 25, least_odd_of_lanes = 33;
  static constexpr std::int64_t most_odd_of_lanes = 63, least_longer_elements = 3'500'000;
  static constexpr double most_short_mean_of_longer = 10;
  static constexpr double most_short_mean_of_any = 4.9, most_short_mean_of_sharing = 10;
  /// Of these below `unpacked_odd`, least elements of Y and bytes of X. K = 9: 5 points of 302,000
  /// rows 20.1, 18.9, dual mesh of 258,000 15.4, 16.6, 716,000 rows of 3 in few columns 38.0, 42.1.
  static constexpr std::int64_t least_short_elements = 2'600'000;
  static constexpr double least_short_bytes = 1e6;
  /// Share of the entries whose column the row before has, from which rows share so.
  static constexpr double least_sharing = 0.3;
  /// fp32 by few loads of 16 bytes, K = 16 to 28; and eight loads where packed has too many. K =
  /// 16, 24: roads 89, 130, so 81, 115; K = 16 in fp64: 175, so 149; 5 points 115, so 110.
  static constexpr std::int64_t least_part_lanes = 4, most_part_lanes = 7, whole_lanes = 8;
  static constexpr double most_short_mean_of_part = 6.1, most_short_mean_of_whole = 7.5;
  /// The same of few columns: how many, least K, entries of rows with some. Packed or natural over
  /// it, K = 16, 64, 100, 256: 3 entries a row in 20 columns 1.39, 1.14, 1.18, 1.01; 7 in
  /// 1500 1.01, 0.99, 1.00, 0.98; in fp32 1.29, 1.17, 1.22, 1.27 and 1.13, 1.04, 1.03, 0.96.
  static constexpr std::int64_t few_short_columns = 2048, least_few_columns_k = 16;
  /// Least elements of Y for that, up to eight loads. 56,000 to 120,000 rows of 6 to 10, packed
  /// over it: K = 16 0.83 to 0.95, in fp32, K = 32, 0.79 to 0.84; 123,000 of 4, K = 32, 1.08.
  static constexpr std::int64_t least_few_columns_elements = 6'000'000;
  static constexpr double most_few_columns_mean(std::size_t element_bytes) {
    return element_bytes == 8 ? 6.5 : 12;
  }
  /// Uneven rows as they lie: bytes of a row of Y, or odd K, where most rows have few entries.
  /// Power laws of 1.6 in the mean, bins over it: K = 31, 63, 100, 128 1.2, 1.25, 1.09, 1.05; R-MAT
  /// of 4 a row that has some 0.99, 1.23, 0.95, 0.95.
  static constexpr std::int64_t least_lying_bytes = 800, least_lying_odd = 31;

  /// Binned: padding of 32 rows to their longest beyond which rows are uneven. Tall (2.2), K = 4,
  /// in bins 108, natural 62; web-NotreDame (4.1), K = 8, 38, 101 (H).
  /// Powers of 4 in the mean, 15 at most (3.15), K = 4, in bins 19.9, natural 15.0; circuits (3.3),
  /// K = 16, in fp32 32, 64, 60, packed 47, 44.
  static constexpr double most_even_padding = 3.5;
  /// The same for teams of less than a warp where rows have so many entries in the mean. cnr-2000
  /// (2.9), K = 16, natural 111, in bins 78; at K = 64 by whole warps 41, 47 (H).
  static constexpr double most_even_padding_of_part_warps = 2.5, part_warp_mean = 4.5;
  /// The longest row, in means, up to which the former holds whatever the team. 35 % of the rows
  /// empty, others of 9.6, K = 7, in bins 132, packed 83.
  static constexpr double bounded_rows = 8;
  /// Rounds of batches of the longest row, beyond twice those of a warp's share of the rows, from
  /// which rows are uneven. memplus (longest 574), K = 4, natural 49.1, in bins 8.2 (H).
  static constexpr double least_overhang = 8;
  /// Entries of the longest row up to which rows are even, whatever their padding: two batches;
  /// more where rows with entries have few in the mean. 1.5 in the mean, 9 at most, K = 3, 8, 100:
  /// by flat or bins 56, 68, 801, so 34, 65, 617; 4.5, at most 32, K = 8, by flat 0.7 of it; 2.5,
  /// at most 30, K = 7, 8, 9, 12, by flat 0.72, 0.70, 0.62, 0.73.
  static constexpr std::uint64_t tiny_rows = 8, tiny_rows_of_few = 16;
  static constexpr double tiny_mean = 3;
  /// The longest row, in means of the rows with entries, up to which rows are even where one in
  /// `least_empty` or more has none, but for path flat from so many lanes on, or odd K. 77 % empty,
  /// others of 4, K = 2, 31: in bins 132, 778, so 76, 537; K = 8 by flat 118, packed 127.
  static constexpr double most_alike_length = 6;
  static constexpr std::int64_t least_empty = 4, least_alike_lanes = 4, most_odd_alike = 7;
  /// Entries of the others from which such rows are uneven all the same where most rows are empty:
  /// a team waits among empty ones. 60 and 72 % empty, 60,000 to 400,000 rows, others of 11 to 24,
  /// four to eight loads: in bins 0.70 to 0.95 of natural or packed; of 7, 1.14. Rows, and loads,
  /// from which all columns at once are better: natural order and bins read the rows again for each
  /// block of columns. 250,000 and 400,000 rows, K = 64, packed 0.75 to 0.81, K = 128 and 256 by
  /// path short_rows 0.77 to 0.85; 60,000 rows, K = 64, packed 1.0 to 1.07, in bins 0.89 to 1.0;
  /// 120,000, K = 128, in bins 97, by short_rows 113. Where four fifths are empty, two loads in
  /// bins 0.47 to 0.73, 17 to 32 by short_rows 0.88 to 1.0 of packed.
  static constexpr double least_apart_mean = 7.5;
  static constexpr std::int64_t least_apart_rows = 200'000;
  static constexpr std::int64_t least_apart_lanes = 17;
};

}  // namespace sparserepro
