// Base of the products on the host that read X by columns: preprocessing transposes X, so that each
// column is contiguous. Source: SpMM seed, section 4.2.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/static_chunk.hpp"
#include "spmm/host_run.hpp"

namespace sparserepro {

/// A product whose preprocessing writes `xt_` [K * N]: element (n, z) of X at z N + n.
class TransposedSpmmRun : public HostSpmmRun {
 public:
  TransposedSpmmRun(const SpmmProblem& problem, const Params& params)
      : HostSpmmRun(problem, params) {
    xt_.resize(x_.data.size());
  }

  bool has_preprocess() const override { return true; }

  /// Transposes tiles of eight rows; a column of a tile is one cache line of the result.
  void preprocess() override {
    constexpr std::int64_t tile = 8;
    const std::int64_t n = x_.rows;
    const std::int64_t k = x_.cols;
    const double* const x = x_.data.data();
    double* const xt = xt_.data();
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t begin = 0; begin < n; begin += tile) {
      const std::int64_t end = std::min(begin + tile, n);
      for (std::int64_t z = 0; z < k; ++z) {
        for (std::int64_t row = begin; row < end; ++row) {
          xt[z * n + row] = x[row * k + z];
        }
      }
    }
  }
  std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(xt_.size() * sizeof(double));
  }

 protected:
  Buffer<double> xt_;
};

/// A product of an ELLPACK format, with threads over the elements of Y (both loops collapsed) in
/// static chunks. As in the seed, the chunk is computed from the rows, although the loop has M K
/// iterations.
class EllpackTransposedRun : public TransposedSpmmRun {
 protected:
  using TransposedSpmmRun::TransposedSpmmRun;

  /// Y = A X; the entries of row i begin at slot begin(i).
  template <class Format, class Begin>
  void multiply(const Format& a, Begin begin) {
    const index_t* const col_idx = a.col_idx.data();
    const index_t* const row_length = a.row_length.data();
    const double* const values = a.values.data();
    const double* const xt = xt_.data();
    double* const y = y_.data.data();
    const std::int64_t rows = a.rows;
    const std::int64_t k = x_.cols;
    const std::int64_t n = x_.rows;
    const std::int64_t chunk = static_chunk(rows, threads_);
#pragma omp parallel for collapse(2) schedule(static, chunk) num_threads(threads_)
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t z = 0; z < k; ++z) {
        const double* const column = xt + z * n;
        const std::int64_t first = begin(i);
        const std::int64_t end = first + row_length[i];
        double partial_sum = 0.0;
        for (std::int64_t p = first; p < end; ++p) {
          partial_sum += values[p] * column[col_idx[p]];
        }
        y[i * k + z] = partial_sum;
      }
    }
  }
};

}  // namespace sparserepro
