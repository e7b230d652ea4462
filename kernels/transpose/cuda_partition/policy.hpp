// How cuda_partition divides entries among tiles and columns among buckets, and its tuned numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sparserepro {

/// For one H200: 132 multiprocessors, 227 KiB of shared memory each. Figures are times relative to
/// what is set here, fp32 / fp64, measured there side by side; 10M entries in 500k x 500k unless
/// another matrix is named. Designs that were tried and dropped:
///   - a split that scatters to the places a histogram gives, so that buckets lie together: 1.21 /
///     1.25, and 17.7 in place of 13.5 bytes of workspace per entry on 3M x 3M, fp64;
///   - counters of 16 or 32 bits for each warp: 1.12 / 1.18;
///   - counters shared by all warps of a block: 2.5 on 4M x 2k, fp32, whose narrow buckets make
///     additions to one counter wait in one line;
///   - persistent blocks that load the runs of the next bucket: 0.98 with 4 runs per thread, but
///     65M entries need more, and with 8 it was 1.13;
///   - runs of the next bucket brought into L2 while this one is written: 1.04 / 1.10;
///   - buckets that leave by bulk copies while the next one is looked up: 1.03 / 1.00;
///   - odd blocks half a bucket behind the even ones: 1.00 / 0.99;
///   - counters of 32 bits, for each group of warps: in the bucket pass 1.03 / 1.00, 1.05 / 1.05 on
///     3 entries a row with 3M, 1.02 / 1.04 on R-MAT 20, 0.97 / 0.99 on the band; in the split too,
///     1.00 / 0.99 of that, 1.02 / 0.99 on the band. They leave room for 2560 columns in a bucket
///     of large tiles: both together, and no values copied in the split, 1.04 / 1.04, 1.14 / 1.36
///     on 10M in 20k x 4M, 1.05 / 1.08 on R-MAT 20, 1.05 / 1.07 on FEM, 1.06 / 1.09 on 4M x 2k;
///   - values of fp64 that the bucket pass loads and stores rather than copies to their places:
///     1.00, 0.98 on the band, 1.01 on R-MAT 20, 1.02 on 150k x 200k with 5M;
///   - values of fp64, or pairs, that the bucket pass copies to shared memory as they come, before
///     it ranks, and gathers when it writes: 1.08 / 1.08;
///   - columns of chunks counted by a kernel of its own, and what rest_kernel does by three: 1.04 /
///     1.01 in geometric mean of 11 matrices, 1.06 / 1.04 on the circuit; the plan in the bucket
///     pass too, by quotients of two runs 1.03 / 1.03 here, 1.06 / 1.05 on R-MAT 20;
///   - all of a multiprocessor's memory as shared memory, in every kernel: 1.06 / 1.07, for lines
///     of the L1 cache bound the loads under way. Staged columns, which left it 28 KB where rows
///     are in groups: by ncu 1.25 of the bucket pass on 3M x 3M in fp64. Yet fewer entries of fp64
///     a thread, which leave it 92 KB in place of 60, shorten the runs: 13 take 1.05, 12 1.03;
///   - rows that leave in two parts while values of fp64 arrive, in both passes, which leaves it 92
///     KB too: 1.04, 1.02 in geometric mean of 13 matrices; in seven parts, 1.22 and 1.14;
///   - runs that the bucket pass loads as if they were met again: 1.01 / 1.00.
/// Of the split alone, with the search of the first rows in its time:
///   - persistent blocks that load the columns of the next tile into registers while the last is
///     written: 1.03 / 1.03, the whole 1.02 / 1.02; while bulk copies write it, 1.09 / 1.01, the
///     whole 1.06 / 1.12;
///   - the same with bulk copies that bring columns and values too, sorted in place: 0.97 / 1.05,
///     the whole 1.00 / 1.12; tiles dealt in turn, 1.06 / 0.96, the whole 1.06 / 1.07. It takes 180
///     and 227 KB of shared memory, and what is asked for early delays what is waited for;
///   - a block per tile whose values of fp64 land by a bulk copy, behind the columns, and are
///     sorted in place: the whole 1.00 here, 0.99 on 100k x 100k and R-MAT 20, but 1.02 on the
///     band, 1.04 on FEM; in fp32 1.04. When they are asked for before the columns are there, the
///     split takes 1.09 / 1.10 of that; when each block seeks its first row by itself, 1.07 /
///     1.06. When they stay as they land and are gathered by what is written, the whole takes
///     0.99 / 1.08 here, 1.02 / 1.15 on the band;
///   - for persistent blocks, tiles that fill whole waves: 1.02 / 0.97 of theirs, with longer
///     tables of runs; counters shared by 8 warps: 0.97 / 1.02;
///   - entries that seek their row where a tile has far more rows than entries: 0.81 / 0.85 of the
///     whole with 1M entries in 30M x 1000, no difference elsewhere.
struct DevicePartitionPolicy {
  /// Threads of a block: two blocks on a multiprocessor, one of which waits for memory while the
  /// other ranks; or one with tiles of twice the size, and so with runs of twice the length. Small
  /// tiles take 1.11 / 1.22 here, 1.47 on 3M x 3M with 26M entries, but 0.79 on the circuit with
  /// 4.2M and 0.89 on 3 entries a row with 3M.
  static constexpr int small_threads = 512, large_threads = 1024;
  /// Threads of a multiprocessor: all have 64 registers.
  static constexpr int block_threads = 1024;
  /// Waves of large tiles from which on these pay, and the share of one that buckets must fill, in
  /// percent, which they do unless columns are so many that buckets are as wide as can be. 10M in
  /// 20k x 4M fill 70 / 75 %, and take 1.02 / 0.8 with large tiles.
  static constexpr int large_waves = 4;
  static constexpr int large_fill(std::size_t value_bytes) { return value_bytes > 4 ? 50 : 72; }
  /// Warps that share counters, and add to them one after the other. Fewer wait less for their turn
  /// and have more counters to clear and add up: pairs 1.08 / 1.07, with small tiles.
  static constexpr int group_warps = 4;
  /// Entries of a thread; a block of either pass orders a tile of threads * items in shared memory.
  static constexpr int items(std::size_t value_bytes) { return value_bytes > 4 ? 14 : 15; }
  /// Buckets, and columns of a bucket: their counters share the memory of a multiprocessor with the
  /// tile.
  static constexpr int largest_digits = 4608;
  /// Columns beyond those of a bucket, for what is not there: one of each lane.
  static constexpr int absent_columns = 32;
  /// Whether the split copies values straight to their places in shared memory, once they are
  /// known, rather than loading half of them while it adds up counts. In fp64 0.95 here, 0.96 on
  /// 100k x 100k, 0.97 on R-MAT 20 and FEM, 0.98 on the band; with small tiles, where another block
  /// works meanwhile, 1.01 on the circuit and on 4M x 2k. The second half alone: 1.00 here. In fp32
  /// 1.04 here and on 100k x 100k, 1.02 on R-MAT 20 and the band.
  static constexpr bool split_copies(std::size_t value_bytes, int threads) {
    return value_bytes > 4 && threads == large_threads;
  }
  /// Columns of a bucket up to which ranks are voted for: additions to one counter take turns.
  static constexpr int narrow_bucket = 8;
  /// Waves of buckets when even the most would exceed a tile: fewer make longer runs in the tiles.
  static constexpr int many_waves = 8;
  /// Waves of buckets at least, however few entries there are, but one alone while its buckets fill
  /// at most so many percent of a tile: 3 waves take 1.64 on 65536 x 65536 and 1.09 on 1M x 1M,
  /// both with 1M entries, fp32.
  static constexpr int bucket_waves = 3, one_wave_fill = 60;
  /// Chunks of one bucket. Each adds up the counts of all, so their number is bounded.
  static constexpr int chunks_per_bucket = 256;
  /// Share of a tile that a bucket and a chunk fill when entries spread evenly, in percent. Chunks
  /// of half a tile: 1.13 on R-MAT 20, fp32.
  static constexpr int fill = 94, chunk_fill = 97;
  /// Columns of a bucket, in percent of a tile, beyond which its chunks are larger, so that their
  /// counts take less than 3 bytes per entry: 1M entries of fp64 in 4M columns need 15.3 bytes of
  /// workspace each, in place of 18.
  static constexpr int wide_bucket = 36;
  /// Tiles of the split whose runs a thread of the bucket pass looks up at once, at most.
  static constexpr int runs_per_thread = 8;
};

