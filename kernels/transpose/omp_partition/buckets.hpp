// The partitioning path of omp_partition: entries go to buckets of 2^shift consecutive columns, and
// each bucket is sorted by column within a cache.
//
//   1. slice s counts its buckets                                    counts[s][b], b = c >> shift
//   2. begins of the runs of (bucket, slice), each on a new cache line; entries before each bucket
//   3. slice s appends (row - first row of s, c mod 2^shift) and the value to lines of its own, one
//      pair for each bucket, and streams every full line to the bucket's run
//   4. each bucket: count its columns, scan (col_ptr), place into a buffer, stream the buffer out
//
// Row and low column bits share a key of 32 bits where they fit, else of 64. Slices follow one
// another in each bucket and the counting sort is stable, hence so is the whole. A bucket with more
// than a thread's share is sorted by all threads, each with the run of its slice.
#pragma once

#include <omp.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/array_bytes.hpp"
#include "formats/huge_pages.hpp"
#include "formats/partition.hpp"
#include "formats/region_error.hpp"
#include "formats/streaming.hpp"
#include "transpose/counting_sort.hpp"
#include "transpose/omp_partition/policy.hpp"
#include "transpose/omp_partition/worker.hpp"

namespace sparserepro {

template <class Offset, class Value, class Key>
class BucketTranspose {
 public:
  static constexpr std::int64_t entries_of_change = HostPartitionPolicy::entries_of_change;

  BucketTranspose(const CsrView<Offset, Value>& a, int slices, int shift)
      : a_(a),
        slices_(slices),
        shift_(shift),
        buckets_(static_cast<int>(((std::int64_t{a.cols} - 1) >> shift) + 1)),
        width_(std::min<std::int64_t>(std::int64_t{1} << shift, a.cols)),
        counts_(runs()),
        run_begin_(runs()),
        bucket_ptr_(static_cast<std::size_t>(buckets_) + 1),
        first_row_(static_cast<std::size_t>(slices)),
        workers_(static_cast<std::size_t>(slices)) {
    const std::size_t padded = static_cast<std::size_t>(a.nnz) + runs() * line_entries;
    resize_on_huge_pages(keys_, padded);
    if constexpr (has_values<Value>) {
      resize_on_huge_pages(values_, padded);
    }
    // Each heavy bucket has more than that share of the entries.
    heavy_.reserve(static_cast<std::size_t>(HostPartitionPolicy::heavy_parts * slices));
    RegionError error;
#pragma omp parallel for schedule(static, 1) num_threads(slices_)
    for (int s = 0; s < slices_; ++s) {
      error.guard([&] {
        workers_[s].allocate(
            static_cast<std::size_t>(buckets_), static_cast<std::size_t>(width_),
            static_cast<std::size_t>(std::min<std::int64_t>(a_.nnz, staged_entries)));
      });
    }
    error.rethrow();
  }

  /// `by_counts`: how entries are visited (transpose/slices.hpp).
  void run(const CscBlock<Offset, Value>& out, bool by_counts) {
#pragma omp parallel num_threads(slices_)
    {
#pragma omp for schedule(static, 1)
      for (int s = 0; s < slices_; ++s) {
        count_slice(s);
      }
#pragma omp single
      lay_out(out.col_ptr);
#pragma omp for schedule(static, 1)
      for (int s = 0; s < slices_; ++s) {
        by_counts ? partition_slice<true>(s) : partition_slice<false>(s);
      }
      for (const int b : heavy_) {
        sort_together(b, out);
      }
#pragma omp for schedule(dynamic, 1) nowait
      for (int b = 0; b < buckets_; ++b) {
        if (!is_heavy(b)) {
          sort_bucket(b, workers_[omp_get_thread_num()], out);
        }
      }
      stream_fence();
    }
  }

  std::int64_t workspace_bytes() const {
    std::int64_t bytes = array_bytes(keys_, values_, counts_, run_begin_, bucket_ptr_);
    for (const Worker& worker : workers_) {
      bytes += static_cast<std::int64_t>(worker.bytes());
    }
    return bytes;
  }

