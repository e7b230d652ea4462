// ScanTrans: partial histograms of p slices of equal nnz, scanned down the columns.
//
//   1. thread t counts its slice:  intra[e] = inter[t][c]++          c = col_idx[e]
//   2. vertical scan:              inter[t][c] = sum of inter[s][c] over s < t
//   3. exclusive scan of the column totals gives col_ptr
//   4. thread t scatters its slice to col_ptr[c] + inter[t][c] + intra[e]
//
// It is stable: in each column, inter puts slice t after the slices before it, and intra numbers
// the entries of a slice in storage order. Source: Wang, Liu, Hou, Feng, "Parallel transposition of
// sparse data structures", ICS'16, section 4.1; transposition seed III-B. Differences from the
// paper: the totals, row p of inter, are written to col_ptr, and rows are expanded during the
// scatter instead of in an array of nnz numbers. Corrected: the position of the seed, col_ptr[c] +
// inter[c] + intra[e], has no block index in inter, and it takes i / nnz for the block of entry i.
#include <omp.h>

#include <numeric>

#include "transpose/algorithms.hpp"
#include "transpose/column_arrays.hpp"
#include "transpose/host_run.hpp"
#include "transpose/slices.hpp"

namespace sparserepro {
namespace {

using Counter = ColumnCounter;

// Columns that are scanned together. Their running totals, 4 KiB, stay in the L1 cache.
constexpr index_t scan_tile = 1024;

template <class Offset, class Value>
class ScanTrans final : public HostTransposeRun<Offset, Value> {
 public:
  ScanTrans(const Csr<Offset, Value>& a, const Params& params)
      : HostTransposeRun<Offset, Value>(a),
        threads_(params.threads()),
        inter_(static_cast<std::size_t>(threads_) * static_cast<std::size_t>(a.cols)),
        intra_(a.col_idx.size()),
        range_total_(static_cast<std::size_t>(threads_)) {}

  void execute() override {
#pragma omp parallel num_threads(threads_)
    {
      const int p = omp_get_num_threads();
      const int t = omp_get_thread_num();
      count_slice(p, t);
#pragma omp barrier
      scan_columns(p, t);
#pragma omp barrier
      scatter_slice(p, t);
    }
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>((inter_.size() + intra_.size()) * sizeof(Counter) +
                                     range_total_.size() * sizeof(Offset));
  }

 private:
  Counter* inter_row(int t) {
    return inter_.data() + static_cast<std::size_t>(t) * static_cast<std::size_t>(this->a_.cols);
  }
  Offset slice_begin(int p, int t) const {
    return static_cast<Offset>(part_begin(this->a_.nnz(), p, t));
  }

  void count_slice(int p, int t) {
    Counter* const count = inter_row(t);
    std::fill_n(count, this->a_.cols, Counter{0});
    const index_t* const col_idx = this->a_.col_idx.data();
    Counter* const intra = intra_.data();
    const Offset end = slice_begin(p, t + 1);
    for (Offset e = slice_begin(p, t); e < end; ++e) {
      intra[e] = count[col_idx[e]]++;
    }
  }

  // Steps 2 and 3 for the columns of thread t. Step 3 adds the totals of the ranges before it.
  void scan_columns(int p, int t) {
    const auto first = static_cast<index_t>(part_begin(this->a_.cols, p, t));
    const auto last = static_cast<index_t>(part_begin(this->a_.cols, p, t + 1));
    Offset* const col_ptr = this->out_.row_ptr.data();
    Offset sum = 0;
    for (index_t tile = first; tile < last; tile += scan_tile) {
      const index_t width = std::min(scan_tile, last - tile);
      Counter running[scan_tile] = {};
      for (int s = 0; s < p; ++s) {
        Counter* const row = inter_row(s) + tile;
        for (index_t c = 0; c < width; ++c) {
          const Counter count = row[c];
          row[c] = running[c];
          running[c] += count;
        }
      }
      for (index_t c = 0; c < width; ++c) {
        col_ptr[tile + c] = sum;
        sum += static_cast<Offset>(running[c]);
      }
    }
    range_total_[t] = sum;
#pragma omp barrier
    const Offset before =
        std::accumulate(range_total_.begin(), range_total_.begin() + t, Offset{0});
    if (before != 0) {
      for (index_t c = first; c < last; ++c) {
        col_ptr[c] += before;
      }
    }
    if (t == p - 1) {
      col_ptr[this->a_.cols] = this->a_.nnz();
    }
  }

  void scatter_slice(int p, int t) {
    const CsrView<Offset, Value> a = this->a_.view();
    const Counter* const before = inter_row(t);
    const Counter* const intra = intra_.data();
    const Offset* const col_ptr = this->out_.row_ptr.data();
    index_t* const out_idx = this->out_.col_idx.data();
    Value* const out_values = this->out_.values.data();
    for_each_entry(a, slice_begin(p, t), slice_begin(p, t + 1), [&](Offset e, index_t i) {
      const index_t c = a.col_idx[e];
      const Offset q = col_ptr[c] + static_cast<Offset>(before[c]) + static_cast<Offset>(intra[e]);
      out_idx[q] = i;
      if constexpr (has_values<Value>) {
        out_values[q] = a.values[e];
      }
    });
  }

  int threads_;
  Buffer<Counter> inter_;       // [threads * cols]
  Buffer<Counter> intra_;       // [nnz] earlier entries of the same slice and column
  Buffer<Offset> range_total_;  // [threads] entries in each thread's range of columns
};

std::string scantrans_refusal(const TransposeProblem& problem, const Params& params) {
  const std::string refusal = counter_refusal(problem.shape().stored);
  return !refusal.empty() ? refusal
                          : column_array_refusal(problem, params.threads(), sizeof(Counter));
}

}  // namespace

Algorithm<TransposeProblem> transpose_omp_scantrans() {
  return {.name = "omp_scantrans",
          .summary = "histograms of equal slices, scanned down the columns",
          .source = "Wang et al., ICS'16, ScanTrans; transposition seed III-B",
          .backend = Backend::omp,
          .refusal = scantrans_refusal,
          .prepare = prepare_transpose<ScanTrans>};
}

}  // namespace sparserepro
