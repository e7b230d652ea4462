// The direct path of omp_partition: slices of equal nnz, each scattered straight to its place.
//
//   1. slice s counts its columns      next[s][c]++, touched[s][c / 1024] = 1; where counters are
//                                      few, all blocks count as touched
//   2. range r of the columns sums its counts
//   3. col_ptr, and next[s][c] = col_ptr[c] + sum of the counts of the slices before s
//   4. slice s scatters entry p to next[s][c]++, and clears its counters
//
// A slice touches only the blocks of columns in which it has entries: a band costs the columns that
// its slices share, and not threads times columns. The counters are zero between executions. Where
// lines are fetched ahead, the place of an entry is computed `ahead` entries before it is written,
// and its lines of the answer are asked for then. With ranks, as in ScanTrans but of 16 bits, step
// 1 keeps rank[p] = next[s][c]++ and step 4 scatters to next[s][c] + rank[p]; a slice with 2^16
// entries of a column does without.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <type_traits>
#include <utility>

#include "formats/huge_pages.hpp"
#include "formats/partition.hpp"
#include "transpose/counting_sort.hpp"
#include "transpose/omp_partition/policy.hpp"

namespace sparserepro {

template <class Offset, class Value>
class DirectTranspose {
 public:
  static constexpr std::int64_t entries_of_change = HostPartitionPolicy::entries_of_change;

  /// `fetches`: executions that are not eager fetch lines ahead, and have ranks.
  DirectTranspose(const CsrView<Offset, Value>& a, int slices, bool fetches)
      : a_(a),
        slices_(slices),
        fetches_(fetches),
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
    resize_on_huge_pages(ranks_, fetches ? static_cast<std::size_t>(a.nnz) : 0);
  }

  /// Whether executions fetch lines ahead in any case, and have no ranks.
  void be_eager(bool eager) { eager_ = eager; }

  /// `by_counts`: how entries are visited (transpose/slices.hpp).
  void run(const CscBlock<Offset, Value>& out, bool by_counts) {
#pragma omp parallel num_threads(slices_)
    {
#pragma omp for schedule(static, 1)
      for (int s = 0; s < slices_; ++s) {
        has_ranks() ? count_slice<true>(s) : count_slice<false>(s);
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
        by_counts ? scatter_slice<true>(s, out) : scatter_slice<false>(s, out);
      }
    }
    out.col_ptr[a_.cols] = a_.nnz;
  }

  /// Counters that are never touched take no memory.
  std::int64_t workspace_bytes() const {
    return static_cast<std::int64_t>(
        elements() * sizeof(Offset) + touched_.size() + range_total_.size() * sizeof(Offset) +
        rows_.size() * sizeof(Offset*) + overflows_.size() + ranks_.size() * sizeof(Rank));
  }

