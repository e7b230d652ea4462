// What cuda_adaptive cannot count. Compiles without CUDA.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "formats/types.hpp"

namespace sparserepro::adaptive {

/// "" or why a graph of this size is too large.
inline std::string limit_refusal(std::int64_t vertices, std::int64_t entries) {
  constexpr std::int64_t most_entries = std::int64_t{1} << 40;
  constexpr std::int64_t most_vertices = std::numeric_limits<index_t>::max() - 1024;
  return entries > most_entries || vertices > most_vertices
             ? "at most " + std::to_string(most_vertices) + " vertices and " +
                   std::to_string(most_entries) + " entries"
             : "";
}

}  // namespace sparserepro::adaptive
