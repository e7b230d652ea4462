// How cuda_partition divides entries among tiles and columns among buckets, and its tuned numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "formats/ceil_div.hpp"
#include "sparserepro/device/transpose.hpp"

namespace sparserepro {

/// Tuned on one H200 (132 multiprocessors, 227 KiB of shared memory each). "A -> B" after a number:
/// times of other settings relative to the one here, fp32 / fp64, on 10M entries in 500k x 500k
/// unless another matrix is named. README.md lists the designs that were dropped.
struct DevicePartitionPolicy {
  /// Threads of a block. Two small blocks share a multiprocessor; one large block makes runs of
  /// twice the length. Small -> 1.11 / 1.22, 1.47 on 26M in 3M x 3M, 0.79 on a circuit of 4.2M.
  static constexpr int small_threads = 512, large_threads = 1024;
  /// Threads of a multiprocessor, each with 64 registers.
  static constexpr int block_threads = 1024;
  /// Waves of large tiles from which on large tiles pay.
  static constexpr int large_waves = 4;
  /// Share of a large tile that a bucket must fill, in percent. 10M in 20k x 4M fills 70 / 75 % and
  /// takes 1.02 / 0.80 with large tiles.
  static constexpr int large_fill(std::size_t value_bytes) { return value_bytes > 4 ? 50 : 72; }
  /// Warps that share counters and add to them in turn. 2 -> 1.08 / 1.07 (small tiles).
  static constexpr int group_warps = 4;
  /// Entries of a thread. A tile has threads * items entries.
  static constexpr int items(std::size_t value_bytes) { return value_bytes > 4 ? 14 : 15; }
  /// The same where a single wave of such tiles holds all entries, so that both passes are one
  /// kernel, and what they fill of it at most, in percent. 88 -> 1.23 / 1.22 on a crawl of 900k
  /// entries, 1.20 / 1.15 on 525k (circuit), in two kernels.
  static constexpr int few_items[] = {5, 9, 12}, few_fill = 70;
  /// Most columns of a bucket, and most buckets: their counters lie beside the tile.
  static constexpr int largest_width = 4608, most_buckets = 8192;
  /// Columns beyond those of a bucket, one for each lane, for entries that a tile lacks.
  static constexpr int absent_columns = 32;
  /// Columns of a bucket up to which ranks come from votes: additions to one counter take turns.
  static constexpr int narrow_bucket = 8;
  /// Buckets that pay where each is to fill a tile: with c columns up to 4 sqrt(c), or
  /// `full_buckets` if that is more. Beyond, buckets have chunks, 5/4 sqrt(c) of them or
  /// `many_waves` waves: more shorten their runs, fewer the runs of a column in a chunk. By an
  /// H100, 100M in 1M x 1M: 1056 buckets 2.71 / 3.29 ms, 2112 3.04 / 3.62, full ones 3.24 / 4.21;
  /// R-MAT 22: 2112 2.70 / 3.17, full ones 2.28 / 2.80; R-MAT 23: 2112 8.4 / 9.5, 4224 7.0 / 8.0.
  static constexpr int full_buckets = 4608, many_waves = 8;
  /// Least waves of buckets; fewer while buckets fill at most `wave_fill` percent of a tile:
  /// uniform, 2M entries, 0.76 of the time of three waves.
  static constexpr int bucket_waves = 3, wave_fill = 60;
  /// Most chunks of one bucket: each adds up the counts of all.
  static constexpr int chunks_per_bucket = 256;
  /// Share of a tile that a bucket and a chunk fill when entries spread evenly, in percent; in a
  /// wave chunks are few, and sorted at once. Chunks of 50 % -> 1.13 on R-MAT 20, fp32.
  static constexpr int fill = 94, chunk_fill = 97, few_chunk_fill = 54;
  /// Columns of a bucket, in percent of a tile, beyond which chunks have two tiles of entries: the
  /// counts of chunks then take less than 3 bytes an entry.
  static constexpr int wide_bucket = 36;
  /// Most tiles of the split whose runs a thread of the bucket pass looks up at once.
  static constexpr int runs_per_thread = 8;
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
    count = std::max(ceil_div(cols, width), 1U);
    shift = std::bit_width(width) - 1;
    low_bits = width > 1 ? std::bit_width(width + DevicePartitionPolicy::absent_columns - 1) : 0;
    multiplier =
        static_cast<std::uint32_t>(((std::uint64_t{1} << (31 + shift)) + width - 1) / width);
  }
};