 private:
  using Line = PartitionLine<Key, Value>;
  using Worker = PartitionWorker<Offset, Value, Key>;
  static constexpr int line_entries = Line::entries;
  static constexpr std::int64_t staged_entries = HostPartitionPolicy::staged_entries;

  std::size_t runs() const {
    return static_cast<std::size_t>(slices_) * static_cast<std::size_t>(buckets_);
  }
  std::size_t run_of(int b, int s) const {
    return static_cast<std::size_t>(std::int64_t{b} * slices_ + s);
  }
  Offset slice_begin(int s) const {
    return static_cast<Offset>(part_begin(a_.nnz, slices_, s));
  }
  Offset bucket_size(int b) const {
    return bucket_ptr_[b + 1] - bucket_ptr_[b];
  }
  bool is_heavy(int b) const {
    return slices_ > 1 && bucket_size(b) > staged_entries &&
           bucket_size(b) > a_.nnz / (HostPartitionPolicy::heavy_parts * slices_);
  }
  index_t first_col(int b) const {
    return static_cast<index_t>(std::int64_t{b} << shift_);
  }
  index_t cols_of(int b) const {
    return static_cast<index_t>(std::min(width_, std::int64_t{a_.cols} - first_col(b)));
  }

  void count_slice(int s) {
    Offset* const count = workers_[s].count.data();
    std::fill_n(count, buckets_, Offset{0});
    const Offset begin = slice_begin(s), end = slice_begin(s + 1);
    for (Offset p = begin; p < end; ++p) {
      ++count[a_.col_idx[p] >> shift_];
    }
    for (int b = 0; b < buckets_; ++b) {
      counts_[run_of(b, s)] = count[b];
    }
    first_row_[s] = begin < end ? static_cast<index_t>(segment_of(a_.row_ptr, a_.rows, begin)) : 0;
  }

  void lay_out(Offset* col_ptr) {
    std::size_t place = 0;
    Offset entries = 0;
    heavy_.clear();
    for (int b = 0; b < buckets_; ++b) {
      bucket_ptr_[b] = entries;
      for (int s = 0; s < slices_; ++s) {
        run_begin_[run_of(b, s)] = place;
        const Offset count = counts_[run_of(b, s)];
        entries += count;
        place += Line::padded(static_cast<std::size_t>(count));
      }
      bucket_ptr_[b + 1] = entries;
      if (is_heavy(b)) {
        heavy_.push_back(b);
      }
    }
    col_ptr[a_.cols] = entries;
  }

  template <bool by_counts>
  void partition_slice(int s) {
    Worker& worker = workers_[s];
    Line* const lines = worker.lines.data();
    std::uint32_t* const fill = worker.fill.data();
    std::size_t* const end = worker.end.data();
    for (int b = 0; b < buckets_; ++b) {
      fill[b] = 0;
      end[b] = run_begin_[run_of(b, s)];
    }
    const auto flush = [&](std::size_t b) {
      stream_lines(keys_.data() + end[b], lines[b].keys, sizeof(Line::keys));
      if constexpr (has_values<Value>) {
        stream_lines(values_.data() + end[b], lines[b].values, sizeof(Line::values));
      }
      end[b] += line_entries;
    };
    const index_t first_row = first_row_[s];
    const int shift = shift_;
    const Key mask = (Key{1} << shift) - 1;
    for_each_entry<by_counts>(a_, slice_begin(s), slice_begin(s + 1), [&](Offset p, index_t i) {
      const auto c = static_cast<std::uint32_t>(a_.col_idx[p]);
      const std::size_t b = c >> shift;
      std::uint32_t at = fill[b];
      Line& line = lines[b];
      line.keys[at] = (static_cast<Key>(i - first_row) << shift) | (c & mask);
      if constexpr (has_values<Value>) {
        line.values[at] = a_.values[p];
      }
      if (++at == line_entries) {
        flush(b);
        at = 0;
      }
      fill[b] = at;
    });
    for (int b = 0; b < buckets_; ++b) {
      if (fill[b] != 0) {  // with what the line held before, in the padding of the run
        flush(static_cast<std::size_t>(b));
      }
    }
    stream_fence();
  }

