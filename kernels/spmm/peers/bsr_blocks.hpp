// Number of blocks of a matrix in block compressed sparse row format (BSR).
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/buffer.hpp"
#include "formats/csr.hpp"

namespace sparserepro {

/// Number of `size` x `size` blocks, at multiples of `size`, that contain an entry. O(nnz) work and
/// 4 bytes of memory a block column.
template <class Offset, class Value>
std::int64_t count_blocks(const CsrView<Offset, Value>& a, index_t size) {
  Buffer<index_t> last(static_cast<std::size_t>(a.cols / size) + 1);
  std::fill(last.begin(), last.end(), index_t{-1});  // last block row with the block column
  std::int64_t blocks = 0;
  for (index_t i = 0; i < a.rows; ++i) {
    const index_t block_row = i / size;
    for (Offset p = a.row_ptr[i]; p < a.row_ptr[i + 1]; ++p) {
      index_t& seen = last[a.col_idx[p] / size];
      blocks += seen != block_row;
      seen = block_row;
    }
  }
  return blocks;
}

}  // namespace sparserepro
