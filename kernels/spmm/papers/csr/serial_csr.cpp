// CSR, one thread: for each row and each column of X, a scalar sum over the entries of the row.
// Source: SpMM seed, section 1.3, serial_product_CSR. Corrected: the row pointers end with nnz; the
// seed lacks this last one and treats the last row apart.
#include "spmm/algorithms.hpp"
#include "spmm/host_run.hpp"

namespace sparserepro {
namespace {

template <class Offset>
class SerialCsr final : public HostSpmmRun {
 public:
  SerialCsr(const SpmmProblem& problem, const Csr<Offset, double>& a, const Params& params)
      : HostSpmmRun(problem, params), a_(a.view()) {}

  void execute() override {
    const CsrView<Offset, double> a = a_;
    const double* const x = x_.data.data();
    double* const y = y_.data.data();
    const std::int64_t k = x_.cols;
    for (index_t i = 0; i < a.rows; ++i) {
      const Offset begin = a.row_ptr[i];
      const Offset end = a.row_ptr[i + 1];
      for (std::int64_t z = 0; z < k; ++z) {
        double partial_sum = 0.0;
        for (Offset p = begin; p < end; ++p) {
          partial_sum += a.values[p] * x[a.col_idx[p] * k + z];
        }
        y[i * k + z] = partial_sum;
      }
    }
  }

 private:
  CsrView<Offset, double> a_;
};

}  // namespace

Algorithm<SpmmProblem> spmm_serial_csr() {
  return {.name = "serial_csr",
          .summary = "CSR, one element of Y after the other",
          .source = "SpMM seed 1.3, serial_product_CSR",
          .backend = Backend::serial,
          .prepare = prepare_csr_spmm<SerialCsr>};
}

}  // namespace sparserepro
