// ELLPACK without padding, one thread: for each row and each column of X, a sum over the entries of
// the row. Source: SpMM seed, section 1.3, serial_product_ellpack_no_zero_padding. Corrected: sums
// start from 0; the seed adds to a Y that only its allocation has set to 0.
#include "spmm/algorithms.hpp"
#include "spmm/host_run.hpp"
#include "spmm/papers/ellpack/ellpack_formats.hpp"
#include "spmm/papers/ellpack/serial_rows.hpp"

namespace sparserepro {
namespace {

class SerialEllpackNoPadding final : public HostSpmmRun {
 public:
  SerialEllpackNoPadding(const SpmmProblem& problem, const Params& params)
      : HostSpmmRun(problem, params), a_(make_ellpack_no_padding(problem)) {}

  void execute() override {
    multiply_rows(a_, x_, y_, [this](index_t i) { return a_.row_offset[i]; });
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
