// Base of all products on the host: it owns Y and poisons it.
#pragma once

#include <limits>

#include "spmm/prepare_csr.hpp"
#include "spmm/spmm.hpp"

namespace sparserepro {

/// A product on the host. `execute` of the derived class writes `y_` from `x_` and a matrix.
class HostSpmmRun : public Run<SpmmProblem> {
 public:
  HostSpmmRun(const SpmmProblem& problem, const Params& params)
      : x_(problem.x()), threads_(params.threads()), y_(problem.y_rows(), problem.k()) {}

  void poison() override {
    const auto size = static_cast<std::int64_t>(y_.data.size());
#pragma omp parallel for schedule(static) num_threads(threads_)
    for (std::int64_t e = 0; e < size; ++e) {
      y_.data[e] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  Dense result() override {
    return y_;
  }
  std::int64_t workspace_bytes() const override {
    return 0;
  }

 protected:
  const Dense& x_;
  int threads_;
  Dense y_;
};

}  // namespace sparserepro
