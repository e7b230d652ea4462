// What every problem tells the bench loop about itself and about an answer.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sparserepro {

/// Named numbers that go into the record as they are (omega, padding_factor, products, ...).
using Measures = std::vector<std::pair<std::string, double>>;

/// Size of an instance. For arrays (primitives): rows = length, cols = 1, nnz = stored = length.
struct Shape {
  std::int64_t rows{}, cols{};
  std::int64_t nnz{};     ///< stored entries that are not zero
  std::int64_t stored{};  ///< all stored entries, explicit zeros and duplicates included
};

/// Traffic of a family of algorithms where the least is out of its reach: of two passes, a bound,
/// or of gathers, which reuse of X undercuts. bounds.hpp has the time, docs/bounds.md derives it.
struct SecondBound {
  std::string name{};       ///< "two_passes", "gather"; "": the problem has none
  double copied_bytes{};    ///< read or written in order
  double gathered_bytes{};  ///< read as rows of `row_bytes` at random places of a table
  std::int64_t row_bytes{};
  /// gather: the table. two_passes: what the first pass leaves to the second; while the last-level
  /// cache holds it, there is no bound.
  std::int64_t table_bytes{};
  /// gather: what of `copied_bytes` is read again for each further panel of the table's columns,
  /// for algorithms that gather from one panel after the other.
  double panel_bytes{};
};

/// Least traffic and work of the problem by formula, whatever the algorithm.
struct Model {
  double bytes{};  ///< each input read once, each output written once
  double flops{};  ///< 0 where nothing is computed
  SecondBound second{};
};

/// Verdict on one answer.
struct CheckOutcome {
  bool ok{};
  std::string method;  ///< "exact", "componentwise_bound", ...
  double error{};      ///< in the units of `bound`; the answer is right iff error <= bound
  double bound{};
  std::string detail;  ///< first mismatch, for the user; "" when ok
  Measures measures;   ///< further error measures
};

}  // namespace sparserepro
