// Base of all conversions: it owns the output in its format, poisons it and reports its padding.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "convert/convert.hpp"

namespace sparserepro {

// size_output gives the output of `prepare` its size. The width of padded ELLPACK is not set: each
// execution finds it anew, since this is part of the method.

inline void size_output(const ConvertProblem& problem, ConvertedCsr& out) {
  out = ConvertedCsr(problem.coo().rows, problem.coo().cols, problem.coo().nnz());
}
inline void size_output(const ConvertProblem& problem, Ellpack& out) {
  out.rows = problem.coo().rows;
  out.cols = problem.coo().cols;
  const auto slots =
      static_cast<std::size_t>(out.rows) * static_cast<std::size_t>(problem.longest_row());
  out.row_length.resize(static_cast<std::size_t>(out.rows));
  out.col_idx.resize(slots);
  out.values.resize(slots);
}
inline void size_output(const ConvertProblem& problem, EllpackNoPadding& out) {
  out.rows = problem.coo().rows;
  out.cols = problem.coo().cols;
  out.row_length.resize(static_cast<std::size_t>(out.rows));
  out.row_offset.resize(static_cast<std::size_t>(out.rows));
  out.col_idx.resize(static_cast<std::size_t>(problem.coo().nnz()));
  out.values.resize(static_cast<std::size_t>(problem.coo().nnz()));
}

/// Sets all elements to NaN, or to -1 for integers; neither occurs in an answer.
template <class T>
void poison_array(Buffer<T>& array) {
  if constexpr (std::numeric_limits<T>::has_quiet_NaN) {
    std::fill(array.begin(), array.end(), std::numeric_limits<T>::quiet_NaN());
  } else {
    std::fill(array.begin(), array.end(), T{-1});
  }
}
inline void poison_structure(ConvertedCsr& out) {
  poison_array(out.row_ptr);
}
inline void poison_structure(Ellpack& out) {
  out.width = -1;
  poison_array(out.row_length);
}
inline void poison_structure(EllpackNoPadding& out) {
  poison_array(out.row_length);
  poison_array(out.row_offset);
}

/// A conversion on the host to `Format`. `execute` of the derived class writes `out_` from `coo_`
/// with `threads_` threads.
template <class Format>
class HostConvertRun : public Run<ConvertProblem> {
 public:
  HostConvertRun(const ConvertProblem& problem, const Params& params)
      : coo_(problem.coo()), threads_(params.threads()) {
    size_output(problem, out_);
  }

  void poison() override {
    poison_structure(out_);
    poison_array(out_.col_idx);
    poison_array(out_.values);
  }
  Converted result() override { return {out_, EntryOrder::input}; }
  std::int64_t workspace_bytes() const override { return 0; }
  Measures measures() const override {
    if constexpr (std::is_same_v<Format, Ellpack>) {
      return {{"padding_factor", padding_factor(out_.rows, out_.width, coo_.nnz())}};
    } else {
      return {};
    }
  }

 protected:
  const Coo& coo_;
  int threads_;
  Format out_;
};

/// Value of entry e; 1 in a pattern.
inline double value_of(const Coo& coo, std::int64_t e) {
  return coo.pattern() ? 1.0 : coo.values[e];
}

/// Writes the padding of row i: value 0, and the last column of the row, or 0 in an empty row.
inline void pad_row(Ellpack& out, index_t i) {
  const std::int64_t begin = std::int64_t{i} * out.width;
  const std::int64_t used = begin + out.row_length[i];
  const index_t column = out.row_length[i] == 0 ? 0 : out.col_idx[used - 1];
  std::fill(out.col_idx.begin() + used, out.col_idx.begin() + begin + out.width, column);
  std::fill(out.values.begin() + used, out.values.begin() + begin + out.width, 0.0);
}

}  // namespace sparserepro
