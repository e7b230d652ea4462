// Transposition of a sparse matrix: CSR of A in, CSR of A^T out (equivalently CSR to CSC).
//
//   method                    work               extra memory             source
//   counting sort (serial)    O(nnz + cols)      none                     Gustavson 1978
//   ScanTrans                 O(nnz + p cols)    4 nnz + 4 p cols         Wang et al., ICS'16, 4.1
//   MergeTrans                O((nnz + p cols)   (4 + V) nnz              Wang et al., ICS'16, 4.2
//                               log p)             + 1.5 p cols pointers
//
// (bytes; p threads, V bytes per value).
//
// The answer is unique: entries of a column keep the order of their rows, and duplicates the order
// in which they are stored. Every algorithm must reproduce it exactly.
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

/// The storage types that transposition is measured with.
using AnyCsr =
    std::variant<Csr<std::int32_t, double>, Csr<std::int32_t, float>, Csr<std::int32_t, Pattern>,
                 Csr<std::int64_t, double>, Csr<std::int64_t, float>, Csr<std::int64_t, Pattern>>;

class TransposeProblem {
 public:
  using Input = Matrix;
  using Result = AnyCsr;
  static constexpr const char* name = "transpose";

  /// `value_type` (fp64, fp32, pattern) and `offset_bits` (32, 64) choose the storage.
  static std::vector<Parameter> instance_parameters();

  /// Throws InputError when the matrix does not fit the storage.
  TransposeProblem(const Matrix& matrix, const Params& instance);

  const AnyCsr& matrix() const { return matrix_; }
  Shape shape() const { return shape_; }
  Result reference() const;
  CheckOutcome check(const Result& result, const Result& reference) const;
  /// Reads A once and writes A^T once: 2 (4 + V) nnz + 4 or 8 (rows + cols + 2) bytes.
  /// Second bound where needs_two_passes(): every entry is moved twice, 4 (4 + V) nnz bytes in
  /// place of 2 (4 + V) nnz.
  Model model() const;

 private:
  AnyCsr matrix_;
  Shape shape_;
};

/// Stable counting sort over columns; the oracle, written for clarity.
template <class Offset, class Value>
Csr<Offset, Value> transpose_reference(const Csr<Offset, Value>& a);

const std::vector<Algorithm<TransposeProblem>>& transpose_algorithms();

}  // namespace sparserepro
