// The tuned numbers of omp_partition. Unless said otherwise: fp64, Xeon of generation 4 or 5 with
// 2 MiB of L2 cache per core, 1 and 16 threads.
#pragma once

#include <cstdint>

namespace sparserepro {

struct HostPartitionPolicy {
  /// Path serial below this many entries: a few tenths of a millisecond of work.
  static constexpr std::int64_t serial_entries = 32768;

  // Buckets
  /// A bucket of 8192 entries with its counters takes half of the L2 cache.
  static constexpr std::int64_t bucket_entries = 8192;
  /// Open lines of 2048 buckets take 384 KiB.
  static constexpr std::int64_t most_buckets = 2048;
  static constexpr std::int64_t bucket_cols = 65536;
  /// A bucket up to this size is sorted in the cache and streamed out; 768 KiB with fp64.
  static constexpr std::int64_t staged_entries = 65536;
  /// A bucket above 1 / heavy_parts of a thread's share is sorted by all threads together.
  static constexpr std::int64_t heavy_parts = 2;

  // Columns
  /// Mean entries of a column in a slice from which on columns pay: 4 lines of 16. 4M x 2000 with
  /// 10M entries on 1, 2, 4, 8, 16 threads: 0.72, 0.71, 0.73, 0.79, 0.82 of the time of buckets.
  static constexpr std::int64_t entries_of_run = 64;

  // Locality of a direct scatter
  /// With fewer entries, and columns of at least `small_mean`, direct without a test.
  static constexpr std::int64_t untested_entries = std::int64_t{1} << 19;
  /// The test reads two windows from at most `most_samples` places, 1 / sampled_part of the
  /// entries.
  static constexpr std::int64_t sampled_part = 64;
  static constexpr std::int64_t most_samples = 4;
  static constexpr std::int64_t line_window = 16384;  ///< entries that about fill an L2 cache
  static constexpr std::int64_t page_window = 2048;   ///< pages of a second-level TLB
  static constexpr double line_entries = 8;           ///< values of fp64 in a cache line
  static constexpr double page_entries = 512;         ///< values of fp64 in a page of 4 KiB
  /// Direct up to this share of fresh lines and pages. Bands and meshes: 0 to 0.07; R-MAT 18: 0.41
  /// of the lines; 4000 random columns: 0.47 of the pages.
  static constexpr double local_share = 0.12;
  /// Direct if the answer has at most so many bytes in columns of at least `small_mean` entries,
  /// and fewer fresh pages than `small_page_share`. One thread, ms direct and buckets: a circuit
  /// of 1.1M entries (0.05) 8.0, 11.4; cage11 (0.02) 2.9, 5.3; R-MAT 16 (0.07) 8.3, 7.5.
  static constexpr std::int64_t small_answer = std::int64_t{16} << 20;
  static constexpr double small_mean = 5.0;
  static constexpr double small_page_share = 0.06;
  /// Direct with fewer fresh pages and lines than these. cnr-2000 (0.006, 0.15): 21.8 ms, buckets
  /// 29.8 ms.
  static constexpr double few_pages = 0.02, few_lines = 0.3;
};

}  // namespace sparserepro
