// The direct path of omp_partition: slices of equal nnz, each scattered straight to its place.
//
//   1. slice s counts its columns      rank[e] = next[s][c]++, touched[s][c / 1024] = 1
//   2. down the columns: next[s][c] = sum of the counts of the slices before s; col_ptr
//   3. slice s scatters entry e to col_ptr[c] + next[s][c] + rank[e], and clears its counters
//
// As ScanTrans, but a slice touches only the blocks of columns in which it has entries: a band
// costs the columns that its slices share, and not threads times columns. The counters are zero
// between executions.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "formats/partition.hpp"
#include "transpose/counting_sort.hpp"

namespace sparserepro {

template <class Offset, class Value>
class DirectTranspose {
 public:
  DirectTranspose(const CsrView<Offset, Value>& a, int slices)
      : a_(a),
        slices_(slices),
        block_count_(a.cols / block + (a.cols % block != 0)),
        // One more than needed, since calloc of none may return a null pointer.
        next_(static_cast<Offset*>(std::calloc(elements() + 1, sizeof(Offset)))),
        touched_stride_((static_cast<std::size_t>(block_count_) / apart + 2) * apart),
        touched_(static_cast<std::size_t>(slices) * touched_stride_),
        rank_(static_cast<std::size_t>(a.nnz)),
        range_total_(static_cast<std::size_t>(slices)) {
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
        scan_range(r, out.col_ptr);
      }
#pragma omp for schedule(static, 1)
      for (int r = 0; r < slices_; ++r) {
        shift_range(r, out.col_ptr);
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
                                     (rank_.size() + range_total_.size()) * sizeof(Offset));
  }

 private:
  static constexpr index_t block = 1024;
  /// Bytes between the marks of two slices: a pair of cache lines, which is fetched together.
  static constexpr std::size_t apart = 128;

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
    std::fill_n(mark, block_count_, std::uint8_t{0});
    const Offset end = slice_begin(s + 1);
    for (Offset p = slice_begin(s); p < end; ++p) {
      const index_t c = a_.col_idx[p];
      rank_[p] = count[c]++;
      mark[c / block] = 1;
    }
  }

  // col_ptr of the blocks of range r, from 0.
  void scan_range(int r, Offset* col_ptr) {
    Offset sum = 0;
    for (std::int64_t b = block_begin(r); b < block_begin(r + 1); ++b) {
      const index_t first = cols_before(b);
      const index_t width = cols_before(b + 1) - first;
      Offset running[block] = {};
      for (int s = 0; s < slices_; ++s) {
        if (touched(s)[b]) {
          Offset* const row = counters(s) + first;
          for (index_t c = 0; c < width; ++c) {
            const Offset count = row[c];
            row[c] = running[c];
            running[c] += count;
          }
        }
      }
      for (index_t c = 0; c < width; ++c) {
        col_ptr[first + c] = sum;
        sum += running[c];
      }
    }
    range_total_[r] = sum;
  }

  void shift_range(int r, Offset* col_ptr) const {
    Offset before = 0;
    for (int q = 0; q < r; ++q) {
      before += range_total_[q];
    }
    const index_t end = cols_before(block_begin(r + 1));
    for (index_t c = cols_before(block_begin(r)); c < end; ++c) {
      col_ptr[c] += before;
    }
  }

  void scatter_slice(int s, const CscBlock<Offset, Value>& out) {
    Offset* const next = counters(s);
    const auto for_each_block = [&](auto visit) {
      for (std::int64_t b = 0; b < block_count_; ++b) {
        if (touched(s)[b]) {
          visit(cols_before(b), cols_before(b + 1));
        }
      }
    };
    for_each_block([&](index_t first, index_t last) {
      for (index_t c = first; c < last; ++c) {
        next[c] += out.col_ptr[c];
      }
    });
    for_each_entry(a_, slice_begin(s), slice_begin(s + 1), [&](Offset p, index_t i) {
      const Offset q = next[a_.col_idx[p]] + rank_[p];
      out.row_idx[q] = i;
      if constexpr (has_values<Value>) {
        out.values[q] = a_.values[p];
      }
    });
    for_each_block(
        [&](index_t first, index_t last) { std::fill(next + first, next + last, Offset{0}); });
  }

  CsrView<Offset, Value> a_;
  int slices_;
  std::int64_t block_count_;
  std::unique_ptr<Offset[], Free> next_;  // [slices][blocks * 1024]
  std::size_t touched_stride_;
  Buffer<std::uint8_t> touched_;  // [slices][touched_stride_], of which the first `blocks` count
  Buffer<Offset> rank_;           // [nnz] of an entry in its column of the slice
  Buffer<Offset> range_total_;    // [slices] entries of each range of blocks
};

}  // namespace sparserepro
