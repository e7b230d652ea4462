// Lists of path flat: a bit per entry that ends a row, and how many rows end before; the entries of
// each task; the parts of long rows; the rows with entries, then those without.
#pragma once

#include <cstdint>

#include "formats/types.hpp"
#include "spmm/cuda_csr_balanced/flat/product.cuh"

namespace sparserepro::balanced {

/// What flat_rows_kernel writes; all but `parts` are 0 before.
struct FlatLists {
  uint2* words;
  FlatSpan* spans;
  unsigned* part_count;
  FlatPart* parts;
};

/// A thread a row: the bit of its last entry; where the entries of its task begin or end, if it is
/// the first or the last row that begins there; its parts, if it is long. The order of the rows in
/// `parts` differs from run to run, and no sum depends on it.
template <class Offset>
__global__ void flat_rows_kernel(const Offset* __restrict__ row_ptr, index_t rows, Offset nnz,
                                 FlatShape shape, FlatLists to) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows || row_ptr[i] == nnz) {
    return;
  }
  const Offset begin = row_ptr[i], end = row_ptr[i + 1], task = begin / shape.stride;
  if (i == 0 || row_ptr[i - 1] / shape.stride < task) {
    to.spans[task].begin = static_cast<int>(begin - task * shape.stride);
  }
  if (begin == end) {
    return;
  }
  atomicOr(&to.words[(end - 1) / 32].x, 1U << ((end - 1) % 32));
  const bool is_long = end - begin > shape.longest;
  if (end / shape.stride > task || end == nnz) {
    to.spans[task].end = static_cast<int>((is_long ? begin : end) - task * shape.stride);
  }
  if (is_long) {
    const auto count =
        static_cast<unsigned>(ceil_div<std::int64_t>(end - begin, BalancedPolicy::flat_part));
    const unsigned first = atomicAdd(to.part_count, count);
    for (unsigned number = 0; number < count; ++number) {
      to.parts[first + number] = {static_cast<index_t>(i), number};
    }
  }
}

/// The rows that end in word w.
struct CountEnds {
  const uint2* words;
  __device__ unsigned operator()(std::size_t w) const { return __popc(words[w].x); }
};

/// Where the number of word w is, counted in half words.
struct PlaceOfCount {
  __host__ __device__ std::size_t operator()(std::size_t w) const { return 2 * w + 1; }
};

/// order: the `some` rows with entries, then rows without, each ascending.
template <class Offset>
__global__ void flat_order_kernel(const Offset* __restrict__ row_ptr, index_t rows, index_t some,
                                  const uint2* __restrict__ words, index_t* order) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows) {
    return;
  }
  const Offset begin = row_ptr[i];
  const auto row = static_cast<index_t>(i);
  const uint2 word = words[begin / 32];
  const auto place = static_cast<index_t>(word.y + __popc(word.x & ~(~0U << (begin % 32))));
  order[row_ptr[i + 1] > begin ? place : some + (row - place)] = row;
}

}  // namespace sparserepro::balanced
