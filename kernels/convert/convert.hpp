// Problem `convert`: an M x N matrix from coordinates (COO) to CSR and ELLPACK, fp64.
//
//   algorithm                                       function of the SpMM seed            work
//   coo_to_csr_serial                               coo_to_CSR_serial                    nnz + M
//   coo_to_csr_parallel                             coo_to_CSR_parallel                  M nnz
//   coo_to_csr_parallel_optimized                   coo_to_CSR_parallel_optimization     nnz + M *
//   coo_to_ellpack_serial                           coo_to_ellpack_serial                M nnz
//   coo_to_ellpack_parallel                         coo_to_ellpack_parallel              M nnz
//   coo_to_ellpack_no_zero_padding_serial           - (serial base of the next three)    nnz + M
//   coo_to_ellpack_no_zero_padding_parallel         ..._no_zero_padding_parallel         M nnz
//   coo_to_ellpack_no_zero_padding_parallel_optimized
//                                                   ..._parallel_optimization            nnz + M *
//   coo_to_csr_linear, coo_to_ellpack_linear, coo_to_ellpack_no_zero_padding_linear
//                                                   - (with p threads)                   nnz + p M
//   * every entry passes through one critical section
//
// Source: SpMM seed, sections 3.1 and 4.1. Differences from the seed:
//
//   arrays        one array a matrix; the seed allocates one array a row
//   padding       value 0 and the last column of the row, as in the seed; in an empty row column 0,
//                 where the seed writes -1
//   row lengths   stored, so that the padding is never read
//   row pointers  64 bits, [M + 1], the last is nnz; the seed's end with the last row, and -1 marks
//                 an empty row
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

/// Order of the entries within a row that a conversion promises.
enum class EntryOrder {
  input,  ///< the order of the input: the answer is unique
  any,    ///< depends on the timing of the threads
};

/// The answer of a conversion, in one of the formats.
struct Converted {
  std::variant<ConvertedCsr, Ellpack, EllpackNoPadding> matrix;
  EntryOrder order = EntryOrder::input;
};

/// An instance: coordinates in one order, and their conversion to any of the formats.
class ConvertProblem {
 public:
  using Input = Matrix;
  using Result = Converted;
  static constexpr const char* name = "convert";

  /// `order` of the coordinates: column_major (as in files of the SuiteSparse collection),
  /// row_major, or random (one fixed permutation).
  static std::vector<Parameter> instance_parameters();

  ConvertProblem(const Matrix& matrix, const Params& instance);

  /// The input. A pattern has no values; its entries convert to the value 1.
  const Coo& coo() const { return coo_; }
  Shape shape() const { return shape_; }
  index_t longest_row() const { return longest_row_; }

  /// CSR with the entries of each row in the order of the input.
  ConvertedCsr reference() const;
  CheckOutcome check(const Converted& result, const ConvertedCsr& reference) const;
  /// Bytes to read the coordinates once and write CSR once: (8 + V) nnz + 12 nnz + 8 (M + 1), with
  /// V = 8, or 0 for a pattern. ELLPACK is held to the same traffic, without its padding.
  Model model() const;

 private:
  Coo coo_;
  Shape shape_;
  index_t longest_row_{};
};

/// The table of algorithms.
const std::vector<Algorithm<ConvertProblem>>& convert_algorithms();

}  // namespace sparserepro
