// How omp_partition chooses its path and the width of its buckets, with its tuned numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "formats/csr.hpp"

namespace sparserepro {

/// Numbers tuned with fp64 on two processors with 2 MiB of L2 cache per core (Xeon, generations 4
/// and 5), one thread and sixteen; the remarks of omp_partition.cpp give the times.
struct HostPartitionPolicy {
  /// Fewer entries than this, a few tenths of a millisecond of work, go to one thread untested.
  static constexpr std::int64_t serial_entries = 32768;
  /// A bucket of 8192 entries and its counters fit the L2 cache twice over; more than 2048 lines to
  /// fill at a time (384 KiB) do not leave room for anything else.
  static constexpr std::int64_t bucket_entries = 8192;
  static constexpr std::int64_t most_buckets = 2048;
  static constexpr std::int64_t bucket_cols = 65536;
  /// A bucket up to this size is put in order in the cache and streamed out; 768 KiB with fp64.
  static constexpr std::int64_t staged_entries = 65536;
  /// Entries of a column in a slice from which on columns, if they are not more than that, are
  /// partitioned by themselves: four lines, of which two are whole. 4M x 2000 with 10M entries, 1,
  /// 2, 4, 8 and 16 threads: 0.72, 0.71, 0.73, 0.79 and 0.82 of the time with buckets to sort.
  static constexpr std::int64_t entries_of_run = 64;
  /// A bucket above half the share of a thread is sorted by all threads together.
  static constexpr std::int64_t heavy_parts = 2;
  /// Largest share of fresh lines, and of fresh pages, of a matrix that is scattered directly.
  /// Bands and meshes have 0 to 0.07 of either; R-MAT of scale 18 has 0.41 of the lines, 27
  /// diagonals far apart all of them, 4,000 random columns 0.47 of the pages; partitioning takes
  /// 0.3 to 0.65 of the time of the direct path on these, and 1.5 to 2.2 times as long on the
  /// former.
  static constexpr double local_share = 0.12;
  /// An answer of at most so many bytes, in columns of at least `small_mean` entries, stays in the
  /// caches however its lines come; then pages decide alone. Direct and partitioned, ms with one
  /// thread: a circuit of 1.1M entries (0.05 of the pages) 8.0 and 11.4, cage11 (0.02) 2.9 and 5.3,
  /// email-Enron (0.05) 2.4 and 3.9; R-MAT of scale 16 (0.07) 8.3 and 7.5, uniform (0.21) 14.2 and
  /// 9.3; three entries a column (0.02) 4.8 and 3.9.
  static constexpr std::int64_t small_answer = std::int64_t{16} << 20;
  static constexpr double small_mean = 5.0;
  static constexpr double small_page_share = 0.06;
  /// With fewer entries the test would cost more than it can save: such columns are taken directly.
  static constexpr std::int64_t untested_entries = std::int64_t{1} << 19;
  /// So few pages make up for more lines, whatever the size: cnr-2000 (0.15 of the lines, 0.006 of
  /// the pages) 21.8 ms direct, 29.8 partitioned.
  static constexpr double few_pages = 0.02, few_lines = 0.3;
  /// The test reads at most this part of the entries, in so many samples.
  static constexpr std::int64_t sampled_part = 64;
  static constexpr std::int64_t most_samples = 4;
};

/// Whether columns are few enough, and long enough, for each to be a bucket that needs no sorting.
inline bool columns_alone_pay(index_t cols, std::int64_t nnz, int threads) {
  return cols <= HostPartitionPolicy::most_buckets &&
         nnz >= HostPartitionPolicy::entries_of_run * cols * threads;
}

/// Columns of a bucket are 2^shift: as many as have `bucket_entries` on average, at most
/// `bucket_cols`, and more than that only beyond `most_buckets`.
inline int bucket_shift(index_t cols, std::int64_t nnz) {
  const std::int64_t wanted = std::clamp<std::int64_t>(
      std::max(nnz / HostPartitionPolicy::bucket_entries, cols / HostPartitionPolicy::bucket_cols),
      1, HostPartitionPolicy::most_buckets);
  int shift = 0;
  while (((std::int64_t{cols} - 1) >> shift) >= wanted) {
    ++shift;
  }
  return shift;
}

/// Remembers numbers, as many as have not lost their slot to another. Multiplying by the golden
/// ratio spreads neighbouring numbers, and those a stride apart, evenly (Knuth, vol. 3,
/// section 6.4).
class RecentNumbers {
 public:
  explicit RecentNumbers(std::int64_t count)
      : shift_(32 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count)))),
        table_(std::size_t{1} << (32 - shift_), none) {}
  bool has(std::uint32_t number) const { return table_[slot(number)] == number; }
  void add(std::uint32_t number) { table_[slot(number)] = number; }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  std::size_t slot(std::uint32_t number) const { return (number * 2654435769u) >> shift_; }

  int shift_;
  std::vector<std::uint32_t> table_;
};

