// How cuda_partition divides the columns among buckets, and its tuned numbers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sparserepro {

/// Tuned on one H200 (132 multiprocessors, 227 KiB of shared memory each).
struct PartitionPolicy {
  /// 512 threads and at most 64 registers each: two blocks, 32 warps, on a multiprocessor.
  static constexpr int threads = 512;
  static constexpr int warps = threads / 32;
  /// Tiles whose columns one block of the histogram counts.
  static constexpr int histogram_tiles = 4;
  /// Buckets, and columns of a bucket, up to which two blocks fit a multiprocessor.
  static constexpr int preferred_digits = 2048;
  /// The same at one block per multiprocessor; the limit of the method is the square of it.
  static constexpr int largest_digits = 4096;
  /// Tiles of a chunk of a bucket that several blocks share.
  static constexpr int chunk_tiles = 4;
  /// Chunks of one bucket. Each adds up the counts of all, so their number is bounded.
  static constexpr int chunks_per_bucket = 256;
  /// Share of a tile that a bucket fills when entries spread evenly, in percent.
  static constexpr int bucket_fill = 92;

  /// Entries per thread of the split, whose shared memory stages `bytes` per entry and 2 for its
  /// digit; of the bucket pass, which needs no digits.
  static constexpr int split_items(int bytes) { return bytes <= 8 ? 16 : bytes <= 12 ? 14 : 10; }
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

/// As many buckets as give each about one tile of `tile` entries, within the limits of the method.
/// Up to `preferred_digits` columns, each is a bucket of its own and one pass does all.
inline ColumnBuckets choose_buckets(std::int64_t cols, std::int64_t nnz, std::int64_t tile) {
  using Policy = PartitionPolicy;
  if (cols <= Policy::preferred_digits) {
    return {static_cast<std::uint32_t>(cols), 1};
  }
  const std::int64_t widest =
      cols <= std::int64_t{Policy::preferred_digits} * Policy::preferred_digits
          ? Policy::preferred_digits
          : Policy::largest_digits;
  const std::int64_t wanted = 100 * nnz / (Policy::bucket_fill * tile) + 1;
  const std::int64_t count = std::clamp(wanted, (cols + widest - 1) / widest, widest);
  return {static_cast<std::uint32_t>(cols), static_cast<std::uint32_t>((cols + count - 1) / count)};
}

}  // namespace sparserepro
