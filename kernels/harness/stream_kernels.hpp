// What one thread does with memory when nothing else limits it: moves it in order, or reads rows at
// random places. The probes behind the bounds; bandwidth.cpp measures them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparserepro {

/// A way to stream through memory.
struct StreamKernel {
  const char* name;  ///< "copy, streaming stores", ...
  int moved;         ///< bytes read plus bytes written for each byte of the piece: 1 or 2
  /// `to` and `from` are aligned to 64 bytes and hold `bytes`, a multiple of stream_granule. A
  /// kernel that only reads returns what depends on every byte, so that no read can be left out.
  std::uint64_t (*run)(char* to, const char* from, std::size_t bytes);
};

constexpr std::size_t stream_granule = 1024;

/// Reads of whole rows at random places of a table.
struct GatherPiece {
  const char* table;            ///< rows * row_bytes bytes, aligned to 64 bytes
  std::uint32_t rows;           ///< at most 2^31
  std::size_t row_bytes;        ///< a multiple of 8
  const std::uint32_t* places;  ///< [place_count], each below `rows`; small enough for a cache
  std::uint32_t place_count;    ///< the list is read again and again, shifted by a random number
  std::uint32_t rounds;         ///< rows read: rounds * place_count
  std::uint32_t rows_ahead;     ///< rows between a prefetch and its use; 0: no prefetches
  std::uint64_t seed;           ///< of the shifts
};

struct StreamKernels {
  const char* instructions;  ///< "avx512", "avx2" or "portable"
  std::array<StreamKernel, 7> streams;
  std::uint64_t (*gather)(const GatherPiece& piece);
};

/// The sets that this processor runs, widest vectors first. They do not depend on the flags that
/// the rest is compiled with.
std::vector<StreamKernels> stream_kernels();

}  // namespace sparserepro
