// The rows of the entries of a tile of cuda_partition, without writing them out: a bit where a row
// begins, the row of every 32nd entry, and a count of bits in between.
#pragma once

#include "transpose/cuda_partition_histogram.cuh"

namespace sparserepro::partition {

/// The rows of the entries of a tile, 32 entries at a time.
struct RowWord {
  unsigned heads;  ///< bit b > 0: a row begins at the word's entry b
  unsigned row;    ///< row of the word's first entry
};

/// Finds the row of each entry of the tile [begin, begin + count): a thread per row marks where the
/// row begins and the words whose first entry it holds. `skips` [words / 32] marks the words in
/// which a row begins behind an empty one. Both start as zeros.
__device__ __forceinline__ void mark_rows(const SplitInput& in, unsigned begin, unsigned count,
                                          unsigned first_row, unsigned last_row, RowWord* words,
                                          unsigned* skips) {
  for (unsigned r = first_row + threadIdx.x; r <= last_row; r += PartitionPolicy::threads) {
    const unsigned row_begin = in.row_ptr[r], row_end = in.row_ptr[r + 1];
    if (row_begin == row_end || row_begin >= begin + count) {
      continue;
    }
    const unsigned from = row_begin > begin ? row_begin - begin : 0;
    const unsigned to = min(row_end - begin, count);
    if (from % 32 != 0) {
      atomicOr(&words[from / 32].heads, 1U << from % 32);
      if (in.row_ptr[r - 1] == row_begin) {
        atomicOr(&skips[from / 1024], 1U << from / 32 % 32);
      }
    }
    for (unsigned w = (from + 31) / 32; w * 32 < to; ++w) {
      words[w].row = r;
    }
  }
}

/// Row of entry `i` of the tile of `count` entries. i / 32 is the same in the whole warp.
__device__ __forceinline__ unsigned row_of_entry(const SplitInput& in, unsigned begin, unsigned i,
                                                 unsigned count, unsigned last_row,
                                                 const RowWord* words, const unsigned* skips) {
  const unsigned w = i / 32;
  const RowWord word = words[w];
  if ((skips[w / 32] >> w % 32 & 1) == 0) {
    return word.row + __popc(word.heads & ((2U << i % 32) - 1));
  }
  unsigned low = word.row;  // row_ptr[low] <= begin + i < row_ptr[high]
  unsigned high = ((w + 1) * 32 < count ? words[w + 1].row : last_row) + 1;
  while (high - low > 1) {
    const unsigned middle = low + (high - low) / 2;
    (in.row_ptr[middle] <= begin + i ? low : high) = middle;
  }
  return low;
}

}  // namespace sparserepro::partition
