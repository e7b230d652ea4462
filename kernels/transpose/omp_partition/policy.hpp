// The tuned numbers of omp_partition. Unless said otherwise: fp64, Xeon of generation 4 or 5 with
// 2 MiB of L2 cache per core, 1 and 16 threads.
#pragma once

#include <cstdint>

#include "formats/types.hpp"

namespace sparserepro {

/// Z: a Zen 4 with 32 MiB of last-level cache, X: a Xeon of generation 5; two threads unless others
/// are named.
struct HostPartitionPolicy {
  /// Path serial below this many entries: a few tenths of a millisecond of work.
  static constexpr std::int64_t serial_entries = 32768;
  /// The same for two threads. Time of serial over that of direct, calls 5 ms apart, to which the
  /// second thread awakes: 35,000 to 45,000 entries 0.83 to 1.1, 60,000 1.0 to 1.3, 120,000 1.6;
  /// calls behind one another 1.0, 1.0, 1.1 (X); 1.4 at 50,000 and 1.6 at 200,000 (Z).
  static constexpr std::int64_t serial_entries_of_two = 65536;

  // Buckets
  /// A bucket of 2048 entries takes half of the L1 cache. Time with 2048 over that with 8192, 1 and
  /// 2 threads (X): uniform of 0.3M to 3M 0.78 to 0.9, power law 0.9, mesh 0.9, R-MAT 17 0.97, 5M
  /// in 60,000 columns 1.02; with 4096: 0.9, 0.95, 0.95, 0.96, 1.02.
  static constexpr std::int64_t bucket_entries = 2048;
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

  // Rows
  /// Entries are visited by counts (transpose/slices.hpp) where there are fewer of them for each
  /// row whose length differs from that of the row before. Time by rows over time by counts,
  /// scatter alone: road (3.5 entries) 2.2, narrow band (5.2) 1.4, empty rows (5.5) 1.3, uniform
  /// (8.9) 1.1, 0.9 with prefetches, R-MAT (16) 1.2, band (14) 0.8 to 1.1 (Z).
  static constexpr std::int64_t entries_of_change = 8;
  /// The same on path serial: road 2.2 (Z), 1.4 (X); uniform (6.2) 0.95 (Z, X), empty rows 1.1 (Z),
  /// 0.5 to 0.8 (X).
  static constexpr std::int64_t entries_of_change_serial = 4;
  /// The same on a way that is tried eagerly: by rows only where lengths hardly vary. Time by rows
  /// over time by counts, path direct, two threads of a Zen 3: cage11 (14) 1.16, R-MAT 14 and 16
  /// (17) 1.15, soc-Epinions1 (7) 1.3, uniform (12) 1.1, circuit (7) 0.98; meshes, stencils, FEM
  /// 0.9 to 1.
  static constexpr std::int64_t entries_of_change_eager = 32;
  static constexpr std::int64_t row_samples = 4;
  static constexpr std::int64_t rows_of_sample = 32;

  /// Rows are taken in units where so many of the entries lie in rows with the columns of the row
  /// before: two unknowns a node have 0.5. Time by units over the best of other ways, two threads
  /// (Z), 5, 9 and 27 points: 0.15M to 0.25M entries, 3 and 6 unknowns 0.62 to 0.79, 2 0.69 to
  /// 0.87; 0.8M to 1M 0.74 to 0.80, 0.79 to 1.02; 3.5M to 4M 0.87 to 1.24; 1 unknown 1.1 to 1.7.
  static constexpr double least_same_of_units = 0.45;

