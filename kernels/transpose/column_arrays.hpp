// Refusal of transpositions whose arrays hold a number for each thread and column.
#pragma once

#include <cstdint>
#include <string>

#include "transpose/slices.hpp"
#include "transpose/transpose.hpp"

namespace sparserepro {

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
