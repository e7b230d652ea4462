// What a speedup is, wherever preparation counts. The only definition of the driver; the report's
// is the same.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

namespace sparserepro {

/// What an algorithm costs a caller: preparation once, then a kernel a call; seconds.
struct CallCost {
  double preparation_s{};  ///< median of the preprocessing, 0 where there is none
  double kernel_s{};       ///< median of the kernel
};

/// Infinitely many calls: preparation costs nothing.
inline constexpr double endless_calls = std::numeric_limits<double>::infinity();

/// speedup(n) = (P_base + n K_base) / (P + n K), the baseline's cost of n >= 1 calls over the
/// cell's; K_base / K for endless_calls. Above 1: the cell is faster.
inline double speedup(const CallCost& base, const CallCost& cell, double calls) {
  if (std::isinf(calls)) {
    return base.kernel_s / cell.kernel_s;
  }
  return (base.preparation_s + calls * base.kernel_s) /
         (cell.preparation_s + calls * cell.kernel_s);
}

/// The smallest n >= 1 with speedup(n) > 1; none when no number of calls has it.
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