/// As many buckets as give each about one tile of entries, rounded up to whole waves of `blocks`
/// (that many work at once), within the limits of the method; for few entries one wave, of buckets
/// that are not narrow. Buckets of several tiles where full ones would be too many. One column each
/// where columns alone come near a tile.
inline ColumnBuckets choose_buckets(std::int64_t cols, std::int64_t nnz, std::int64_t tile,
                                    std::int64_t blocks,
                                    int wave_fill = DevicePartitionPolicy::wave_fill) {
  constexpr std::int64_t most = DevicePartitionPolicy::most_buckets;
  constexpr std::int64_t widest = DevicePartitionPolicy::largest_width;
  const std::int64_t wanted = 100 * nnz / (DevicePartitionPolicy::fill * tile) + 1;
  const std::int64_t airy = ceil_div(100 * nnz, wave_fill * blocks * tile);
  const std::int64_t waves = std::max(
      ceil_div(wanted, blocks), std::min(airy, std::int64_t{DevicePartitionPolicy::bucket_waves}));
  const bool few = airy <= 1;
  const double root = std::sqrt(static_cast<double>(cols));
  const std::int64_t full = std::clamp(static_cast<std::int64_t>(4 * root),
                                       std::int64_t{DevicePartitionPolicy::full_buckets}, most);
  const std::int64_t preferred =
      few ? std::clamp(cols / (DevicePartitionPolicy::narrow_bucket + 1), wanted, blocks)
      : wanted <= full ? waves * blocks
                       : std::max(static_cast<std::int64_t>(1.25 * root) / blocks,
                                  std::int64_t{DevicePartitionPolicy::many_waves}) *
                             blocks;
  if (cols <= widest && nnz / std::max(cols, std::int64_t{1}) >= tile / 4) {
    return {static_cast<std::uint32_t>(cols), 1};  // the split alone sorts
  }
  const std::int64_t least = ceil_div(cols, widest);
  const std::int64_t least_waves = ceil_div(least, blocks);
  const std::int64_t count =
      std::clamp(preferred, few ? least : std::min(least_waves * blocks, most), most);
  return {static_cast<std::uint32_t>(cols),
          static_cast<std::uint32_t>(std::max(ceil_div(cols, count), std::int64_t{1}))};
}

/// Shared memory that a block of `threads` needs at most in any pass: with as many buckets, or
/// columns of one, as there may be, and with what the kernels declare themselves.
constexpr std::int64_t most_shared_bytes(std::size_t value_bytes, int threads) {
  using Policy = DevicePartitionPolicy;
  constexpr std::int64_t widest = Policy::largest_width, declared = 4096;
  const std::int64_t tile = threads * Policy::items(value_bytes);
  const auto ranked = [&](std::int64_t digits) {
    return 4 *
           ((digits + Policy::absent_columns) * (threads / 32 / Policy::group_warps / 2) + tile);
  };
  const std::int64_t staged = (tile + 4) * (4 + static_cast<std::int64_t>(value_bytes));
  // Beside the columns of a bucket: where the entries of each go, and where they begin.
  return std::max({ranked(Policy::most_buckets), ranked(widest) + 6 * (widest + 8),
                   staged + 6 * (widest + 8)}) +
         declared;
}

namespace partition {

using Path = device::TransposePath;
using device::TileSize;
using Options = device::TransposeOptions;

/// `tile` for a device whose blocks have so much shared memory: small where no large tile fits.
inline TileSize fitting_tile(TileSize tile, std::size_t value_bytes, std::int64_t shared_bytes) {
  const bool fits =
      most_shared_bytes(value_bytes, DevicePartitionPolicy::large_threads) <= shared_bytes;
  return tile == TileSize::automatic && !fits ? TileSize::small : tile;
}

}  // namespace partition

/// What two passes divide.
inline constexpr std::int64_t most_columns =
    std::int64_t{DevicePartitionPolicy::largest_width} * DevicePartitionPolicy::largest_width;

/// Whether large tiles pay for `buckets` chosen for them: there are enough of them, and buckets
/// fill more than a small one.
inline bool large_tiles_pay(const ColumnBuckets& buckets, std::int64_t nnz, std::size_t value_bytes,
                            std::int64_t multiprocessors) {
  const std::int64_t large_tile =
      DevicePartitionPolicy::large_threads * DevicePartitionPolicy::items(value_bytes);
  return nnz >= DevicePartitionPolicy::large_waves * multiprocessors * large_tile &&
         100 * nnz / buckets.count > DevicePartitionPolicy::large_fill(value_bytes) * large_tile;
}

/// Whether small tiles of so many entries a thread, for which `buckets` are chosen, hold all in one
/// wave. Buckets are not narrow, nor wider than a tile, where a chunk notes a word a column.
inline bool few_tiles_pay(const ColumnBuckets& buckets, std::int64_t nnz,
                          std::int64_t multiprocessors, int items) {
  using Policy = DevicePartitionPolicy;
  return buckets.width > std::uint32_t{Policy::narrow_bucket} &&
         std::int64_t{buckets.width} <= Policy::small_threads * items &&
         100 * nnz <= Policy::few_fill * multiprocessors * Policy::block_threads * items;
}

/// Entries of a chunk of a bucket that exceeds one tile. Two tiles of them where counts of `width`
/// columns for each chunk would take as much memory as the rest.
constexpr std::int64_t chunk_entries(std::int64_t tile, std::int64_t width) {
  return width > tile * DevicePartitionPolicy::wide_bucket / 100
             ? 2 * tile
             : tile * DevicePartitionPolicy::chunk_fill / 100;
}

}  // namespace sparserepro
