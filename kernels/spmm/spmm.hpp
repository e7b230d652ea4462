// Product of a sparse matrix and a multivector: Y = A X in fp64, A M x N with nnz stored entries, X
// and Y dense and row-major with K columns.
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
// All of them take 2 nnz K flops, one element of Y after the other. Building ELLPACK is
// preparation; the transposition of X, which the seed's times leave out, and the row blocks and
// lists that a method finds on the host, are timed as preprocessing.
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

/// What an answer is judged by; all are M x K.
struct SpmmReference {
  Dense high, low;  ///< A X = high + low to about 106 bits
  Dense magnitude;  ///< |A| |X|
  Dense serial;     ///< A X as serial_csr computes it, for the seed's error measures
};

class SpmmProblem {
 public:
  using Input = Matrix;
  using Result = Dense;
  static constexpr const char* name = "spmm";

  /// `k` columns, `x_range` of the elements of X (signed: [-1, 1] without 0; unit: [0, 1), as in
  /// the seed), `offset_bits` of the row pointers (32, 64).
  static std::vector<Parameter> instance_parameters();

  /// Throws InputError when the entries do not fit the row pointers.
  SpmmProblem(const Matrix& matrix, const Params& instance);

  /// With the given X instead. Throws InputError when it does not have a row per column of A.
  SpmmProblem(const Matrix& matrix, Dense x, std::int64_t offset_bits);

  const SpmmMatrix& matrix() const { return matrix_; }
  const Dense& x() const { return x_; }
  std::int64_t k() const { return x_.cols; }
  Shape shape() const { return shape_; }
  index_t longest_row() const { return longest_row_; }

  /// Throws InputError when (|A| |X|) overflows, so that no bound on the answer exists.
  SpmmReference reference() const;

  /// Componentwise rounding bound: with u = 2^-53, gamma_n = n u / (1 - n u) and n the entries of
  /// row i, a sum in any order, with or without fused operations, satisfies
  ///   |Y - A X|_ij <= gamma_n (|A| |X|)_ij + n 2^-1074
  /// (Higham, "Accuracy and stability of numerical algorithms", 2002, section 3.5; the last term is
  /// underflow, and there is none where (|A| |X|)_ij = 0: zeros are exact). omega is the largest
  /// quotient of the two sides: right iff omega <= 1. NaN is wrong.
  /// Measures: omega; max_relative_error and mean_relative_error of the seed, |Y - S| / |S| with S
  /// the serial product and 1 in place of a zero denominator.
  CheckOutcome check(const Dense& result, const SpmmReference& reference) const;

  /// A, X read once, Y written once: 12 nnz + O (M + 1) + 8 N K + 8 M K bytes with O = 4 or 8;
  /// 2 nnz K flops. nnz counts all stored entries, explicit zeros and duplicates included, as the
  /// seed does. Second bound: A is read and Y written in order, and 8 nnz K bytes are gathered from
  /// X in rows of 8 K bytes.
  Model model() const;

 private:
  SpmmMatrix matrix_;
  Dense x_;
  Shape shape_;
  index_t longest_row_{};
};

const std::vector<Algorithm<SpmmProblem>>& spmm_algorithms();

}  // namespace sparserepro
