// Counters of path direct: entries of each slice in each column, then the places of the next ones.
// A slice marks the blocks of columns in which it has entries, so that a band costs the columns
// that its slices share, and not threads times columns. The counters are zero between executions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include "formats/buffer.hpp"
#include "formats/csr.hpp"
#include "formats/partition.hpp"
#include "transpose/omp_partition/policy.hpp"

namespace sparserepro {

/// Entries before one of the same slice and column.
using ColumnRank = std::uint16_t;

template <class Offset, class Value>
class SliceCounters {
 public:
  static constexpr index_t block = 1024;

  SliceCounters(const CsrView<Offset, Value>& a, int slices)
      : a_(a),
        slices_(slices),
        block_count_(a.cols / block + (a.cols % block != 0)),
        // One more than needed, since calloc of none may return a null pointer.
        next_(static_cast<Offset*>(std::calloc(elements() + 1, sizeof(Offset)))),
        touched_stride_((static_cast<std::size_t>(block_count_) / apart + 2) * apart),
        touched_(static_cast<std::size_t>(slices) * touched_stride_),
        range_total_(static_cast<std::size_t>(slices)),
        rows_(static_cast<std::size_t>(slices) * static_cast<std::size_t>(slices)),
        overflows_(rows_.size()) {
    if (next_ == nullptr) {
      throw std::bad_alloc();
    }
  }

  Offset slice_begin(int s) const { return static_cast<Offset>(part_begin(a_.nnz, slices_, s)); }
  Offset* of(int s) { return next_.get() + static_cast<std::size_t>(s) * slice_elements(); }
  /// The marks of slice s, one a block of columns.
  std::uint8_t* touched(int s) {
    return touched_.data() + static_cast<std::size_t>(s) * touched_stride_;
  }

  /// Whether the blocks of columns that slice s meets are to be marked; all are where counters are
  /// few.
  bool marks(int s) {
    const bool few =
        std::int64_t{slices_ - 1} * a_.cols <= HostPartitionPolicy::unmarked_counters * a_.nnz;
    std::fill_n(touched(s), block_count_, static_cast<std::uint8_t>(few));
    return !few;
  }

  /// Sums the counts of range r of the blocks.
  void sum_range(int r) {
    Offset sum = 0;
    for (int s = 0; s < slices_; ++s) {
      const Offset* const count = of(s);
      Offset bits = 0;
      for (std::int64_t b = block_begin(r); b < block_begin(r + 1); ++b) {
        if (touched(s)[b]) {
          for (index_t c = cols_before(b); c < cols_before(b + 1); ++c) {
            sum += count[c];
            bits |= count[c];
          }
        }
      }
      overflow(r, s) = bits > std::numeric_limits<ColumnRank>::max();
    }
    range_total_[r] = sum;
  }
  /// col_ptr of the blocks of range r, and places in the stead of counts.
  void place_range(int r, Offset* col_ptr) {
    Offset sum = std::accumulate(range_total_.begin(), range_total_.begin() + r, Offset{0});
    Offset** const rows = rows_.data() + static_cast<std::size_t>(r) * slices_;
    for (std::int64_t b = block_begin(r); b < block_begin(r + 1); ++b) {
      Offset** last = rows;
      for (int s = 0; s < slices_; ++s) {
        if (touched(s)[b]) {
          *last++ = of(s);
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

  /// Whether a column of slice s has more entries than a rank counts; by its counts of this
  /// execution.
  bool exceeds_ranks(int s) {
    const std::uint8_t* const of_ranges = &overflow(0, s);
    return std::any_of(of_ranges, of_ranges + slices_, std::identity());
  }

  /// The counters of slice s are zero again.
  void clear(int s) {
    Offset* const next = of(s);
    for (std::int64_t b = 0; b < block_count_; ++b) {
      if (touched(s)[b]) {
        std::fill(next + cols_before(b), next + cols_before(b + 1), Offset{0});
      }
    }
  }

  /// Counters that are never touched take no memory.
  std::int64_t workspace_bytes() const {
    return static_cast<std::int64_t>(elements() * sizeof(Offset) + touched_.size() +
                                     range_total_.size() * sizeof(Offset) +
                                     rows_.size() * sizeof(Offset*) + overflows_.size());
  }

 private:
  /// Bytes between the marks of two slices: a pair of cache lines, which is fetched together.
  static constexpr std::size_t apart = 128;
  /// Counters between slices, 17 cache lines of 4-byte ones: counters of one column lie at
  /// different places of a page of 4 KiB, or loads would wait for stores to the other ones.
  static constexpr std::size_t skew = 272;

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  std::size_t elements() const { return static_cast<std::size_t>(slices_) * slice_elements(); }
  std::size_t slice_elements() const {
    return static_cast<std::size_t>(block_count_) * block + skew;
  }
  std::int64_t block_begin(int r) const { return part_begin(block_count_, slices_, r); }
  index_t cols_before(std::int64_t b) const {
    return static_cast<index_t>(std::min<std::int64_t>(b * block, a_.cols));
  }
  std::uint8_t& overflow(int r, int s) {
    return overflows_[static_cast<std::size_t>(s) * static_cast<std::size_t>(slices_) +
                      static_cast<std::size_t>(r)];
  }

  CsrView<Offset, Value> a_;
  int slices_;
  std::int64_t block_count_;
  std::unique_ptr<Offset[], Free> next_;  // [slices][blocks * 1024 + skew]
  std::size_t touched_stride_;
  Buffer<std::uint8_t> touched_;    // [slices][touched_stride_], of which the first `blocks` count
  Buffer<Offset> range_total_;      // [slices] entries of each range of blocks
  Buffer<Offset*> rows_;            // [ranges][slices] counters of the slices that touch a block
  Buffer<std::uint8_t> overflows_;  // [slices][ranges] whether a count exceeds the ranks
};

}  // namespace sparserepro
