// Chunk size of the SpMM seed's static schedules.
#pragma once

#include <cstdint>

#include "formats/ceil_div.hpp"

namespace sparserepro {

/// ceil(iterations / threads), rounded down to a multiple of 16 when above 16 (two cache lines of
/// doubles, against false sharing), and at least 1 as OpenMP demands. The rounding leaves a short
/// remainder of chunks that go round to the first threads. Source: SpMM seed, section 3.2.
constexpr std::int64_t static_chunk(std::int64_t iterations, int threads) {
  const std::int64_t chunk = ceil_div(iterations, threads);
  if (chunk > 16) {
    return chunk - chunk % 16;
  }
  return chunk == 0 ? 1 : chunk;
}

}  // namespace sparserepro
