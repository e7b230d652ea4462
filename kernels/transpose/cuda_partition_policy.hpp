// How cuda_partition divides the columns among buckets, and its tuned numbers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sparserepro {

/// Tuned on one H200 (132 multiprocessors, 227 KiB of shared memory each). Uniform 500k x 500k,
/// 10M entries, fp32 / fp64: blocks of 512 threads (two on a multiprocessor) 0.28 / 0.37 ms, of
/// 1024 0.26 / 0.31 ms, as the longer tiles leave runs twice as long and need half the buckets; FEM
/// of 31M entries, fp64: 1.12 and 0.88 ms. Half the threads with twice the entries each: 0.30 /
/// 0.35.
struct PartitionPolicy {
  /// At most 64 registers each: one block, 32 warps, fills a multiprocessor.
  static constexpr int threads = 1024;
  static constexpr int warps = threads / 32;
  /// Tiles whose columns one block of the histogram counts.
  static constexpr int histogram_tiles = 2;
  /// Buckets, and columns of a bucket: 160 KiB of counters. Two passes divide the square of it.
  static constexpr int largest_digits = 2560;
  /// A bucket beyond one tile is shared by blocks, each of which gets a chunk of one tile; half of
  /// it when there are fewer tiles than `many_waves` waves: such buckets hold the frequent columns,
  /// and additions to one counter take turns.
  /// Uniform, 100M entries in 1M columns, fp64: 3.23 ms; with halves and the most buckets 4.44 ms.
  static constexpr int many_waves = 8;
  /// Waves of buckets at least, however few entries there are.
  static constexpr int bucket_waves = 3;
  /// Setting up a tile of the split in terms of steps of its blocks.
  static constexpr int split_fixed_steps = 4;
  /// Chunks of one bucket. Each adds up the counts of all, so their number is bounded.
  static constexpr int chunks_per_bucket = 256;
  /// Share of a tile that a bucket fills when entries spread evenly, in percent.
  static constexpr int bucket_fill = 92;

  /// Entries per thread of the split, whose shared memory stages `bytes` per entry and 2 for its
  /// digit; of the bucket pass, which needs no digits.
  static constexpr int split_items(int bytes) { return bytes <= 8 ? 16 : bytes <= 12 ? 14 : 11; }
  static constexpr int bucket_items(int bytes) { return bytes <= 12 ? 16 : 12; }
  static constexpr int split_tile(int bytes) { return threads * split_items(bytes); }
  static constexpr int bucket_tile(int bytes) { return threads * bucket_items(bytes); }
};

/// Columns in buckets of `width` consecutive ones. The quotient c / width of every column
/// c < 2^24 is umulhi(2 c, multiplier) >> shift: with s = floor(log2 width), multiplier =
/// ceil(2^(31+s) / width) exceeds the exact ratio by less than width / 2^(31+s), so the error of
/// the product stays below 1 / width.
struct ColumnBuckets {
  std::uint32_t count = 1, width = 1;
  std::uint32_t multiplier = 0;
  int shift = 0;
  int low_bits = 0;  ///< hold every number below width

  ColumnBuckets() = default;
  ColumnBuckets(std::uint32_t cols, std::uint32_t columns_per_bucket) : width(columns_per_bucket) {
    count = std::max((cols + width - 1) / width, 1U);
    while ((2U << shift) <= width) {
      ++shift;
    }
    low_bits = shift + ((1U << shift) < width ? 1 : 0);
    multiplier =
        static_cast<std::uint32_t>(((std::uint64_t{1} << (31 + shift)) + width - 1) / width);
  }
};

/// As many buckets as give each about one tile of `tile` entries, rounded up to whole waves of
/// `blocks` (that many work at once), within the limits of the method. When even the most buckets
/// would exceed a tile, `many_waves` waves, since fewer buckets make a faster split. Up to
/// `largest_digits` columns, each is a bucket of its own and one pass does all.
inline ColumnBuckets choose_buckets(std::int64_t cols, std::int64_t nnz, std::int64_t tile,
                                    std::int64_t blocks) {
  constexpr std::int64_t most = PartitionPolicy::largest_digits;
  if (cols <= most) {
    return {static_cast<std::uint32_t>(cols), 1};
  }
  const std::int64_t wanted = 100 * nnz / (PartitionPolicy::bucket_fill * tile) + 1;
  const std::int64_t waves =
      std::max((wanted + blocks - 1) / blocks, std::int64_t{PartitionPolicy::bucket_waves});
  const std::int64_t preferred =
      wanted <= most ? waves * blocks : PartitionPolicy::many_waves * blocks;
  const std::int64_t count = std::clamp(preferred, (cols + most - 1) / most, most);
  return {static_cast<std::uint32_t>(cols), static_cast<std::uint32_t>((cols + count - 1) / count)};
}

/// Entries of a chunk of a bucket that exceeds one tile of `tile` entries.
constexpr std::int64_t chunk_entries(std::int64_t nnz, std::int64_t tile, std::int64_t blocks) {
  return nnz >= PartitionPolicy::many_waves * blocks * tile ? tile : tile / 2;
}

/// Steps of the split, each an entry per thread, whose last wave of `blocks` tiles wastes least: of
/// 1 .. `largest`, those with the smallest waves * (steps + fixed), where setting up a tile costs
/// about `split_fixed_steps`.
inline int choose_split_steps(std::int64_t nnz, int largest, std::int64_t blocks) {
  int best = largest;
  std::int64_t best_cost = 0;
  for (int steps = largest; steps >= 1; --steps) {
    const std::int64_t tile = std::int64_t{PartitionPolicy::threads} * steps;
    const std::int64_t tiles = (nnz + tile - 1) / tile;
    const std::int64_t cost =
        (tiles + blocks - 1) / blocks * (steps + PartitionPolicy::split_fixed_steps);
    if (best_cost == 0 || cost < best_cost) {
      best = steps;
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace sparserepro
