// Products that read X by columns: X is transposed first, so that each column is contiguous.
// Source: SpMM seed, section 4.2.
#pragma once

#include <algorithm>

#include "spmm/host_run.hpp"

namespace sparserepro {

/// A product on the host whose preprocessing fills `xt_` [K * N], element (n, z) of X at z N + n.
class TransposedSpmmRun : public HostSpmmRun {
 public:
  TransposedSpmmRun(const SpmmProblem& problem, const Params& params)
      : HostSpmmRun(problem, params) {
    xt_.resize(x_.data.size());
  }

  bool has_preprocess() const override { return true; }

  /// Tiles of eight rows: every column of the tile is one cache line of the result.
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

}  // namespace sparserepro
