// The lanes and loads that take the columns of a row in natural order or in bins.
#pragma once

#include <bit>
#include <cstdint>

#include "spmm/cuda_csr_balanced/policy.hpp"

namespace sparserepro {

/// Least l >= 0 with 2^l >= value.
constexpr int log2_ceil(std::int64_t value) {
  return value <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value - 1)));
}

/// Loads of a thread, and lanes.
struct SpreadLanes {
  int loads, log_lanes;
};

/// Two or three loads and a power of two of lanes that hold `vectors`, at least `least_spread` of
/// them; the fewest threads times loads.
inline SpreadLanes spread_lanes(std::int64_t vectors) {
  const int log = log2_ceil(vectors);  // 2^(log - 1) < vectors <= 2^log
  return vectors <= std::int64_t{3} << (log - 2) ? SpreadLanes{3, log - 2}
                                                 : SpreadLanes{2, log - 1};
}

}  // namespace sparserepro
