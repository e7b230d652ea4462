// Transposition of a sparse matrix on the host: CSR of A in, CSR of A^T out (or CSR to CSC).
//
// The answer is unique: entries of a column of A keep the order of their rows, and those of one
// position the order in which they are stored. It does not depend on threads or path.
#pragma once

#include <cstdint>
#include <memory>

#include "sparserepro/arrays.hpp"
#include "sparserepro/error.hpp"

namespace sparserepro::host {

/// How a matrix is transposed; `automatic` chooses by a look at its entries.
enum class TransposePath : std::uint8_t {
  automatic,
  serial,   ///< one thread counts and scatters
  direct,   ///< slices of the entries, each scattered straight to its place
  columns,  ///< entries partitioned by column, through lines of the caches
  buckets   ///< entries partitioned into ranges of columns, each sorted within a cache
};

struct TransposeOptions {
  /// 0: all processors that this process may use. At most 4096, or those where they are more.
  std::int64_t threads = 0;
  TransposePath path = TransposePath::automatic;
};

/// Transposes matrices in the same arrays as often as wanted. The constructor allocates the
/// workspace; calls by `automatic` may allocate more while they find the fastest path, and keep to
/// the ones that they have without memory. An object serves one call at a time; several objects
/// work side by side.
class Transposer {
 public:
  /// The arrays of `a` must outlive this; their contents may change between calls while rows, cols
  /// and nnz stay. Values have 2, 4 or 8 bytes or are none; only their width matters. Throws
  /// InputError where `a` is beyond a limit, an array is missing or row_ptr does not run from 0 to
  /// nnz, which each call looks at too; std::bad_alloc without memory.
  explicit Transposer(const CsrInput& a, const TransposeOptions& options = {});
  ~Transposer();
  Transposer(Transposer&&) noexcept;
  Transposer& operator=(Transposer&&) noexcept;

  /// Writes A^T: row_ptr [cols + 1], col_idx [nnz] and values [nnz], of the types of A's arrays,
  /// and apart from them. Throws InputError where types differ, an array is missing or an array of
  /// A^T shares memory with another.
  void operator()(const CsrOutput& transposed);

  /// Bytes that this holds beyond the arrays of A and A^T.
  std::int64_t workspace_bytes() const;
  /// That of the last call, or the one that the constructor expected.
  TransposePath path() const;

  class Method;

 private:
  std::unique_ptr<Method> method_;
};

/// A^T of `a` once: Transposer(a, options)(transposed).
void transpose(const CsrInput& a, const CsrOutput& transposed,
               const TransposeOptions& options = {});

/// Throws InputError that names the first entry or pointer of `a` that breaks what CsrInput says.
/// O(rows + nnz). Other functions look at the ends of row_ptr alone.
void validate(const CsrInput& a);

}  // namespace sparserepro::host
