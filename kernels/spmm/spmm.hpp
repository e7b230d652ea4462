// Problem `spmm`: product of a sparse matrix and a multivector, Y = A X in fp64. A is M x N with
// nnz stored entries; X (N x K) and Y (M x K) are dense and row-major.
//
//   algorithm                SpMM seed                                   X is read by
//   serial_csr               serial_product_CSR                          rows
//   serial_ellpack           serial_product_ellpack                      rows
//   serial_ellpack_no_padding  serial_product_ellpack_no_zero_padding    rows
//   omp_csr                  parallel_product_CSR                        columns (transposed)
//   omp_ellpack              parallel_product_ellpack                    columns (transposed)
//   omp_ellpack_no_padding   parallel_product_ellpack_no_zero_padding    columns (transposed)
//   cuda_csr_scalar_v1, v2, v3     CSR_Scalar_v1, v2, v3                 rows
//   cuda_csr_vector                CSR_Vector                            columns (transposed)
//   cuda_csr_vector_sub_warp       CSR_Vector_Sub_warp                   rows
//   cuda_csr_vector_by_row         CSR_Vector_by_row                     columns (transposed)
//   cuda_csr_adaptive              CSR_Adaptive                          columns (transposed)
//   cuda_csr_adaptive_sub_blocks   CSR_Adaptive_sub_blocks               columns (transposed)
//   cuda_csr_threshold             CSR_Adaptive_personalizzato           rows
//   cuda_ellpack                   ELLPACK_kernel                        rows
//   cuda_ellpack_sub_warp          ELLPACK_Sub_warp                      rows
//
// Each takes 2 nnz K flops and computes each element of Y by itself. ELLPACK is built by `prepare`.
// Timed as preprocessing are the transposition of X, which the seed's times do not contain, and the
// row blocks and lists that a method finds on the host.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "formats/csr.hpp"
#include "formats/dense.hpp"
#include "formats/matrix.hpp"
#include "harness/params.hpp"
#include "harness/problem.hpp"
#include "harness/registry.hpp"

namespace sparserepro {

/// A with 32-bit or 64-bit row pointers.
using SpmmMatrix = std::variant<Csr<std::int32_t, double>, Csr<std::int64_t, double>>;

/// Reference values for the check of an answer; all are M x K.
struct SpmmReference {
  Dense high, low;  ///< A X = high + low, to about 106 bits
  Dense magnitude;  ///< |A| |X|
  Dense serial;     ///< A X as serial_csr computes it, for the seed's error measures
};

/// An instance: A, X and the width of the row pointers.
class SpmmProblem {
 public:
  using Input = Matrix;
  using Result = Dense;
  static constexpr const char* name = "spmm";

  /// `k` columns, `x_range` of the elements of X (signed: [-1, 1] without 0; unit: [0, 1), as in
  /// the seed), `offset_bits` of the row pointers (32, 64).
  static std::vector<Parameter> instance_parameters();

  /// Makes X at random. Throws InputError if the entries do not fit the row pointers.
  SpmmProblem(const Matrix& matrix, const Params& instance);

  /// Takes X as given. Throws InputError if its rows are not as many as the columns of A.
  SpmmProblem(const Matrix& matrix, Dense x, std::int64_t offset_bits);

  const SpmmMatrix& matrix() const { return matrix_; }
  const Dense& x() const { return x_; }
  std::int64_t k() const { return x_.cols; }
  Shape shape() const { return shape_; }
  index_t longest_row() const { return longest_row_; }

  /// Throws InputError if |A| |X| overflows, since the answer then has no bound.
  SpmmReference reference() const;

  /// Componentwise rounding bound: with u = 2^-53, gamma_n = n u / (1 - n u) and n the entries of
  /// row i, a sum in any order, with or without fused operations, satisfies
  ///   |Y - A X|_ij <= gamma_n (|A| |X|)_ij + n 2^-1074
  /// (Higham, "Accuracy and stability of numerical algorithms", 2002, section 3.5). The last term
  /// bounds underflow; it is 0 where (|A| |X|)_ij = 0, since zeros are exact. omega is the largest
  /// quotient of the two sides; the answer is right if omega <= 1. NaN is wrong.
  /// Measures: omega; the seed's max_relative_error and mean_relative_error, |Y - S| / |S| with the
  /// serial product S, and with 1 in place of a denominator of 0.
  CheckOutcome check(const Dense& result, const SpmmReference& reference) const;

  /// Bytes to read A and X once and write Y once: 12 nnz + P (M + 1) + 8 N K + 8 M K, with P = 4 or
  /// 8; 2 nnz K flops. As in the seed, nnz counts all stored entries, explicit zeros and duplicates
  /// included. Second bound (gather): A is read and Y written sequentially, and 8 nnz K bytes are
  /// gathered from X in rows of 8 K bytes.
  Model model() const;

 private:
  SpmmMatrix matrix_;
  Dense x_;
  Shape shape_;
  index_t longest_row_{};
};

/// The table of algorithms.
const std::vector<Algorithm<SpmmProblem>>& spmm_algorithms();

}  // namespace sparserepro
