// Transposition of the values of a matrix whose pattern is known, on the host: the pattern is
// transposed once, then values are moved as often as they change.
#pragma once

#include <cstdint>
#include <memory>

#include "sparserepro/arrays.hpp"
#include "sparserepro/error.hpp"
#include "sparserepro/transpose.hpp"

namespace sparserepro::host {

/// How values are moved. `automatic` takes two passes where 1.5M entries and more, up to 2^28, are
/// scattered over the values of A, else the gather by the permutation. Two passes take three to
/// five times as little time there, for 4 bytes an entry more and the values once more, and make
/// the plan about twice as long.
enum class PlanPath : std::uint8_t { automatic, gather, two_passes };

/// The plan of one pattern. Any number of threads may call one plan at once.
class TransposePlan {
 public:
  /// Writes the pattern of A^T to row_ptr [cols + 1] and col_idx [nnz] of `transposed`, of the
  /// types of A's arrays; values are neither read nor written. Throws as Transposer does, and where
  /// two passes are asked for beyond 2^28 entries.
  TransposePlan(const CsrInput& a, const CsrOutput& transposed,
                const TransposeOptions& options = {}, PlanPath path = PlanPath::automatic);
  ~TransposePlan();
  TransposePlan(TransposePlan&&) noexcept;
  TransposePlan& operator=(TransposePlan&&) noexcept;

  /// Writes the values of A^T [nnz] from those of A [nnz], apart from them: of one type of 2, 4 or
  /// 8 bytes. Throws InputError where types differ, an array is missing or both share memory. With
  /// two passes the first call allocates the values once more; a call beside another gathers.
  void operator()(const ConstArray& values, const Array& transposed) const;

  /// [nnz] of int32, or of int64 beyond 2^31 - 1 entries: entry q of A^T is entry permutation[q] of
  /// A. Valid as long as this.
  ConstArray permutation() const;

  /// Bytes that this holds: the permutation; with two passes 4 more an entry, and after a call the
  /// values once more.
  std::int64_t workspace_bytes() const;

  class Method;

 private:
  std::unique_ptr<Method> method_;
};

}  // namespace sparserepro::host
