// CSR, one thread: for each row and each column of X, a scalar sum over the entries of the row.
// With A^T each entry adds a multiple of a row of X to a row of Y, which is set to 0 before.
// Source: SpMM seed, section 1.3, serial_product_CSR. Corrected: the row pointers end with nnz; the
// seed lacks this last one and treats the last row apart.
#include <algorithm>

#include "spmm/algorithms.hpp"
#include "spmm/typed_run.hpp"

namespace sparserepro {
namespace {

template <class Offset, class Value>
class SerialCsr final : public TypedSpmmRun<Value> {
 public:
  SerialCsr(const SpmmProblem& problem, const CsrView<Offset, Value>& a, const Params& params)
      : TypedSpmmRun<Value>(problem, params), a_(a) {}

  void execute() override { this->is_transposed() ? scatter() : multiply(); }

 private:
  void multiply() {
    const CsrView<Offset, Value> a = a_;
    const Value* const x = this->x();
    Value* const y = this->y();
    const std::int64_t k = this->k();
    for (index_t i = 0; i < a.rows; ++i) {
      const Offset begin = a.row_ptr[i];
      const Offset end = a.row_ptr[i + 1];
      for (std::int64_t z = 0; z < k; ++z) {
        Value partial_sum = 0;
        for (Offset p = begin; p < end; ++p) {
          partial_sum += a.values[p] * x[a.col_idx[p] * k + z];
        }
        y[i * k + z] = partial_sum;
      }
    }
  }

  void scatter() {
    const CsrView<Offset, Value> a = a_;
    const Value* const x = this->x();
    Value* const y = this->y();
    const std::int64_t k = this->k();
    std::fill_n(y, a.cols * k, Value{0});
    for (index_t i = 0; i < a.rows; ++i) {
      for (Offset p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
        for (std::int64_t z = 0; z < k; ++z) {
          y[a.col_idx[p] * k + z] += a.values[p] * x[i * k + z];
        }
      }
    }
  }

  CsrView<Offset, Value> a_;
};

}  // namespace

Algorithm<SpmmProblem> spmm_serial_csr() {
  return {.name = "serial_csr",
          .summary = "CSR, one element of Y after the other",
          .source = "SpMM seed 1.3, serial_product_CSR",
          .backend = Backend::serial,
          .prepare = prepare_typed_spmm<SerialCsr>};
}

}  // namespace sparserepro
