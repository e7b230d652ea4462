// Row blocks of CSR-Adaptive: consecutive rows whose entries fit a block's shared memory.
// Source: J. L. Greathouse, M. Daga, "Efficient sparse matrix-vector multiplication on GPUs using
// the CSR storage format", SC'14; SpMM seed, section 3.3, csr_adaptive_rowblocks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "formats/buffer.hpp"
#include "formats/ceil_div.hpp"
#include "formats/types.hpp"

namespace sparserepro {

/// First rows of the blocks, and `rows` at the end: [blocks + 1]. A block has one row, or at most
/// `capacity` rows with at most `capacity` entries in all. The seed bounds the entries alone, so
/// that a run of empty rows gives a block more rows than it has threads.
template <class Offset>
Buffer<index_t> adaptive_row_blocks(const Offset* row_ptr, index_t rows, std::int64_t capacity) {
  Buffer<index_t> first{0};
  for (index_t begin = 0; begin < rows;) {
    index_t end = begin + 1;
    while (end < rows && end - begin < capacity && row_ptr[end + 1] - row_ptr[begin] <= capacity) {
      ++end;
    }
    first.push_back(end);
    begin = end;
  }
  return first;
}

/// The seed's number of threads of a block: the mean row length, rounded up, then down to a power
/// of two, between 32 and 512.
inline int adaptive_local_size(std::int64_t rows, std::int64_t stored) {
  const std::int64_t mean = rows == 0 ? 0 : ceil_div(stored, rows);
  const std::uint64_t power = std::bit_floor(static_cast<std::uint64_t>(mean));
  return static_cast<int>(std::clamp<std::uint64_t>(power, 32, 512));
}

/// Threads of a sub-block when each of K columns gets one: a power of two, at least 1.
inline std::int64_t sub_block_size(std::int64_t block_size, std::int64_t k) {
  const std::int64_t share = block_size / std::max<std::int64_t>(k, 1);
  return std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(share | 1)) - 1);
}

}  // namespace sparserepro
