// Refusal of transpositions whose arrays hold a number for each thread and column, or whose numbers
// do not suffice.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "transpose/slices.hpp"
#include "transpose/transpose.hpp"

namespace sparserepro {

/// Entries of a column, and earlier ones of the same column.
using ColumnCounter = std::uint32_t;

/// "" or why so many entries are too many for `ColumnCounter`.
inline std::string counter_refusal(std::int64_t entries) {
  return entries <= std::numeric_limits<ColumnCounter>::max()
             ? ""
             : std::to_string(entries) + " entries do not fit its 32-bit counters";
}

/// "" or why `arrays` arrays of `cols` elements of `bytes` bytes are too many.
inline std::string column_array_refusal(const TransposeProblem& problem, std::int64_t arrays,
                                        std::int64_t bytes) {
  const std::int64_t cols = problem.shape().cols;
  const double needed = static_cast<double>(arrays) * static_cast<double>(cols * bytes);
  if (needed <= static_cast<double>(max_column_array_bytes)) {
    return "";
  }
  return std::to_string(arrays) + " arrays of " + std::to_string(cols) + " columns need " +
         std::to_string(static_cast<std::int64_t>(needed / (1 << 20))) + " MiB; the limit is " +
         std::to_string(max_column_array_bytes / (1 << 20)) + " MiB";
}

}  // namespace sparserepro
