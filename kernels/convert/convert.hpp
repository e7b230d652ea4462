// Conversion of a matrix from coordinates (COO) to CSR and ELLPACK, fp64.
//
//   algorithm                                       function of the SpMM seed            work
//   coo_to_csr_serial                               coo_to_CSR_serial                    nnz + M
//   coo_to_csr_parallel                             coo_to_CSR_parallel                  M nnz
//   coo_to_csr_parallel_optimized                   coo_to_CSR_parallel_optimization     nnz + M
//   (1) coo_to_ellpack_serial                           coo_to_ellpack_serial                M nnz
//   coo_to_ellpack_parallel                         coo_to_ellpack_parallel              M nnz
//   coo_to_ellpack_no_zero_padding_serial           - (serial base of the next three)    nnz + M
//   coo_to_ellpack_no_zero_padding_parallel         ..._no_zero_padding_parallel         M nnz
//   coo_to_ellpack_no_zero_padding_parallel_optimized
//                                                   ..._parallel_optimization            nnz + M
//                                                   (1)
//   coo_to_csr_linear, coo_to_ellpack_linear, coo_to_ellpack_no_zero_padding_linear
//                                                   - (replace them all)                 nnz + p M
//   (1) every entry passes one critical section
//
// Source: SpMM seed, sections 3.1 and 4.1. What the seed leaves to malloc, one array per row, is
// one array per matrix here. The padded slots hold value 0 and repeat the row's last column, as in
// the seed, but column 0 in an empty row where the seed writes -1, and the lengths of the rows are
// kept, so that nothing has to be read out of the padding. Row pointers are 64-bit and end with
// nnz; the seed's end with the last row, and -1 marks an empty one.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "formats/coo.hpp"
#include "formats/csr.hpp"
#include "formats/ellpack.hpp"
#include "formats/matrix.hpp"
#include "harness/params.hpp"
#include "harness/problem.hpp"
#include "harness/registry.hpp"

namespace sparserepro {

using ConvertedCsr = Csr<std::int64_t, double>;

/// What a conversion promises about the entries of one row.
enum class EntryOrder {
  input,  ///< the order of the input: the answer is unique
  any,    ///< depends on the race between threads
};

struct Converted {
  std::variant<ConvertedCsr, Ellpack, EllpackNoPadding> matrix;
  EntryOrder order = EntryOrder::input;
};

class ConvertProblem {
 public:
  using Input = Matrix;
  using Result = Converted;
  static constexpr const char* name = "convert";

  /// `order` of the coordinates: column_major (as files of the SuiteSparse collection), row_major,
  /// or random (a fixed permutation).
  static std::vector<Parameter> instance_parameters();

  ConvertProblem(const Matrix& matrix, const Params& instance);

  /// Without values for a pattern, which converts to ones.
  const Coo& coo() const { return coo_; }
  Shape shape() const { return shape_; }
  index_t longest_row() const { return longest_row_; }

  /// CSR with the entries of each row in the order of the input.
  ConvertedCsr reference() const;
  CheckOutcome check(const Converted& result, const ConvertedCsr& reference) const;
  /// Reads the coordinates once, writes CSR once: (8 + V) nnz + 12 nnz + 8 (M + 1) bytes, V = 8 or
  /// 0 for a pattern. ELLPACK without padding takes as much; padding is the format's loss.
  Model model() const;

 private:
  Coo coo_;
  Shape shape_;
  index_t longest_row_{};
};

const std::vector<Algorithm<ConvertProblem>>& convert_algorithms();

}  // namespace sparserepro
