// Memory kernels of one thread: sequential copies, reads and writes, and reads of random rows.
// bandwidth.cpp and gather_bandwidth.cpp measure their rates, from which lower bounds are computed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparserepro {

/// A kernel that reads or writes arrays sequentially.
struct StreamKernel {
  const char* name;  ///< "copy, streaming stores", ...
  int moved;         ///< bytes read plus bytes written for each byte of an array: 1 or 2
  /// `to` and `from` are aligned to 64 bytes and have `bytes` bytes, a multiple of stream_granule.
  /// A kernel that only reads returns a number that depends on every byte, so that the compiler
  /// cannot omit a read.
  std::uint64_t (*run)(char* to, const char* from, std::size_t bytes);
};

/// Unit of the sizes of arrays, in bytes.
constexpr std::size_t stream_granule = 1024;

/// Arguments of a kernel that reads random rows of a table.
struct GatherPiece {
  const char* table;            ///< rows * row_bytes bytes, aligned to 64 bytes
  std::uint32_t rows;           ///< at most 2^31
  std::size_t row_bytes;        ///< a multiple of 8
  const std::uint32_t* places;  ///< [place_count] rows < `rows`; the list fits the L1 cache
  std::uint32_t place_count;    ///< rows read in a round: (places[i] + shift) mod rows
  std::uint32_t rounds;         ///< each with another random shift
  std::uint32_t rows_ahead;     ///< rows between a prefetch and its use; 0: no prefetches
  std::uint64_t seed;           ///< of the random shifts
};

/// The kernels of one instruction set.
struct StreamKernels {
  const char* instructions;  ///< "avx512", "avx2" or "portable"
  std::array<StreamKernel, 7> streams;
  std::uint64_t (*gather)(const GatherPiece& piece);
};

/// The sets of kernels that this processor runs, widest vectors first. They do not depend on the
/// compiler flags of other files.
std::vector<StreamKernels> stream_kernels();

}  // namespace sparserepro