/// Share of the `window` entries from `begin + window` on whose number (column times `scale`) none
/// of the entries from `begin` to them had. `near`: a neighbouring number counts as met.
template <class Offset, class Value>
double fresh_share(const CsrView<Offset, Value>& a, double scale, bool near, std::int64_t begin,
                   std::int64_t window) {
  RecentNumbers recent(4 * window);
  std::int64_t fresh = 0;
  for (std::int64_t e = 0; e < 2 * window; ++e) {
    const auto number = static_cast<std::uint32_t>(scale * a.col_idx[begin + e]);
    if (!recent.has(number)) {
      fresh += e >= window && !(near && (recent.has(number - 1) || recent.has(number + 1)));
      recent.add(number);
    }
  }
  return static_cast<double>(fresh) / static_cast<double>(window);
}

/// Whether the rows of `a` can be scattered straight into columns at the speed of the caches: few
/// of the places that they go to lie on a cache line that the last 16,384 entries did not meet
/// (they about fill an L2 cache), and few on a page that the last 2,048 did not meet (a
/// second-level TLB). Places are estimated from the mean length of a column: a line of values is
/// eight entries or one column, and a line beside one that was met is prefetched if columns are
/// shorter than lines. Reads up to four samples of twice these lengths, at most a 32nd of the
/// entries.
template <class Offset, class Value>
bool scatters_locally(const CsrView<Offset, Value>& a, int threads) {
  constexpr std::int64_t line_window = 16384;
  constexpr std::int64_t page_window = 2048;
  constexpr double line_entries = 8;
  constexpr double page_entries = 512;
  const auto nnz = static_cast<std::int64_t>(a.nnz);
  const std::int64_t budget = nnz / HostPartitionPolicy::sampled_part;
  const std::int64_t window = std::clamp<std::int64_t>(budget / 2, 1, line_window);
  const auto samples = static_cast<int>(
      std::clamp<std::int64_t>(budget / (2 * window), 1, HostPartitionPolicy::most_samples));
  const double mean = static_cast<double>(nnz) / a.cols;
  if (nnz < HostPartitionPolicy::untested_entries && mean >= HostPartitionPolicy::small_mean) {
    return true;
  }
  double line_share = 0.0;
  double page_share = 0.0;
#pragma omp parallel for schedule(static, 1) num_threads(threads) \
    reduction(+ : line_share, page_share)
  for (int sample = 0; sample < samples; ++sample) {
    const std::int64_t begin = (nnz - 2 * window) / (2 * samples) * (2 * sample + 1);
    line_share +=
        fresh_share(a, std::min(1.0, mean / line_entries), mean < line_entries, begin, window);
    page_share += fresh_share(a, mean / page_entries, false, begin, std::min(window, page_window));
  }
  constexpr std::size_t entry_bytes = sizeof(index_t) + (has_values<Value> ? sizeof(Value) : 0);
  const std::int64_t answer = nnz * static_cast<std::int64_t>(entry_bytes);
  if (answer <= HostPartitionPolicy::small_answer && mean >= HostPartitionPolicy::small_mean &&
      page_share < HostPartitionPolicy::small_page_share * samples) {
    return true;
  }
  if (page_share < HostPartitionPolicy::few_pages * samples &&
      line_share < HostPartitionPolicy::few_lines * samples) {
    return true;
  }
  return std::max(line_share, page_share) < HostPartitionPolicy::local_share * samples;
}

}  // namespace sparserepro
