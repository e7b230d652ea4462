// Size, traffic model and check of a problem, as the bench loop and records use them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sparserepro {

/// Named numbers that are written to the record unchanged (omega, padding_factor, products, ...).
using Measures = std::vector<std::pair<std::string, double>>;

/// Size of an instance. For arrays (primitives): rows = length, cols = 1, nnz = stored = length.
struct Shape {
  std::int64_t rows{}, cols{};
  std::int64_t nnz{};     ///< stored entries other than zero
  std::int64_t stored{};  ///< all stored entries, explicit zeros and duplicates included
};

/// Traffic of a family of algorithms that cannot reach the minimum traffic of Model: those with two
/// passes over the data, or those that gather rows of X. bounds.hpp computes the time,
/// docs/bounds.md derives it. Reuse of X in caches can beat `gather`.
struct SecondBound {
  std::string name{};       ///< "two_passes", "gather"; "": the problem has none
  double copied_bytes{};    ///< read or written sequentially
  double gathered_bytes{};  ///< read as rows of `row_bytes` at random places of a table
  std::int64_t row_bytes{};
  /// gather: bytes of the table. two_passes: bytes that the first pass writes for the second; no
  /// bound exists if the last-level cache holds them.
  std::int64_t table_bytes{};
  /// gather: the part of `copied_bytes` that an algorithm reads again for each further panel, if it
  /// gathers from one panel of the table's columns after the other.
  double panel_bytes{};
};

/// Minimum traffic and work of the problem, by formula, whatever the algorithm.
struct Model {
  double bytes{};  ///< each input read once, each output written once
  double flops{};  ///< floating-point operations; 0 where none are needed
  SecondBound second{};
};

/// Result of the check of one answer.
struct CheckOutcome {
  bool ok{};
  std::string method;  ///< "exact", "componentwise_bound", ...
  double error{};      ///< in the units of `bound`; the answer is right iff error <= bound
  double bound{};
  std::string detail;  ///< first mismatch, as a message; "" if the answer is right
  Measures measures;   ///< further error measures
};

}  // namespace sparserepro
