// Limit of the transpositions on the device that number entries with 32 bits.
#pragma once

#include <string>

#include "transpose/transpose.hpp"

namespace sparserepro {

/// "" or, if the entries exceed unsigned 32-bit positions with a margin of one tile, a message that
/// says so. Row pointers may have 64 bits.
inline std::string entries_refusal(const TransposeProblem& problem, const Params&) {
  constexpr std::int64_t most = (std::int64_t{1} << 32) - (1 << 16);
  return problem.shape().stored <= most
             ? ""
             : std::to_string(problem.shape().stored) +
                   " entries; places are 32-bit numbers, at most " + std::to_string(most);
}

}  // namespace sparserepro