/// How entries that occur twice are repaired, rather than sorted again. Figures as above, relative
/// to sorting again: 0.60 / 0.65 with 410k entries, each of them twice, 0.70 / 0.80 with 1M, 1.00 /
/// 1.04 with 4M; 0.46 / 0.47 where 100 of 4M entries occur twice.
struct RepairPolicy {
  /// Entries of A^T that a thread looks at, at most.
  static constexpr int items = 8;
  /// Entries of a row that is not in order, among which equal ones are searched one by one; entries
  /// that are equal, and walked along by one thread.
  static constexpr unsigned most_searched = 256, most_equal = 64;
  /// Neighbours not in order up to which it is tried, of `nnz` entries.
  static constexpr unsigned most(unsigned nnz) { return std::max(nnz / 4, 1U << 20); }
};

/// Columns in buckets of `width` consecutive ones. The quotient c / width of every column
/// c < 2^30 is umulhi(2 c, multiplier) >> shift: with s = floor(log2 width), multiplier =
/// ceil(2^(31+s) / width) exceeds the exact ratio by less than 1, so the quotient's error
/// c / 2^(31+s) stays below 1 / width while c width < 2^(31+s).
struct ColumnBuckets {
  std::uint32_t count = 1, width = 1;
  std::uint32_t multiplier = 0;
  int shift = 0;
  int low_bits = 0;  ///< hold every number below width + absent_columns; 0 for one column

