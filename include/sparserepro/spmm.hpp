// Product of a sparse matrix and a dense one on the host, Y = alpha op(A) X + beta Y, op(A) = A or
// A^T.
//
// A, X and Y are of one type: fp64, with sums in fp64; or fp32, fp16 or bf16, with sums, alpha and
// beta in fp32 and one rounding to the type of Y at the end. The answer is the same bits for any
// number of threads, for every layout of X and Y, and on every processor with the same vector
// extensions; up to K = 16 on those of the same maker.
#pragma once

#include <cstdint>
#include <memory>

#include "sparserepro/arrays.hpp"
#include "sparserepro/error.hpp"

namespace sparserepro::host {

/// csr: the rows as they lie in A, without a copy. Else the last layout of bundles of rows that may
/// be used, in this order. For one column in fp64 and fp32 with AVX-512: diagonals and padded,
/// without bands, and, with fast gathers, jagged.
enum class SpmmPath : std::uint8_t {
  automatic,
  rows,
  lanes,
  jagged,
  shifted,
  band,
  csr,
  diagonals,
  padded
};

/// "automatic", "rows", ...
constexpr const char* to_string(SpmmPath path) {
  constexpr const char* names[] = {"automatic", "rows", "lanes",     "jagged", "shifted",
                                   "band",      "csr",  "diagonals", "padded"};
  return names[static_cast<int>(path)];
}

struct SpmmOptions {
  /// 0: all processors that this process may use. At most 4096, or those where they are more.
  std::int64_t threads = 0;
  SpmmPath path = SpmmPath::automatic;
  Operation operation = Operation::none;
  std::int64_t calls = 0;  ///< products that will follow the analysis, 0: many
};

/// A prepared for products with X of `k` columns. `automatic` copies the entries of A in another
/// order, which costs some products, where rows share columns or are short; but not when told of
/// few calls. Else preparation takes a fraction of a product, and the rows are used as they lie.
/// With A^T there is a copy in any case. Sums of long rows, at K = 1 of any row, may have other
/// bits with few calls than with many. A^T is summed in the order of the rows of A.
class SpmmPlan {
 public:
  /// The arrays of `a` must outlive this, and their contents stay. Throws InputError where `a`, `k`
  /// or the path is beyond a limit or row_ptr does not run from 0 to nnz, std::bad_alloc without
  /// memory.
  SpmmPlan(const CsrInput& a, std::int64_t k, const SpmmOptions& options = {});
  ~SpmmPlan();
  SpmmPlan(SpmmPlan&&) noexcept;
  SpmmPlan& operator=(SpmmPlan&&) noexcept;

  /// Y = alpha op(A) X + beta Y; with beta = 0, Y is not read. op(A) is m x n; X [n x k] and Y
  /// [m x k] are of the type of A. Throws InputError where Y shares memory with X or the arrays of
  /// A; columns of one array, some for X and some for Y, are apart. X and Y in rows with stride k
  /// are used in place; with another layout or stride they go through memory of this. Y in fp16 or
  /// bf16, and with alpha other than 1 or beta other than 0 in every type, is summed in memory of
  /// this for a few rows of each thread. One call at a time.
  void operator()(double alpha, const DenseInput& x, double beta, const DenseOutput& y);

  /// From now on A has the values `values` [nnz], in the order of A's entries and of their type;
  /// rows and columns stay. The array must outlive this. Costs a copy of the entries, with A^T a
  /// gather of them, and less than a new plan. Throws InputError where the type differs or the
  /// array is missing.
  void set_values(const ConstArray& values);

  /// Bytes that this holds beyond A, X and Y.
  std::int64_t workspace_bytes() const;

  class Method;

 private:
  std::unique_ptr<Method> method_;
};

/// Y = alpha op(A) X + beta Y once: preparation and product.
void spmm(double alpha, const CsrInput& a, const DenseInput& x, double beta, const DenseOutput& y,
          const SpmmOptions& options = {});

}  // namespace sparserepro::host
