// ELLPACK without padding, one thread: for each row and each column of X, a sum over the entries of
// the row. Source: SpMM seed, section 1.3, serial_product_ellpack_no_zero_padding. Corrected: sums
// start from 0; the seed adds to a Y that only its allocation has set to 0.
#include "spmm/algorithms.hpp"
#include "spmm/host_run.hpp"
#include "spmm/papers/ellpack/ellpack_formats.hpp"

namespace sparserepro {
namespace {

class SerialEllpackNoPadding final : public HostSpmmRun {
 public:
  SerialEllpackNoPadding(const SpmmProblem& problem, const Params& params)
      : HostSpmmRun(problem, params), a_(make_ellpack_no_padding(problem)) {}

  void execute() override {
    const index_t* const col_idx = a_.col_idx.data();
    const double* const values = a_.values.data();
    const double* const x = x_.data.data();
    double* const y = y_.data.data();
    const std::int64_t k = x_.cols;
    for (index_t i = 0; i < a_.rows; ++i) {
      const std::int64_t begin = a_.row_offset[i];
      const std::int64_t end = begin + a_.row_length[i];
      for (std::int64_t z = 0; z < k; ++z) {
        double partial_sum = 0.0;
        for (std::int64_t p = begin; p < end; ++p) {
          partial_sum += values[p] * x[col_idx[p] * k + z];
        }
        y[i * k + z] = partial_sum;
      }
    }
  }
  std::int64_t workspace_bytes() const override { return stored_bytes(a_); }

 private:
  EllpackNoPadding a_;
};

}  // namespace

Algorithm<SpmmProblem> spmm_serial_ellpack_no_padding() {
  return {.name = "serial_ellpack_no_padding",
          .summary = "unpadded ELLPACK, one element of Y after the other",
          .source = "SpMM seed 1.3, serial_product_ellpack_no_zero_padding",
          .backend = Backend::serial,
          .prepare = make_run<SerialEllpackNoPadding, SpmmProblem>};
}

}  // namespace sparserepro
