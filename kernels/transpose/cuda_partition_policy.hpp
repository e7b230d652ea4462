// How cuda_partition divides entries among tiles and columns among buckets, and its tuned numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sparserepro {

/// For one H200: 132 multiprocessors, 227 KiB of shared memory each. Measured there on 10M entries
/// in 500k x 500k, fp32 / fp64, relative to a split that scatters to the places a histogram gives:
/// this gather with two blocks of 512 threads on a multiprocessor 1.12 / 1.21 times the time, with
/// one of 1024 threads 1.00 / 1.02; its passes took 125 and 180 instructions per entry and waited
/// for one addition in shared memory after the other, since each step had a branch of its own.
/// Hence a constant number of items without branches, and counters of whole words where they fit.
struct PartitionPolicy {
  /// At most 64 registers each: one block, 32 warps, fills a multiprocessor.
  static constexpr int threads = 1024;
  /// Entries of a thread; a block of either pass orders a tile of threads * items in shared memory.
  static constexpr int items = 15;
  static constexpr int tile = threads * items;
  /// Buckets, and columns of a bucket: their counters of 16 bits fill the shared memory. Two passes
  /// divide the square of it.
  static constexpr int largest_digits = 2560;
  /// Shared memory of a block up to which counters have 32 bits, which take fewer instructions.
  static constexpr std::size_t shared_bytes = 225 * 1024;
  /// A bucket beyond one tile is shared by blocks, each of which gets a chunk of about a tile; half
  /// of it when there are fewer tiles than `many_waves` waves: such buckets hold the frequent
  /// columns, and additions to one counter take turns.
  static constexpr int many_waves = 8;
  /// Waves of buckets at least, however few entries there are.
  static constexpr int bucket_waves = 3;
  /// Chunks of one bucket. Each adds up the counts of all, so their number is bounded.
  static constexpr int chunks_per_bucket = 256;
  /// Share of a tile that a bucket or a chunk fills when entries spread evenly, in percent.
  static constexpr int fill = 94;
  /// Tiles of the split whose runs a thread of the bucket pass looks up at once.
  static constexpr int runs_per_thread = 2;
};

/// Columns in buckets of `width` consecutive ones. The quotient c / width of every column
/// c < 2^30 is umulhi(2 c, multiplier) >> shift: with s = floor(log2 width), multiplier =
/// ceil(2^(31+s) / width) exceeds the exact ratio by less than 1, so the quotient's error
/// c / 2^(31+s) stays below 1 / width while c width < 2^(31+s).
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

/// As many buckets as give each about one tile of entries, rounded up to whole waves of `blocks`
/// (that many work at once), within the limits of the method. When even the most buckets would
/// exceed a tile, `many_waves` waves, since fewer buckets make longer runs in the tiles.
inline ColumnBuckets choose_buckets(std::int64_t cols, std::int64_t nnz, std::int64_t blocks) {
  constexpr std::int64_t most = PartitionPolicy::largest_digits;
  const std::int64_t wanted = 100 * nnz / (PartitionPolicy::fill * PartitionPolicy::tile) + 1;
  const std::int64_t waves =
      std::max((wanted + blocks - 1) / blocks, std::int64_t{PartitionPolicy::bucket_waves});
  const std::int64_t preferred =
      wanted <= most ? waves * blocks : PartitionPolicy::many_waves * blocks;
  const std::int64_t count = std::clamp(preferred, (cols + most - 1) / most, most);
  return {static_cast<std::uint32_t>(cols),
          static_cast<std::uint32_t>(std::max((cols + count - 1) / count, std::int64_t{1}))};
}

/// Entries of a chunk of a bucket that exceeds one tile.
constexpr std::int64_t chunk_entries(std::int64_t nnz, std::int64_t blocks) {
  constexpr std::int64_t tile = PartitionPolicy::tile;
  return nnz >= PartitionPolicy::many_waves * blocks * tile ? tile * PartitionPolicy::fill / 100
                                                            : tile / 2;
}

}  // namespace sparserepro
