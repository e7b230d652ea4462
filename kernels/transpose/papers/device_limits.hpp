// What algorithms that number entries with 32 bits on the device cannot take.
#pragma once

#include <string>

#include "transpose/transpose.hpp"

namespace sparserepro {

/// Row pointers may be 64-bit; places of entries are unsigned 32-bit numbers, with room for a tile.
inline std::string entries_refusal(const TransposeProblem& problem, const Params&) {
  constexpr std::int64_t most = (std::int64_t{1} << 32) - (1 << 16);
  return problem.shape().stored <= most
             ? ""
             : std::to_string(problem.shape().stored) +
                   " entries; places are 32-bit numbers, at most " + std::to_string(most);
}

}  // namespace sparserepro