  // Direct. Time without over time with prefetches.
  /// A power of two. Time with 32 over that with 64: FEM, 27 points 1.05 to 1.2, cnr-2000 1.14,
  /// others within 5 % (Z); 128 within 10 % both ways.
  static constexpr std::int64_t entries_ahead = 64;
  /// Blocks of columns are not marked up to so many counters of the other slices for each entry.
  /// Time with marks over that without, at 0.2 to 0.4: mesh 1.17, band 1.04, road 0.98,
  /// USA-road-NE 1.05; at 0.5 to 0.8: power law 1.09, empty rows 1.11, uniform 1.07 (Z). At 1 with
  /// 16 threads: 1.0 (X).
  static constexpr std::int64_t unmarked_counters = 1;
  /// On AMD lines are asked for ahead where the answer is larger than this. Z: R-MAT 16 of 9
  /// MB 1.1, R-MAT 15 of 11 MB 1.3, circuit of 13 MB 1.3, mesh of 11 MB 0.93, cage11 of 7 MB 0.93.
  /// X: 1.2 to 1.8 whatever its size.
  static constexpr std::int64_t large_answer = std::int64_t{7} << 20;
  /// Mean entries of a column from which on one thread scatters directly an answer that is asked
  /// for. Time of serial over that of direct: FEM 1.7; fewer entries: mesh (6) 0.84, circuit (5)
  /// 1.5, else 0.8 to 1.0 (Z). Any number where both halves of the entries have the same columns,
  /// on Intel whatever the answer: uniform of 35,000 to 1M 1.2 to 2.5, R-MAT 1.1 to 2.3, short
  /// rows 1.1 to 1.6 (X), uniform, short rows, R-MAT and empty rows of 0.8M to 1.5M 1.15 to 1.23
  /// (Z).
  static constexpr std::int64_t entries_of_one_thread = 8;
  /// The same on Intel. Time of serial over that of direct: meshes (6) 1.1 to 1.2, circuits and
  /// web-NotreDame (3.4 to 4.7) 1.1 to 2, FEM 1.2 to 1.5; bands and roads in order (1.8 to 2.1)
  /// 0.9, (2.3 to 3.2) 1.1 to 1.2 (X).
  static constexpr std::int64_t far_entries_of_one_thread = 3;
  /// Open lines of so many columns lie in an L1 cache; 171 columns on one thread: 0.86 (Z), 2.6
  /// (X).
  static constexpr index_t cached_columns = 256;
  /// Counters for each entry up to which an answer that is not asked for is scattered directly.
  /// Time of buckets over that of direct (Z, caches shared): 1.7 to 1.9 at 1.1 and 1.4, 1.1 to 1.7
  /// at 2, 1.2 to 1.5 at 3.
  static constexpr double cached_counters = 3.0;
  /// Direct without a test up to this answer and threads x columns <= nnz. Time of buckets over
  /// that of direct on uniform matrices of 1M, 2M, 3M entries (Z): 1.7 to 2, 1.1, 0.8.
  static constexpr std::int64_t small_answer = std::int64_t{24} << 20;

  /// The same on Intel for each thread: the pages of 4 KiB that a second-level TLB holds. Time of
  /// buckets over that of direct, 12 entries a column: 0.3M, 0.7M, 1M entries on 1 thread 1.6, 1.0,
  /// 0.9; 20 entries a column: 1M, 1.5M, 2M on 2 threads 1.1, 1.0, 0.9 (X).
  static constexpr std::int64_t answer_in_few_pages = std::int64_t{8} << 20;

  // A race of ways, one or two threads, for an answer that the caches may not hold
  /// Executions of each way that are timed; the fastest one counts, since the first touches memory.
  static constexpr int executions_of_try = 2;
  /// Executions after which ways race anew. Hosts of virtual machines move their processors between
  /// caches within seconds. What trials lose is up to 2 % of the time.
  static constexpr int executions_of_race = 128;
  /// From so many entries on buckets race with a scatter by two threads, below it one thread alone.
  /// Time of serial over that of buckets: uniform of 70,000 0.85, 110,000 0.95, 200,000 1.1,
  /// 300,000 1.3 (Zen 3, threads on cores that share no cache).
  static constexpr std::int64_t bucketed_entries = 150000;

  // Few entries
  /// On Intel one of two threads takes fewer entries alone where both would meet the same columns,
  /// shorter than a line. Time of direct on one thread over that on two: uniform of 66,000 1.03,
  /// 100,000 1.0, wide band of 70,000, mesh and road permuted 0.8 to 0.85; 170,000 1.05; 20 entries
  /// a column 1.0 to 1.2, 233 1.7 (X).
  static constexpr std::int64_t shared_entries = 100000;

  // Locality of a direct scatter
  /// The test reads two windows from at most `most_samples` places, 1 / sampled_part of the
  /// entries.
  static constexpr std::int64_t sampled_part = 64;
  static constexpr std::int64_t most_samples = 4;
  static constexpr std::int64_t line_window = 16384;  ///< entries that about fill an L2 cache
  /// The same for an answer that left the caches: the lines of so many entries, one of rows and one
  /// of values, fill 512 KiB.
  static constexpr std::int64_t line_window_of_evicted = 4096;
  static constexpr std::int64_t page_window = 2048;  ///< pages of a second-level TLB
  static constexpr double line_entries = 8;          ///< values of fp64 in a cache line
  static constexpr double page_entries = 512;        ///< values of fp64 in a page of 4 KiB
  /// Direct below this share of fresh lines. Bands and meshes: 0 to 0.07. Time of buckets over that
  /// of direct: R-MAT 16 (0.24) Z 1.8, R-MAT 16 (0.32) X with 1 and 2 threads 1.8; power law (0.76)
  /// X with 2 threads 1.05, with 16 threads 0.7.
  static constexpr double fresh_lines = 0.5;
  /// The same where threads contend for lines. Time of buckets over that of direct on 16 threads
  /// (X): R-MAT 15 to 18 (0.29 to 0.4) 0.5 to 0.85.
  static constexpr double fresh_lines_of_contention = 0.25;
  /// Few long columns are partitioned from this share of fresh pages on.
  static constexpr double fresh_pages = 0.12;
};

}  // namespace sparserepro
