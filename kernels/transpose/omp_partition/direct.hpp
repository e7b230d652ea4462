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
// entries of a column does without. In units (units.hpp) one counter and one place serve the
// entries of up to three rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "formats/huge_pages.hpp"
#include "transpose/counting_sort.hpp"
#include "transpose/omp_partition/policy.hpp"
#include "transpose/omp_partition/slice_counters.hpp"
#include "transpose/omp_partition/units.hpp"

namespace sparserepro {

template <class Offset, class Value>
class DirectTranspose {
 public:
  static constexpr std::int64_t entries_of_change = HostPartitionPolicy::entries_of_change;

  /// `fetches`: executions that are not eager fetch lines ahead, and have ranks.
  DirectTranspose(const CsrView<Offset, Value>& a, int slices, bool fetches)
      : a_(a), slices_(slices), fetches_(fetches), counters_(a, slices) {
    resize_on_huge_pages(ranks_, fetches ? static_cast<std::size_t>(a.nnz) : 0);
  }

  /// Whether executions fetch lines ahead in any case, and have no ranks.
  void be_eager(bool eager) { eager_ = eager; }

  /// Whether executions take rows in units, without ranks, and fetch lines ahead as if not eager.
  void be_in_units(bool in_units) {
    in_units_ = in_units;
    unit_rows_.resize(in_units ? static_cast<std::size_t>(a_.rows) : unit_rows_.size());
  }

  /// `by_counts`: how entries are visited (transpose/slices.hpp).
  void run(const CscBlock<Offset, Value>& out, bool by_counts) {
#pragma omp parallel num_threads(slices_)
    {
#pragma omp for schedule(static, 1)
      for (int s = 0; s < slices_; ++s) {
        in_units_ ? count_units(s) : has_ranks() ? count_slice<true>(s) : count_slice<false>(s);
      }
#pragma omp for schedule(static, 1)
      for (int r = 0; r < slices_; ++r) {
        counters_.sum_range(r);
      }
#pragma omp for schedule(static, 1)
      for (int r = 0; r < slices_; ++r) {
        counters_.place_range(r, out.col_ptr);
      }
#pragma omp for schedule(static, 1)
      for (int s = 0; s < slices_; ++s) {
        in_units_   ? scatter_units(s, out)
        : by_counts ? scatter_slice<true>(s, out)
                    : scatter_slice<false>(s, out);
        counters_.clear(s);
      }
    }
    out.col_ptr[a_.cols] = a_.nnz;
  }

  std::int64_t workspace_bytes() const {
    return counters_.workspace_bytes() +
           static_cast<std::int64_t>(ranks_.size() * sizeof(ColumnRank) + unit_rows_.size());
  }

 private:
  static constexpr index_t block = SliceCounters<Offset, Value>::block;
  static constexpr Offset ahead = HostPartitionPolicy::entries_ahead;

  bool has_ranks() const {
    return fetches_ && !eager_ && !in_units_;
  }

  template <bool ranked>
  void count_slice(int s) {
    Offset* const count = counters_.of(s);
    ColumnRank* const rank = ranks_.data();
    std::uint8_t* const mark = counters_.touched(s);
    const auto count_entries = [&](auto marked) {
      const Offset end = counters_.slice_begin(s + 1);
      for (Offset p = counters_.slice_begin(s); p < end; ++p) {
        const index_t c = a_.col_idx[p];
        if constexpr (ranked) {
          rank[p] = static_cast<ColumnRank>(count[c]);
        }
        ++count[c];
        if constexpr (marked) {
          mark[c / block] = 1;
        }
      }
    };
    counters_.marks(s) ? count_entries(std::true_type()) : count_entries(std::false_type());
  }

  void count_units(int s) {
    Offset* const count = counters_.of(s);
    std::uint8_t* const mark = counters_.touched(s);
    const bool marked = counters_.marks(s);
    for_each_unit<true>(a_, counters_.slice_begin(s), counters_.slice_begin(s + 1),
                        unit_rows_.data(), [&](Offset p, Offset length, int rows, index_t) {
                          for (Offset e = p; e < p + length; ++e) {
                            count[a_.col_idx[e]] += rows;
                          }
                          for (Offset e = p; marked && e < p + length; ++e) {
                            mark[a_.col_idx[e] / block] = 1;
                          }
                        });
  }

  template <bool by_counts>
  void scatter_slice(int s, const CscBlock<Offset, Value>& out) {
    Offset* const next = counters_.of(s);
    if (!has_ranks() || counters_.exceeds_ranks(s)) {
      scatter<by_counts>(s, out, [&](Offset p) { return next[a_.col_idx[p]]++; });
    } else {
      const ColumnRank* const rank = ranks_.data();
      scatter<by_counts>(
          s, out, [&](Offset p) { return static_cast<Offset>(next[a_.col_idx[p]] + rank[p]); });
    }
  }

  void scatter_units(int s, const CscBlock<Offset, Value>& out) {
    const Offset end = counters_.slice_begin(s + 1);
    const auto place = [&](auto rows_of_unit, Offset p, Offset length, index_t i) {
      fetches_ ? place_unit<rows_of_unit(), true>(s, p, length, i, end, out)
               : place_unit<rows_of_unit(), false>(s, p, length, i, end, out);
    };
    for_each_unit<false>(a_, counters_.slice_begin(s), end, unit_rows_.data(),
                         [&](Offset p, Offset length, int rows, index_t i) {
                           rows == 3   ? place(std::integral_constant<int, 3>(), p, length, i)
                           : rows == 2 ? place(std::integral_constant<int, 2>(), p, length, i)
                                       : place(std::integral_constant<int, 1>(), p, length, i);
                         });
  }

  /// Writes a unit's entries to their places; asks for the lines of those `ahead` entries on, in
  /// this unit or as if the next one had as many rows.
  template <int Rows, bool fetches>
  void place_unit(int s, Offset p, Offset length, index_t i, Offset end,
                  const CscBlock<Offset, Value>& out) {
    Offset* const next = counters_.of(s);
    constexpr Offset columns_ahead = ahead / Rows;
    for (Offset e = 0; e < length; ++e) {
      const index_t c = a_.col_idx[p + e];
      const Offset q = next[c], later = e + columns_ahead;
      next[c] = q + Rows;
      if constexpr (fetches) {
        const Offset at = later < length ? p + later : p + later + (Rows - 1) * length;
        if (at < end) {
          fetch(next[a_.col_idx[at]], out);
        }
      }
      for (int r = 0; r < Rows; ++r) {
        write(p + e + r * length, i + r, q + r, out);
      }
    }
  }

  static void fetch(Offset q, const CscBlock<Offset, Value>& out) {
    __builtin_prefetch(out.row_idx + q, 1);
    if constexpr (has_values<Value>) {
      __builtin_prefetch(out.values + q, 1);
    }
  }

  /// Asks for place_of(p) once for each entry p, in their order.
  template <bool by_counts, class PlaceOf>
  void scatter(int s, const CscBlock<Offset, Value>& out, PlaceOf place_of) {
    const Offset begin = counters_.slice_begin(s), end = counters_.slice_begin(s + 1);
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
      fetch(q, out);
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
  bool fetches_, eager_ = false, in_units_ = false;
  SliceCounters<Offset, Value> counters_;
  Buffer<ColumnRank> ranks_;        // [nnz] earlier entries of the same slice and column, or none
  Buffer<std::uint8_t> unit_rows_;  // [rows] rows of the unit that begins with a row, or none
};

}  // namespace sparserepro