  void count_run(int b, int s, Offset* count) const {
    const Key* const keys = keys_.data() + run_begin_[run_of(b, s)];
    const Key mask = (Key{1} << shift_) - 1;
    const Offset size = counts_[run_of(b, s)];
    for (Offset e = 0; e < size; ++e) {
      ++count[keys[e] & mask];
    }
  }

  void place_run(int b, int s, Offset* next, index_t* rows, Value* values) const {
    const std::size_t begin = run_begin_[run_of(b, s)];
    const Key* const keys = keys_.data() + begin;
    const Value* const run_values = values_.data() + (has_values<Value> ? begin : 0);
    const index_t first_row = first_row_[s];
    const int shift = shift_;
    const Key mask = (Key{1} << shift) - 1;
    const Offset size = counts_[run_of(b, s)];
    for (Offset e = 0; e < size; ++e) {
      const Key key = keys[e];
      const Offset q = next[key & mask]++;
      rows[q] = static_cast<index_t>(key >> shift) + first_row;
      if constexpr (has_values<Value>) {
        values[q] = run_values[e];
      }
    }
  }

  void sort_bucket(int b, Worker& worker, const CscBlock<Offset, Value>& out) const {
    Offset* const next = worker.next.data();
    const index_t cols = cols_of(b);
    const Offset size = bucket_size(b);
    const bool staged = size <= staged_entries;
    std::fill_n(next, cols, Offset{0});
    for (int s = 0; s < slices_; ++s) {
      count_run(b, s, next);
    }
    Offset* const col_ptr = out.col_ptr + first_col(b);
    Offset sum = bucket_ptr_[b];
    const Offset origin = staged ? sum : 0;
    for (index_t c = 0; c < cols; ++c) {
      col_ptr[c] = sum;
      sum += std::exchange(next[c], sum - origin);
    }
    for (int s = 0; s < slices_; ++s) {
      place_run(b, s, next, staged ? worker.rows.data() : out.row_idx,
                staged ? worker.values.data() : out.values);
    }
    if (staged) {
      const auto count = static_cast<std::size_t>(size);
      stream_copy(out.row_idx + origin, worker.rows.data(), count * sizeof(index_t));
      if constexpr (has_values<Value>) {
        stream_copy(out.values + origin, worker.values.data(), count * sizeof(Value));
      }
    }
  }

  // Called by all threads.
  void sort_together(int b, const CscBlock<Offset, Value>& out) {
    const index_t cols = cols_of(b);
#pragma omp for schedule(static, 1)
    for (int s = 0; s < slices_; ++s) {
      std::fill_n(workers_[s].next.data(), cols, Offset{0});
      count_run(b, s, workers_[s].next.data());
    }
#pragma omp single
    {
      Offset sum = bucket_ptr_[b];
      for (index_t c = 0; c < cols; ++c) {
        out.col_ptr[first_col(b) + c] = sum;
        for (Worker& worker : workers_) {
          sum += std::exchange(worker.next[c], sum);
        }
      }
    }
#pragma omp for schedule(static, 1)
    for (int s = 0; s < slices_; ++s) {
      place_run(b, s, workers_[s].next.data(), out.row_idx, out.values);
    }
  }

  CsrView<Offset, Value> a_;
  int slices_, shift_, buckets_;
  std::int64_t width_;  // columns of a bucket
  Buffer<Key> keys_;    // the runs, bucket by bucket
  Buffer<Value> values_;
  Buffer<Offset> counts_;          // [buckets][slices] entries of a run
  Buffer<std::size_t> run_begin_;  // [buckets][slices]
  Buffer<Offset> bucket_ptr_;      // [buckets + 1] entries before a bucket
  Buffer<index_t> first_row_;      // [slices]
  std::vector<Worker> workers_;    // [slices]
  std::vector<int> heavy_;         // buckets for all threads together
};

}  // namespace sparserepro
