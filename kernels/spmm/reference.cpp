// Reference of the product: sums in twice the working precision, by the error-free transformations
// TwoSum (Knuth) and TwoProd (by fma); the algorithm Dot2 of T. Ogita, S. M. Rump, S. Oishi,
// "Accurate sum and dot product", SISC 26(6), 2005. Its error is about n^2 u^2 (|A| |X|)_ij, n u
// times the bound of the check.
#include <cmath>

#include "formats/error.hpp"
#include "harness/machine.hpp"
#include "spmm/spmm.hpp"

namespace sparserepro {
namespace {

template <class Offset>
void reference_row(const Csr<Offset, double>& a, const Dense& x, index_t i, SpmmReference& out) {
  const std::int64_t k = x.cols;
  double* const sum = out.high.data.data() + i * k;
  double* const tail = out.low.data.data() + i * k;
  double* const magnitude = out.magnitude.data.data() + i * k;
  double* const serial = out.serial.data.data() + i * k;
  for (std::int64_t j = 0; j < k; ++j) {
    sum[j] = tail[j] = magnitude[j] = serial[j] = 0.0;
  }
  for (Offset p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
    const double value = a.values[p];
    const double* const x_row = x.data.data() + a.col_idx[p] * k;
#pragma omp simd
    for (std::int64_t j = 0; j < k; ++j) {
      const double product = value * x_row[j];
      const double product_error = std::fma(value, x_row[j], -product);
      const double next = sum[j] + product;
      const double added = next - sum[j];
      const double sum_error = (sum[j] - (next - added)) + (product - added);
      sum[j] = next;
      tail[j] += product_error + sum_error;
      magnitude[j] += std::fabs(product);
      serial[j] += product;
    }
  }
  for (std::int64_t j = 0; j < k; ++j) {
    const double high = sum[j] + tail[j];
    tail[j] -= high - sum[j];
    sum[j] = high;
  }
}

}  // namespace

SpmmReference SpmmProblem::reference_arrays() const {
  const std::int64_t rows = y_rows();
  return {Dense(rows, k()), Dense(rows, k()), Dense(rows, k()), Dense(rows, k())};
}

SpmmReference SpmmProblem::reference() const {
  const std::int64_t rows = y_rows();
  SpmmReference out = reference_arrays();
  std::visit(
      [&](const auto& a) {
#pragma omp parallel for schedule(dynamic, 256) num_threads(machine_info().cores_available)
        for (index_t i = 0; i < a.rows; ++i) {
          reference_row(a, x_, i, out);
        }
      },
      product_matrix());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < k(); ++j) {
      if (!std::isfinite(out.magnitude(i, j))) {
        throw InputError("the product overflows: |A| |X| is not finite in row " +
                         std::to_string(i + 1) + ", column " + std::to_string(j + 1));
      }
    }
  }
  return out;
}

}  // namespace sparserepro