 private:
  using Rank = std::uint16_t;
  static constexpr index_t block = 1024;
  /// Bytes between the marks of two slices: a pair of cache lines, which is fetched together.
  static constexpr std::size_t apart = 128;
  /// Counters between slices, 17 cache lines of 4-byte ones: counters of one column lie at
  /// different places of a page of 4 KiB, or loads would wait for stores to the other ones.
  static constexpr std::size_t skew = 272;
  static constexpr Offset ahead = HostPartitionPolicy::entries_ahead;

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  std::size_t elements() const {
    return static_cast<std::size_t>(slices_) * slice_elements();
  }
  std::size_t slice_elements() const {
    return static_cast<std::size_t>(block_count_) * block + skew;
  }
  Offset* counters(int s) {
    return next_.get() + static_cast<std::size_t>(s) * slice_elements();
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

  bool has_ranks() const {
    return fetches_ && !eager_;
  }

  template <bool ranked>
  void count_slice(int s) {
    Offset* const count = counters(s);
    Rank* const rank = ranks_.data();
    std::uint8_t* const mark = touched(s);
    const auto count_entries = [&](auto marked) {
      const Offset end = slice_begin(s + 1);
      for (Offset p = slice_begin(s); p < end; ++p) {
        const index_t c = a_.col_idx[p];
        if constexpr (ranked) {
          rank[p] = static_cast<Rank>(count[c]);
        }
        ++count[c];
        if constexpr (marked) {
          mark[c / block] = 1;
        }
      }
    };
    if (std::int64_t{slices_ - 1} * a_.cols <= HostPartitionPolicy::unmarked_counters * a_.nnz) {
      std::fill_n(mark, block_count_, std::uint8_t{1});
      count_entries(std::false_type());
    } else {
      std::fill_n(mark, block_count_, std::uint8_t{0});
      count_entries(std::true_type());
    }
  }

  void sum_range(int r) {
    Offset sum = 0;
    for (int s = 0; s < slices_; ++s) {
      const Offset* const count = counters(s);
      Offset bits = 0;
      for (std::int64_t b = block_begin(r); b < block_begin(r + 1); ++b) {
        if (touched(s)[b]) {
          for (index_t c = cols_before(b); c < cols_before(b + 1); ++c) {
            sum += count[c];
            bits |= count[c];
          }
        }
      }
      overflow(r, s) = bits > std::numeric_limits<Rank>::max();
    }
    range_total_[r] = sum;
  }
  std::uint8_t& overflow(int r, int s) {
    return overflows_[static_cast<std::size_t>(s) * static_cast<std::size_t>(slices_) +
                      static_cast<std::size_t>(r)];
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

  template <bool by_counts>
  void scatter_slice(int s, const CscBlock<Offset, Value>& out) {
    Offset* const next = counters(s);
    const std::uint8_t* const of_ranges = &overflow(0, s);
    if (!has_ranks() || std::any_of(of_ranges, of_ranges + slices_, std::identity())) {
      scatter<by_counts>(s, out, [&](Offset p) { return next[a_.col_idx[p]]++; });
    } else {
      const Rank* const rank = ranks_.data();
      scatter<by_counts>(
          s, out, [&](Offset p) { return static_cast<Offset>(next[a_.col_idx[p]] + rank[p]); });
    }
    for (std::int64_t b = 0; b < block_count_; ++b) {
      if (touched(s)[b]) {
        std::fill(next + cols_before(b), next + cols_before(b + 1), Offset{0});
      }
    }
  }

  /// Asks for place_of(p) once for each entry p, in their order.
  template <bool by_counts, class PlaceOf>
  void scatter(int s, const CscBlock<Offset, Value>& out, PlaceOf place_of) {
    const Offset begin = slice_begin(s), end = slice_begin(s + 1);
    if (!fetches_ && !eager_) {
      for_each_entry<by_counts>(a_, begin, end,
                                [&](Offset p, index_t i) { write(p, i, place_of(p), out); });
      return;
    }
    static_assert((ahead & (ahead - 1)) == 0);
    constexpr Offset mask = 2 * ahead - 1;
    Offset places[2 * ahead];  // of entries p to p + ahead, each at its number mod 2 ahead
    const auto locate = [&](Offset p) {
      const Offset q = place_of(p);
      places[p & mask] = q;
      __builtin_prefetch(out.row_idx + q, 1);
      if constexpr (has_values<Value>) {
        __builtin_prefetch(out.values + q, 1);
      }
    };
    const auto first = std::min<Offset>(end, begin + ahead);
    for (Offset p = begin; p < first; ++p) {
      locate(p);
    }
    const auto last = std::max<Offset>(begin, end - ahead);
    for_each_entry<by_counts>(a_, begin, last, [&](Offset p, index_t i) {
      locate(p + ahead);
      write(p, i, places[p & mask], out);
    });
    for_each_entry(a_, last, end, [&](Offset p, index_t i) { write(p, i, places[p & mask], out); });
  }

  void write(Offset p, index_t i, Offset q, const CscBlock<Offset, Value>& out) const {
    out.row_idx[q] = i;
    if constexpr (has_values<Value>) {
      out.values[q] = a_.values[p];
    }
  }

  CsrView<Offset, Value> a_;
  int slices_;
  bool fetches_, eager_ = false;
  std::int64_t block_count_;
  std::unique_ptr<Offset[], Free> next_;  // [slices][blocks * 1024 + skew]
  std::size_t touched_stride_;
  Buffer<std::uint8_t> touched_;    // [slices][touched_stride_], of which the first `blocks` count
  Buffer<Offset> range_total_;      // [slices] entries of each range of blocks
  Buffer<Offset*> rows_;            // [ranges][slices] counters of the slices that touch a block
  Buffer<std::uint8_t> overflows_;  // [slices][ranges] whether a count exceeds the ranks
  Buffer<Rank> ranks_;              // [nnz] earlier entries of the same slice and column, or none
};

}  // namespace sparserepro
