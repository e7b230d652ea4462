// Padded ELLPACK, one thread: for each row and each column of X, a sum over the slots before the
// padding. Source: SpMM seed, section 1.3, serial_product_ellpack. Corrected: row_length tells
// where the padding begins; the seed compares neighbouring columns, which drops duplicate entries.
// Sums start from 0; the seed adds to a Y that only its allocation has set to 0, so that a second
// product would be added to the first.
#include "spmm/algorithms.hpp"
#include "spmm/host_run.hpp"
#include "spmm/papers/ellpack/ellpack_formats.hpp"
#include "spmm/papers/ellpack/serial_rows.hpp"

namespace sparserepro {
namespace {

class SerialEllpack final : public HostSpmmRun {
 public:
  SerialEllpack(const SpmmProblem& problem, const Params& params)
      : HostSpmmRun(problem, params),
        a_(make_ellpack(problem)),
        padding_factor_(padding_factor(a_.rows, a_.width, problem.shape().stored)) {}

  void execute() override {
    multiply_rows(a_, x_, y_, [this](index_t i) { return std::int64_t{i} * a_.width; });
  }
  std::int64_t workspace_bytes() const override { return stored_bytes(a_); }
  Measures measures() const override { return {{"padding_factor", padding_factor_}}; }

 private:
  Ellpack a_;
  double padding_factor_;
};

}  // namespace

Algorithm<SpmmProblem> spmm_serial_ellpack() {
  return {.name = "serial_ellpack",
          .summary = "padded ELLPACK, one element of Y after the other",
          .source = "SpMM seed 1.3, serial_product_ellpack",
          .backend = Backend::serial,
          .refusal = ellpack_refusal,
          .prepare = make_run<SerialEllpack, SpmmProblem>};
}

}  // namespace sparserepro
