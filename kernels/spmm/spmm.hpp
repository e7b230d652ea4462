// Problem `spmm`: product of a sparse matrix and a multivector, Y = op(A) X in fp64 or fp32, op(A)
// = A or A^T. A is M x N with nnz stored entries, in CSR for either operation; X and Y have K
// columns, are dense and row-major. Algorithms that know A and fp64 alone refuse the rest
// (registry.cpp).
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
#include "sparserepro/arrays.hpp"

namespace sparserepro {

/// A with 32-bit or 64-bit row pointers.
using SpmmMatrix = std::variant<Csr<std::int32_t, double>, Csr<std::int64_t, double>>;

/// Reference values for the check of an answer; all have the size of Y.
struct SpmmReference {
  Dense high, low;  ///< op(A) X = high + low, to about 106 bits
  Dense magnitude;  ///< |op(A)| |X|
  Dense serial;     ///< op(A) X as serial_csr computes it in fp64, for the seed's error measures
};

/// An instance: A, X and the width of the row pointers.
class SpmmProblem {
 public:
  using Input = Matrix;
  using Result = Dense;
  static constexpr const char* name = "spmm";

  /// `k` columns, `x_range` of the elements of X (signed: [-1, 1] without 0; unit: [0, 1), as in
  /// the seed), `offset_bits` of the row pointers (32, 64), `op` (none, transpose), `value_type` of
  /// A, X and Y (fp64, fp32).
  static std::vector<Parameter> instance_parameters();

  /// Makes X at random; rounds A and X to fp32 where that is their type. Throws InputError if the
  /// entries do not fit the row pointers, or a row of op(A) has too many for a bound in fp32.
  SpmmProblem(const Matrix& matrix, const Params& instance);

  /// Takes X as given, with op = none in fp64. Throws InputError if its rows are not as many as the
  /// columns of A.
  SpmmProblem(const Matrix& matrix, Dense x, std::int64_t offset_bits);

  /// The parameters that records state: `op` and `value_type` only where they differ from the
  /// defaults, since older records have none.
  Params parameters() const;

  /// A, whatever the operation.
  const SpmmMatrix& matrix() const { return matrix_; }
  Operation op() const { return op_; }
  DataType value_type() const { return value_type_; }
  /// Rows of Y.
  std::int64_t y_rows() const { return op_ == Operation::none ? shape_.rows : shape_.cols; }
  /// Values of A and elements of X as double, or as float in fp32.
  template <class Value>
  const Buffer<Value>& values_as() const;
  template <class Value>
  const Buffer<Value>& x_as() const;

  const Dense& x() const { return x_; }
  std::int64_t k() const { return x_.cols; }
  Shape shape() const { return shape_; }
  index_t longest_row() const { return longest_row_; }

  /// Throws InputError if |A| |X| overflows, since the answer then has no bound.
  SpmmReference reference() const;
  /// Its arrays, whose elements are not set: four times those of Y.
  SpmmReference reference_arrays() const;

  /// Componentwise rounding bound: with u = 2^-53 (fp32: 2^-24), gamma_n = n u / (1 - n u) and n
  /// the entries of row i, a sum in any order, with or without fused operations, satisfies
  ///   |Y - A X|_ij <= gamma_n (|A| |X|)_ij + n 2^-1074 (fp32: 2^-149)
  /// (Higham, "Accuracy and stability of numerical algorithms", 2002, section 3.5). The last term
  /// bounds underflow; it is 0 where (|A| |X|)_ij = 0, since zeros are exact. omega is the largest
  /// quotient of the two sides; the answer is right if omega <= 1. NaN is wrong.
  /// Measures: omega; the seed's max_relative_error and mean_relative_error, |Y - S| / |S| with the
  /// serial product S, and with 1 in place of a denominator of 0.
  CheckOutcome check(const Dense& result, const SpmmReference& reference) const;

  /// Bytes to read A and X once and write Y once: (4 + V) nnz + P (M + 1) + V N K + V M K, with P =
  /// 4 or 8 and V = 8 (fp32: 4) bytes a value, for either operation; 2 nnz K flops. As in the seed,
  /// nnz counts all stored entries, explicit zeros and duplicates included. Second bound (gather):
  /// A is read and Y written sequentially, and V nnz K bytes are gathered from X in rows of V K
  /// bytes; with A^T, which reads A in order, there is none.
  Model model() const;

 private:
  SpmmProblem(const Matrix& matrix, std::int64_t offset_bits, Dense x);

  /// op(A).
  const SpmmMatrix& product_matrix() const {
    return op_ == Operation::none ? matrix_ : transposed_;
  }
  void round_to_fp32();

  SpmmMatrix matrix_;
  SpmmMatrix transposed_;  // of op = transpose, for the reference
  Operation op_ = Operation::none;
  DataType value_type_ = DataType::fp64;
  Params given_;  // as records state them
  Dense x_;
  Buffer<float> values_fp32_, x_fp32_;  // of value_type = fp32
  Shape shape_;
  index_t longest_row_{};
};

template <>
inline const Buffer<float>& SpmmProblem::values_as<float>() const {
  return values_fp32_;
}
template <>
inline const Buffer<float>& SpmmProblem::x_as<float>() const {
  return x_fp32_;
}
template <>
inline const Buffer<double>& SpmmProblem::values_as<double>() const {
  return std::visit([](const auto& a) -> const Buffer<double>& { return a.values; }, matrix_);
}
template <>
inline const Buffer<double>& SpmmProblem::x_as<double>() const {
  return x_.data;
}

/// The table of algorithms.
const std::vector<Algorithm<SpmmProblem>>& spmm_algorithms();

}  // namespace sparserepro
