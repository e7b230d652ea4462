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

/// First rows of the row blocks, followed by `rows`: [blocks + 1]. A row block has one row, or at
/// most `capacity` rows with at most `capacity` entries together. Corrected: the seed limits only
/// the entries, so that empty rows can give a row block more rows than the block has threads.
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

/// Threads of a block as in the seed: 2^floor(log2(ceil(stored / rows))), limited to [32, 512].
inline int adaptive_local_size(std::int64_t rows, std::int64_t stored) {
  const std::int64_t mean = rows == 0 ? 0 : ceil_div(stored, rows);
  const std::uint64_t power = std::bit_floor(static_cast<std::uint64_t>(mean));
  return static_cast<int>(std::clamp<std::uint64_t>(power, 32, 512));
}

/// Threads of a sub-block if each of K columns has one: max(1, 2^floor(log2(block_size / k))).
inline std::int64_t sub_block_size(std::int64_t block_size, std::int64_t k) {
  const std::int64_t share = block_size / std::max<std::int64_t>(k, 1);
  return std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(share | 1)) - 1);
}

}  // namespace sparserepro
