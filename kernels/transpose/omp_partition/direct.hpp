// The direct path of omp_partition: slices of equal nnz, each scattered straight to its place.
//
//   1. slice s counts its columns      next[s][c]++, touched[s][c / 1024] = 1; where counters are
//                                      few, all blocks count as touched
//   2. range r of the columns sums its counts
//   3. col_ptr, and next[s][c] = col_ptr[c] + sum of the counts of the slices before s
//   4. slice s scatters each entry to next[s][c]++, and clears its counters
//
// As ScanTrans, but without an array of ranks, and a slice touches only the blocks of columns in
// which it has entries: a band costs the columns that its slices share, and not threads times
// columns. The counters are zero between executions. With `fetch` the lines of the answer that a
// later entry goes to are asked for ahead of it, at the place where its column stands by then.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include "formats/partition.hpp"
#include "transpose/counting_sort.hpp"
#include "transpose/omp_partition/policy.hpp"

namespace sparserepro {

template <class Offset, class Value>
class DirectTranspose {
 public:
  DirectTranspose(const CsrView<Offset, Value>& a, int slices, bool fetch)
      : a_(a),
        slices_(slices),
        fetch_(fetch),
        block_count_(a.cols / block + (a.cols % block != 0)),
        // One more than needed, since calloc of none may return a null pointer.
        next_(static_cast<Offset*>(std::calloc(elements() + 1, sizeof(Offset)))),
        touched_stride_((static_cast<std::size_t>(block_count_) / apart + 2) * apart),
        touched_(static_cast<std::size_t>(slices) * touched_stride_),
        range_total_(static_cast<std::size_t>(slices)),
        rows_(static_cast<std::size_t>(slices) * static_cast<std::size_t>(slices)) {
    if (next_ == nullptr) {
      throw std::bad_alloc();
    }
  }

  void run(const CscBlock<Offset, Value>& out) {
#pragma omp parallel num_threads(slices_)
    {
#pragma omp for schedule(static, 1)
      for (int s = 0; s < slices_; ++s) {
        count_slice(s);
      }
#pragma omp for schedule(static, 1)
      for (int r = 0; r < slices_; ++r) {
        sum_range(r);
      }
#pragma omp for schedule(static, 1)
      for (int r = 0; r < slices_; ++r) {
        place_range(r, out.col_ptr);
      }
#pragma omp for schedule(static, 1)
      for (int s = 0; s < slices_; ++s) {
        scatter_slice(s, out);
      }
    }
    out.col_ptr[a_.cols] = a_.nnz;
  }

  /// Counters that are never touched take no memory.
  std::int64_t workspace_bytes() const {
    return static_cast<std::int64_t>(elements() * sizeof(Offset) + touched_.size() +
                                     range_total_.size() * sizeof(Offset) +
                                     rows_.size() * sizeof(Offset*));
  }

 private:
  static constexpr index_t block = 1024;
  /// Bytes between the marks of two slices: a pair of cache lines, which is fetched together.
  static constexpr std::size_t apart = 128;
  static constexpr Offset ahead = HostPartitionPolicy::entries_ahead;

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  std::size_t elements() const {
    return static_cast<std::size_t>(slices_) * static_cast<std::size_t>(block_count_) * block;
  }
  Offset* counters(int s) {
    return next_.get() +
           static_cast<std::size_t>(s) * static_cast<std::size_t>(block_count_) * block;
  }
  std::uint8_t* touched(int s) {
    return touched_.data() + static_cast<std::size_t>(s) * touched_stride_;
  }
  Offset slice_begin(int s) const {
    return static_cast<Offset>(part_begin(a_.nnz, slices_, s));
  }
  std::int64_t block_begin(int r) const {
    return part_begin(block_count_, slices_, r);
  }
  index_t cols_before(std::int64_t b) const {
    return static_cast<index_t>(std::min<std::int64_t>(b * block, a_.cols));
  }

  void count_slice(int s) {
    Offset* const count = counters(s);
    std::uint8_t* const mark = touched(s);
    const Offset end = slice_begin(s + 1);
    if (std::int64_t{slices_} * a_.cols <= a_.nnz / HostPartitionPolicy::entries_of_counter) {
      std::fill_n(mark, block_count_, std::uint8_t{1});
      for (Offset p = slice_begin(s); p < end; ++p) {
        ++count[a_.col_idx[p]];
      }
      return;
    }
    std::fill_n(mark, block_count_, std::uint8_t{0});
    for (Offset p = slice_begin(s); p < end; ++p) {
      const index_t c = a_.col_idx[p];
      ++count[c];
      mark[c / block] = 1;
    }
  }

  void sum_range(int r) {
    Offset sum = 0;
    for (int s = 0; s < slices_; ++s) {
      const Offset* const count = counters(s);
      for (std::int64_t b = block_begin(r); b < block_begin(r + 1); ++b) {
        if (touched(s)[b]) {
          sum = std::accumulate(count + cols_before(b), count + cols_before(b + 1), sum);
        }
      }
    }
    range_total_[r] = sum;
  }

  // col_ptr of the blocks of range r, and places in the stead of counts.
  void place_range(int r, Offset* col_ptr) {
    Offset sum = std::accumulate(range_total_.begin(), range_total_.begin() + r, Offset{0});
    Offset** const rows = rows_.data() + static_cast<std::size_t>(r) * slices_;
    for (std::int64_t b = block_begin(r); b < block_begin(r + 1); ++b) {
      Offset** last = rows;
      for (int s = 0; s < slices_; ++s) {
        if (touched(s)[b]) {
          *last++ = counters(s);
        }
      }
      for (index_t c = cols_before(b); c < cols_before(b + 1); ++c) {
        col_ptr[c] = sum;
        for (Offset** row = rows; row != last; ++row) {
          sum += std::exchange((*row)[c], sum);
        }
      }
    }
  }

  void scatter_slice(int s, const CscBlock<Offset, Value>& out) {
    Offset* const next = counters(s);
    const auto place = [&](Offset p, index_t i) {
      const Offset q = next[a_.col_idx[p]]++;
      out.row_idx[q] = i;
      if constexpr (has_values<Value>) {
        out.values[q] = a_.values[p];
      }
    };
    const Offset begin = slice_begin(s), end = slice_begin(s + 1);
    const Offset last = fetch_ ? std::max<Offset>(begin, end - ahead) : begin;
    for_each_entry(a_, begin, last, [&](Offset p, index_t i) {
      const Offset later = next[a_.col_idx[p + ahead]];
      __builtin_prefetch(out.row_idx + later, 1);
      if constexpr (has_values<Value>) {
        __builtin_prefetch(out.values + later, 1);
      }
      place(p, i);
    });
    for_each_entry(a_, last, end, place);
    for (std::int64_t b = 0; b < block_count_; ++b) {
      if (touched(s)[b]) {
        std::fill(next + cols_before(b), next + cols_before(b + 1), Offset{0});
      }
    }
  }

  CsrView<Offset, Value> a_;
  int slices_;
  bool fetch_;
  std::int64_t block_count_;
  std::unique_ptr<Offset[], Free> next_;  // [slices][blocks * 1024]
  std::size_t touched_stride_;
  Buffer<std::uint8_t> touched_;  // [slices][touched_stride_], of which the first `blocks` count
  Buffer<Offset> range_total_;    // [slices] entries of each range of blocks
  Buffer<Offset*> rows_;          // [ranges][slices] counters of the slices that touch a block
};

}  // namespace sparserepro
