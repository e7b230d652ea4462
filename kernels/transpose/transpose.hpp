// Problem `transpose`: from CSR of A to CSR of A^T, which is CSC of A.
//
//   method                    work               extra memory             source
//   counting sort (serial)    O(nnz + cols)      none                     Gustavson 1978
//   ScanTrans                 O(nnz + p cols)    4 nnz + 4 p cols         Wang et al., ICS'16, 4.1
//   MergeTrans                O((nnz + p cols)   (4 + V) nnz              Wang et al., ICS'16, 4.2
//                               log p)             + 1.5 p cols pointers
//
// (extra memory in bytes; p threads, V bytes a value).
//
// The answer is unique: entries of a column are in the order of their rows, and duplicates in the
// order in which A stores them. Every algorithm must give it exactly.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "formats/csr.hpp"
#include "formats/matrix.hpp"
#include "harness/params.hpp"
#include "harness/problem.hpp"
#include "harness/registry.hpp"

namespace sparserepro {

/// A matrix in one of the storage types: 32 or 64-bit row pointers; fp64, fp32 or no values.
using AnyCsr =
    std::variant<Csr<std::int32_t, double>, Csr<std::int32_t, float>, Csr<std::int32_t, Pattern>,
                 Csr<std::int64_t, double>, Csr<std::int64_t, float>, Csr<std::int64_t, Pattern>>;

/// An instance: A in one storage type.
class TransposeProblem {
 public:
  using Input = Matrix;
  using Result = AnyCsr;
  static constexpr const char* name = "transpose";

  /// `value_type` (fp64, fp32, pattern) and `offset_bits` (32, 64) of the row pointers.
  static std::vector<Parameter> instance_parameters();

  /// Throws InputError if the matrix does not fit the storage type.
  TransposeProblem(const Matrix& matrix, const Params& instance);

  const AnyCsr& matrix() const { return matrix_; }
  Shape shape() const { return shape_; }
  Result reference() const;
  CheckOutcome check(const Result& result, const Result& reference) const;
  /// Bytes to read A once and write A^T once: 2 (4 + V) nnz + P (rows + cols + 2), with P = 4 or 8.
  /// The second bound exists if needs_two_passes(): every entry is moved twice, so that 4 (4 + V)
  /// replaces 2 (4 + V).
  Model model() const;

 private:
  AnyCsr matrix_;
  Shape shape_;
};

/// The reference: a stable counting sort by column.
template <class Offset, class Value>
Csr<Offset, Value> transpose_reference(const Csr<Offset, Value>& a);

/// The table of algorithms.
const std::vector<Algorithm<TransposeProblem>>& transpose_algorithms();

}  // namespace sparserepro
