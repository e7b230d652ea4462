// Definition of the speedup of n calls, preparation included. The report has the same definition.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

namespace sparserepro {

/// Cost of an algorithm to a caller: preparation once, then one kernel a call.
struct CallCost {
  double preparation_s{};  ///< median seconds of the preprocessing; 0 if there is none
  double kernel_s{};       ///< median seconds of the kernel
};

/// The limit of infinitely many calls, in which preparation does not count.
inline constexpr double endless_calls = std::numeric_limits<double>::infinity();

/// speedup(n) = (P_base + n K_base) / (P + n K) for n >= 1 calls, with preparation P and kernel K;
/// K_base / K for endless_calls. The cell is faster than the baseline if it exceeds 1.
inline double speedup(const CallCost& base, const CallCost& cell, double calls) {
  if (std::isinf(calls)) {
    return base.kernel_s / cell.kernel_s;
  }
  return (base.preparation_s + calls * base.kernel_s) /
         (cell.preparation_s + calls * cell.kernel_s);
}

/// The smallest n >= 1 with speedup(n) > 1; nullopt if there is none.
inline std::optional<double> break_even_calls(const CallCost& base, const CallCost& cell) {
  if (speedup(base, cell, 1.0) > 1.0) {
    return 1.0;
  }
  const double gain_s = base.kernel_s - cell.kernel_s;
  if (gain_s <= 0.0) {
    return std::nullopt;
  }
  return std::floor((cell.preparation_s - base.preparation_s) / gain_s) + 1.0;
}

}  // namespace sparserepro