  ColumnBuckets() = default;
  ColumnBuckets(std::uint32_t cols, std::uint32_t columns_per_bucket) : width(columns_per_bucket) {
    count = std::max((cols + width - 1) / width, 1U);
    while ((2U << shift) <= width) {
      ++shift;
    }
    while (width > 1 && (1U << low_bits) < width + DevicePartitionPolicy::absent_columns) {
      ++low_bits;
    }
    multiplier =
        static_cast<std::uint32_t>(((std::uint64_t{1} << (31 + shift)) + width - 1) / width);
  }
};

/// As many buckets as give each about one tile of entries, rounded up to whole waves of `blocks`
/// (that many work at once), within the limits of the method; for few entries one wave, of buckets
/// that are not narrow. When even the most buckets would exceed a tile, `many_waves` waves. One
/// column each where columns alone come near a tile.
inline ColumnBuckets choose_buckets(std::int64_t cols, std::int64_t nnz, std::int64_t tile,
                                    std::int64_t blocks) {
  constexpr std::int64_t most = DevicePartitionPolicy::largest_digits;
  const std::int64_t wanted = 100 * nnz / (DevicePartitionPolicy::fill * tile) + 1;
  const std::int64_t waves =
      std::max((wanted + blocks - 1) / blocks, std::int64_t{DevicePartitionPolicy::bucket_waves});
  const bool few = 100 * nnz <= DevicePartitionPolicy::one_wave_fill * blocks * tile;
  const std::int64_t preferred =
      few ? std::clamp(cols / (DevicePartitionPolicy::narrow_bucket + 1), wanted, blocks)
      : wanted <= most ? waves * blocks
                       : DevicePartitionPolicy::many_waves * blocks;
  if (cols <= most && nnz / std::max(cols, std::int64_t{1}) >= tile / 4) {
    return {static_cast<std::uint32_t>(cols), 1};  // the split alone sorts
  }
  const std::int64_t least = (cols + most - 1) / most;
  const std::int64_t least_waves = (least + blocks - 1) / blocks;
  const std::int64_t count =
      std::clamp(preferred, few ? least : std::min(least_waves * blocks, most), most);
  return {static_cast<std::uint32_t>(cols),
          static_cast<std::uint32_t>(std::max((cols + count - 1) / count, std::int64_t{1}))};
}

/// Shared memory that a block of `threads` needs at most in any pass: with as many buckets, or
/// columns of one, as there may be, and with what the kernels declare themselves.
constexpr std::int64_t most_shared_bytes(std::size_t value_bytes, int threads) {
  using Policy = DevicePartitionPolicy;
  constexpr std::int64_t digits = Policy::largest_digits, declared = 4096;
  const std::int64_t tile = threads * Policy::items(value_bytes);
  const std::int64_t counters =
      (digits + Policy::absent_columns) * (threads / 32 / Policy::group_warps / 2);
  const std::int64_t ranked = 4 * (counters + tile + 2 * threads);
  const std::int64_t staged = (tile + 4) * (4 + static_cast<std::int64_t>(value_bytes));
  // Beside it the columns of a bucket: where the entries of each go, and where they begin.
  return std::max(ranked, staged) + 6 * (digits + 8) + declared;
}

/// The parameter `tile` for a device whose blocks have so much shared memory: in place of auto,
/// small where a large tile does not fit.
inline std::string fitting_tile(const std::string& tile, std::size_t value_bytes,
                                std::int64_t shared_bytes) {
  const bool fits =
      most_shared_bytes(value_bytes, DevicePartitionPolicy::large_threads) <= shared_bytes;
  return tile == "auto" && !fits ? "small" : tile;
}

/// What two passes divide.
inline constexpr std::int64_t most_columns =
    std::int64_t{DevicePartitionPolicy::largest_digits} * DevicePartitionPolicy::largest_digits;

/// Whether large tiles pay for `buckets` chosen for them: there are enough of them, and buckets
/// fill more than a small one.
inline bool large_tiles_pay(const ColumnBuckets& buckets, std::int64_t nnz, std::size_t value_bytes,
                            std::int64_t multiprocessors) {
  const std::int64_t large_tile =
      DevicePartitionPolicy::large_threads * DevicePartitionPolicy::items(value_bytes);
  return nnz >= DevicePartitionPolicy::large_waves * multiprocessors * large_tile &&
         100 * nnz / buckets.count > DevicePartitionPolicy::large_fill(value_bytes) * large_tile;
}

/// Entries of a chunk of a bucket that exceeds one tile. Two tiles of them where counts of `width`
/// columns for each chunk would take as much memory as the rest.
constexpr std::int64_t chunk_entries(std::int64_t tile, std::int64_t width) {
  return width > tile * DevicePartitionPolicy::wide_bucket / 100
             ? 2 * tile
             : tile * DevicePartitionPolicy::chunk_fill / 100;
}

}  // namespace sparserepro
