// Run of the linear conversions: a stable parallel counting sort by row (row_sort.hpp) into any of
// the formats.
#pragma once

#include <omp.h>

#include <cstdint>
#include <type_traits>

#include "convert/host_run.hpp"
#include "convert/linear/row_sort.hpp"

namespace sparserepro {

// For each format: keep_length stores the length of row i, keep_totals stores the longest row or
// nnz, and begin_row returns the position of row i, which `before` entries precede.

inline void keep_length(ConvertedCsr&, index_t, index_t) {}
inline void keep_length(Ellpack& out, index_t i, index_t length) {
  out.row_length[i] = length;
}
inline void keep_length(EllpackNoPadding& out, index_t i, index_t length) {
  out.row_length[i] = length;
}

inline void keep_totals(ConvertedCsr& out, index_t, std::int64_t nnz) {
  out.row_ptr[out.rows] = nnz;
}
inline void keep_totals(Ellpack& out, index_t longest, std::int64_t) {
  out.width = longest;
}
inline void keep_totals(EllpackNoPadding&, index_t, std::int64_t) {}

inline std::int64_t begin_row(ConvertedCsr& out, index_t i, std::int64_t before) {
  return out.row_ptr[i] = before;
}
inline std::int64_t begin_row(Ellpack& out, index_t i, std::int64_t) {
  return std::int64_t{i} * out.width;
}
inline std::int64_t begin_row(EllpackNoPadding& out, index_t i, std::int64_t before) {
  return out.row_offset[i] = before;
}

/// A linear conversion to `Format`.
template <class Format>
class LinearRun final : public HostConvertRun<Format> {
 public:
  LinearRun(const ConvertProblem& problem, const Params& params)
      : HostConvertRun<Format>(problem, params), sort_(this->coo_, this->threads_) {}

  void execute() override {
    Format& out = this->out_;
#pragma omp parallel num_threads(this->threads_)
    {
      const int p = omp_get_num_threads();
      const int t = omp_get_thread_num();
      sort_.count(p, t);
#pragma omp barrier
      sort_.sum(p, t, [&](index_t i, index_t length) { keep_length(out, i, length); });
#pragma omp barrier
#pragma omp single
      keep_totals(out, sort_.longest(p), this->coo_.nnz());
      sort_.place(p, t, [&](index_t i, std::int64_t before) { return begin_row(out, i, before); });
#pragma omp barrier
      sort_.scatter(p, t, out.col_idx.data(), out.values.data());
      if constexpr (std::is_same_v<Format, Ellpack>) {
#pragma omp barrier
        const index_t last = sort_.row_begin(p, t + 1);
        for (index_t i = sort_.row_begin(p, t); i < last; ++i) {
          pad_row(out, i);
        }
      }
    }
  }
  std::int64_t workspace_bytes() const override {
    return sort_.workspace_bytes();
  }

 private:
  RowSort sort_;
};

}  // namespace sparserepro
