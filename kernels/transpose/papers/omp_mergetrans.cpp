// MergeTrans: p threads transpose equal slices of the entries into CSC blocks, which are merged in
// pairs over ceil(log2 p) levels.
//
//   merge   col_ptr[c] = left.col_ptr[c] + right.col_ptr[c];
//           column c = column c of the left block, then column c of the right one
//
// Blocks hold consecutive entries of A in row-major order, so that a merge compares nothing and
// keeps the order of the rows. If a level has fewer merges than threads, several threads share a
// merge; each takes columns with about equal numbers of entries and pointers. Levels alternate
// between the output and one scratch copy, so that the last one writes the output.
// Source: Wang, Liu, Hou, Feng, "Parallel transposition of sparse data structures", ICS'16, section
// 4.2; transposition seed III-C, whose code sorts tiles by comparison instead.
#include <omp.h>

#include <bit>

#include "transpose/algorithms.hpp"
#include "transpose/column_arrays.hpp"
#include "transpose/counting_sort.hpp"
#include "transpose/host_run.hpp"
#include "transpose/slices.hpp"

namespace sparserepro {
namespace {

/// First column of part `part` of `parts` of a merge. Parts have about equal numbers of entries
/// plus pointers: a binary search finds the first c with c + left[c] + right[c] >= part / parts of
/// the total.
template <class Offset>
index_t column_split(const Offset* left, const Offset* right, index_t cols, int parts, int part) {
  const auto work = [&](index_t c) { return std::int64_t{c} + left[c] + right[c]; };
  const std::int64_t target = part_begin(work(cols), parts, part);
  index_t low = 0;
  index_t high = cols;
  while (low < high) {
    const index_t middle = low + (high - low) / 2;
    if (work(middle) < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template <class Offset, class Value>
void append(const CscBlock<Offset, Value>& from, index_t c, const CscBlock<Offset, Value>& to,
            Offset& q) {
  for (Offset p = from.col_ptr[c]; p < from.col_ptr[c + 1]; ++p, ++q) {
    to.row_idx[q] = from.row_idx[p];
    if constexpr (has_values<Value>) {
      to.values[q] = from.values[p];
    }
  }
}

/// Writes the columns of part `part` of `parts` of the merge of `left` and `right`.
template <class Offset, class Value>
void merge_part(const CscBlock<Offset, Value>& left, const CscBlock<Offset, Value>& right,
                index_t cols, const CscBlock<Offset, Value>& out, int parts, int part) {
  const index_t first = column_split(left.col_ptr, right.col_ptr, cols, parts, part);
  const index_t last = column_split(left.col_ptr, right.col_ptr, cols, parts, part + 1);
  Offset q = left.col_ptr[first] + right.col_ptr[first];
  for (index_t c = first; c < last; ++c) {
    out.col_ptr[c] = q;
    append(left, c, out, q);
    append(right, c, out, q);
  }
  if (part + 1 == parts) {  // parts before it may end at `cols` too, and have nothing after it
    out.col_ptr[cols] = q;
  }
}

/// Copies part `part` of `parts` of a block that has no partner at its level.
template <class Offset, class Value>
void copy_part(const CscBlock<Offset, Value>& from, index_t cols,
               const CscBlock<Offset, Value>& out, int parts, int part) {
  const auto copy = [&](const auto* source, auto* target, std::int64_t count) {
    const std::int64_t first = part_begin(count, parts, part);
    std::copy(source + first, source + part_begin(count, parts, part + 1), target + first);
  };
  const std::int64_t entries = from.col_ptr[cols];
  copy(from.col_ptr, out.col_ptr, std::int64_t{cols} + 1);
  copy(from.row_idx, out.row_idx, entries);
  if constexpr (has_values<Value>) {
    copy(from.values, out.values, entries);
  }
}

template <class Offset, class Value>
class MergeTrans final : public HostTransposeRun<Offset, Value> {
 public:
  MergeTrans(const Csr<Offset, Value>& a, const Params& params)
      : HostTransposeRun<Offset, Value>(a), threads_(params.threads()) {
    if (threads_ > 1) {
      const std::size_t pointers = static_cast<std::size_t>(a.cols) + 1;
      scratch_idx_.resize(a.col_idx.size());
      scratch_values_.resize(a.values.size());
      pointers_[0].resize(static_cast<std::size_t>(threads_) * pointers);
      pointers_[1].resize((static_cast<std::size_t>(threads_) + 1) / 2 * pointers);
    }
  }

  void execute() override {
#pragma omp parallel num_threads(threads_)
    {
      const int p = omp_get_num_threads();
      const int t = omp_get_thread_num();
      const int levels = std::bit_width(static_cast<unsigned>(p - 1));
      transpose_slice(this->a_.view(), slice_begin(p, t), slice_begin(p, t + 1),
                      block(0, levels, p, t));
      for (int level = 1; level <= levels; ++level) {
#pragma omp barrier
        merge_level(level, levels, p, t);
      }
    }
  }

  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(scratch_idx_.size() * sizeof(index_t) +
                                     scratch_values_.size() * value_bytes<Value> +
                                     (pointers_[0].size() + pointers_[1].size()) * sizeof(Offset));
  }

 private:
  Offset slice_begin(int p, int t) const {
    return static_cast<Offset>(part_begin(this->a_.nnz(), p, t));
  }

  // Block b of `level`: 2^level slices, at the positions of their entries in A. Level `levels` is
  // the output.
  CscBlock<Offset, Value> block(int level, int levels, int p, int b) {
    const auto first_slice = static_cast<int>(std::min<std::int64_t>(std::int64_t{b} << level, p));
    const Offset begin = slice_begin(p, first_slice);
    const bool in_output = (levels - level) % 2 == 0;
    Offset* const col_ptr = level == levels ? this->out_.row_ptr.data()
                                            : pointers_[level % 2].data() +
                                                  static_cast<std::size_t>(b) *
                                                      (static_cast<std::size_t>(this->a_.cols) + 1);
    CscBlock<Offset, Value> out{
        col_ptr, (in_output ? this->out_.col_idx : scratch_idx_).data() + begin, nullptr};
    if constexpr (has_values<Value>) {
      out.values = (in_output ? this->out_.values : scratch_values_).data() + begin;
    }
    return out;
  }

  // Work of thread t at `level`, which has at most p merges: the threads s with
  // floor(s merges / p) = g share merge g.
  void merge_level(int level, int levels, int p, int t) {
    const auto blocks_at = [&](int l) { return (p + (1 << l) - 1) >> l; };
    const std::int64_t merges = blocks_at(level);
    const auto g = static_cast<int>(t * merges / p);
    const auto first_thread = static_cast<int>((g * std::int64_t{p} + merges - 1) / merges);
    const auto last_thread = static_cast<int>(((g + 1) * std::int64_t{p} + merges - 1) / merges);
    const int parts = last_thread - first_thread;
    const int part = t - first_thread;
    const auto left = block(level - 1, levels, p, 2 * g);
    const auto out = block(level, levels, p, g);
    if (2 * g + 1 < blocks_at(level - 1)) {
      merge_part(left, block(level - 1, levels, p, 2 * g + 1), this->a_.cols, out, parts, part);
    } else {
      copy_part(left, this->a_.cols, out, parts, part);
    }
  }

  int threads_;
  Buffer<index_t> scratch_idx_;   // [nnz]
  Buffer<Value> scratch_values_;  // [nnz]
  Buffer<Offset> pointers_[2];    // [blocks * (cols+1)] of even and odd levels before the last
};

std::string mergetrans_refusal(const TransposeProblem& problem, const Params& params) {
  const std::int64_t threads = params.threads();
  const std::int64_t bytes = std::visit(
      [](const auto& a) -> std::int64_t {
        return sizeof(typename std::decay_t<decltype(a)>::offset_type);
      },
      problem.matrix());
  return threads == 1 ? "" : column_array_refusal(problem, threads + (threads + 1) / 2, bytes);
}

}  // namespace

Algorithm<TransposeProblem> transpose_omp_mergetrans() {
  return {.name = "omp_mergetrans",
          .summary = "CSC block per thread, merged in pairs",
          .source = "Wang et al., ICS'16, MergeTrans; transposition seed III-C",
          .backend = Backend::omp,
          .refusal = mergetrans_refusal,
          .prepare = prepare_transpose<MergeTrans>};
}

}  // namespace sparserepro
