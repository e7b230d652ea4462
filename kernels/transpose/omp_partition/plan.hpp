// What omp_partition decides from a look at the matrix: the path, the width of the buckets, the
// width of their keys.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "formats/csr.hpp"
#include "formats/partition.hpp"
#include "formats/processor.hpp"
#include "sparserepro/transpose.hpp"
#include "transpose/omp_partition/locality.hpp"
#include "transpose/omp_partition/policy.hpp"
#include "transpose/omp_partition/sharing.hpp"
#include "transpose/slices.hpp"

namespace sparserepro {

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
  // The least shift with (cols - 1) >> shift < wanted.
  return std::bit_width(static_cast<std::uint64_t>(std::max(cols - 1, 0) / wanted));
}

/// Bits of a row number counted from the first row of its slice.
template <class Offset, class Value>
int row_bits(const CsrView<Offset, Value>& a, int slices) {
  std::int64_t most_rows = 1;
  for (int s = 0; s < slices; ++s) {
    const auto begin = static_cast<Offset>(part_begin(a.nnz, slices, s));
    const auto end = static_cast<Offset>(part_begin(a.nnz, slices, s + 1));
    if (begin < end) {
      most_rows = std::max(most_rows, segment_of(a.row_ptr, a.rows, static_cast<Offset>(end - 1)) -
                                          segment_of(a.row_ptr, a.rows, begin) + 1);
    }
  }
  return std::bit_width(static_cast<std::uint64_t>(most_rows - 1));
}

template <class Offset, class Value>
std::int64_t answer_bytes(const CsrView<Offset, Value>& a) {
  return a.nnz * static_cast<std::int64_t>(sizeof(index_t) + value_bytes<Value>);
}

/// Whether a last-level cache near the cores may not hold the answer.
template <class Offset, class Value>
bool has_large_answer(const CsrView<Offset, Value>& a) {
  return answer_bytes(a) > HostPartitionPolicy::large_answer;
}

/// Whether threads write the same lines of the answer by turns: no cache is near, both halves of
/// the entries have the same columns, and a column has less than `entries` in the mean.
template <class Offset, class Value>
bool threads_contend(const CsrView<Offset, Value>& a, int threads, double entries) {
  return threads > 1 && !has_near_last_level_cache() && a.nnz < entries * a.cols &&
         halves_share_columns(a);
}

/// Whether `a` is scattered directly whatever its columns: a last-level cache near the cores holds
/// the answer, or it lies in few pages. Threads that contend need longer columns.
template <class Offset, class Value>
bool scatters_small_answer(const CsrView<Offset, Value>& a, int threads) {
  using Policy = HostPartitionPolicy;
  const bool near = has_near_last_level_cache();
  const std::int64_t most =
      near ? Policy::small_answer
           : std::min(Policy::small_answer, threads * Policy::answer_in_few_pages);
  const double counters = static_cast<double>(threads) * a.cols / a.nnz;  // for each entry
  return answer_bytes(a) <= most &&
         counters <= (near && !has_large_answer(a) ? Policy::cached_counters : 1.0) &&
         !threads_contend(a, threads, static_cast<double>(threads) * threads);
}

/// Whether one thread takes path direct for its prefetches, instead of path serial.
template <class Offset, class Value>
bool pays_on_one_thread(const CsrView<Offset, Value>& a) {
  using Policy = HostPartitionPolicy;
  if (!has_near_last_level_cache()) {
    return a.nnz >= Policy::far_entries_of_one_thread * a.cols || halves_share_columns(a);
  }
  return has_large_answer(a) && a.cols > Policy::cached_columns &&
         (a.nnz >= Policy::entries_of_one_thread * a.cols || halves_share_columns(a));
}

/// The path of `path=auto`; a function of the matrix, the processor and the number of threads, and
/// of whether the answer stays in the caches while it is scattered.
template <class Offset, class Value>
host::TransposePath choose_path(const CsrView<Offset, Value>& a, int threads,
                                bool answer_stays = true) {
  using enum host::TransposePath;
  const std::int64_t few = threads == 2 ? HostPartitionPolicy::serial_entries_of_two
                                        : HostPartitionPolicy::serial_entries;
  if (a.nnz < few) {
    return serial;
  }
  const host::TransposePath scatter = threads == 1 && !pays_on_one_thread(a) ? serial : direct;
  const bool alone = columns_alone_pay(a.cols, a.nnz, threads);
  if (!alone && answer_stays && scatters_small_answer(a, threads)) {
    return scatter;
  }
  if (alone && fresh_pages(a, threads) >= HostPartitionPolicy::fresh_pages) {
    return columns;
  }
  const bool counters_fit = static_cast<double>(threads) * a.cols * sizeof(Offset) <=
                            static_cast<double>(max_column_array_bytes);
  const bool contend = threads_contend(a, threads, 0.5 * threads * threads);
  if (counters_fit && fresh_lines(a, threads,
                                  answer_stays ? HostPartitionPolicy::line_window
                                               : HostPartitionPolicy::line_window_of_evicted) <
                          (contend ? HostPartitionPolicy::fresh_lines_of_contention
                                   : HostPartitionPolicy::fresh_lines)) {
    return scatter;
  }
  return answer_stays || a.nnz >= HostPartitionPolicy::bucketed_entries ? buckets : serial;
}

}  // namespace sparserepro
