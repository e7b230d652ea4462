// What a block does for its team in cuda_partition's kernel for few entries: sums of its counts,
// and column pointers from sorted columns.
#pragma once

#include "formats/types.hpp"
#include "transpose/cuda_partition/block.cuh"
#include "transpose/cuda_partition/few/policy.hpp"

namespace sparserepro::partition {

/// A on the device, of fewer than 2^32 entries.
template <class Value>
struct DeviceMatrix {
  AnyPointers row_ptr;
  const unsigned* col_idx;
  const Value* values;
  unsigned rows, cols, nnz;
};

/// Turns the counts of two digits of all warps, `stride` words apart, into those of the warps
/// before, and returns the sums.
__device__ __forceinline__ unsigned sum_over_warps(unsigned* counts, unsigned warps,
                                                   unsigned stride) {
  constexpr int at_once = 4;
  unsigned sum = 0;
  for (unsigned w = 0; w < warps; w += at_once) {
    unsigned count[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      count[k] = counts[(w + k) * stride];
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      counts[(w + k) * stride] = sum;
      sum += count[k];
    }
  }
  return sum;
}

/// Adds up the counts [blocks][pairs] of two digits each: of all blocks to `total`, and of those
/// before this one to `before`, both [2 pairs] and 0.
__device__ __forceinline__ void sum_over_blocks(const unsigned* counts, unsigned blocks,
                                                unsigned pairs, unsigned* total, unsigned* before) {
  constexpr int at_once = 8;
  const unsigned threads = blockDim.x;
  const unsigned groups = max(threads / pairs, 1U);  // of threads, that share the blocks
  const unsigned turn = blockIdx.x % blocks;         // not all begin at the same block
  for (unsigned p = threadIdx.x % pairs; p < pairs; p += threads) {
    unsigned all[2] = {0, 0}, below[2] = {0, 0};
    for (unsigned n = threadIdx.x / pairs; n < blocks; n += groups * at_once) {
      unsigned both[at_once], block[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const unsigned b = n + k * groups;
        block[k] = b + turn < blocks ? b + turn : b + turn - blocks;
        both[k] = b < blocks ? counts[block[k] * pairs + p] : 0;
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const unsigned lower = block[k] < blockIdx.x ? both[k] : 0;
        all[0] += both[k] & 0xffffU;
        all[1] += both[k] >> 16;
        below[0] += lower & 0xffffU;
        below[1] += lower >> 16;
      }
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      atomicAdd(total + 2 * p + h, all[h]);
      atomicAdd(before + 2 * p + h, below[h]);
    }
  }
}

/// Each of `numbers` [count] becomes the sum of all before, between barriers of the caller's.
__device__ __forceinline__ void sums_before(unsigned* numbers, unsigned count,
                                            unsigned* warp_sums) {
  const unsigned each = ceil_div(count, blockDim.x);
  const unsigned first = min(threadIdx.x * each, count), last = min(first + each, count);
  unsigned sum = 0;
  for (unsigned d = first; d < last; ++d) {
    sum += numbers[d];
  }
  unsigned total, running = block_exclusive_sum<0>(sum, warp_sums, total);
  for (unsigned d = first; d < last; ++d) {
    const unsigned number = numbers[d];
    numbers[d] = running;
    running += number;
  }
}

/// Pointers [begin, end) of each lane become its `value`; the whole warp calls it.
__device__ __forceinline__ void fill_pointers(const AnyPointers& pointers, unsigned begin,
                                              unsigned end, unsigned value) {
  constexpr int alone = 4;  // pointers that a lane writes itself; all lanes write the rest together
#pragma unroll
  for (int k = 0; k < alone; ++k) {
    if (begin + k < end) {
      pointers.set(begin + k, value);
    }
  }
  unsigned rest = __ballot_sync(full_warp, begin + alone < end);
  for (; rest != 0; rest &= rest - 1) {
    const int lane = __ffs(rest) - 1;
    const unsigned from = __shfl_sync(full_warp, begin, lane) + alone;
    const unsigned to = __shfl_sync(full_warp, end, lane);
    const unsigned all = __shfl_sync(full_warp, value, lane);
    for (unsigned c = from + threadIdx.x % 32; c < to; c += 32) {
      pointers.set(c, all);
    }
  }
}

/// Writes the pointers that the sorted columns give, each of `warps` for as many entries. Of
/// columns that share all but the low bits, the first entry writes those before its own, the last
/// those after.
__device__ __forceinline__ void write_pointers(const unsigned* sorted, unsigned nnz, unsigned warp,
                                               unsigned warps, unsigned cols, int low_bits,
                                               const AnyPointers& pointers) {
  const unsigned lane = threadIdx.x % 32, each = ceil_div(nnz, warps);
  const unsigned begin = min(warp * each, nnz), end = min(begin + each, nnz);
  for (unsigned i = begin + lane; i - lane < end; i += 32) {
    unsigned from = 0, here = 0, to = 0;
    if (i < end) {
      const unsigned column = sorted[i], high = column >> low_bits;
      const unsigned previous = i > 0 ? sorted[i - 1] : ~0U;
      const unsigned next = i + 1 < nnz ? sorted[i + 1] : ~0U;
      from = i > 0 && previous >> low_bits == high ? previous + 1 : high << low_bits;
      here = column + 1;
      to = i + 1 < nnz && next >> low_bits == high ? here : min((high + 1) << low_bits, cols);
    }
    fill_pointers(pointers, from, here, i);
    fill_pointers(pointers, here, to, i + 1);
  }
}

/// Writes the pointers of the columns of the highest digits that no entry has.
__device__ __forceinline__ void write_empty_digits(const unsigned* start, unsigned digits,
                                                   unsigned nnz, unsigned cols, int low_bits,
                                                   unsigned warp, unsigned warps,
                                                   const AnyPointers& pointers) {
  const unsigned used = ((cols - 1) >> low_bits) + 1;
  for (unsigned d = warp; d < used; d += warps) {
    const unsigned at = start[d];
    if (at == (d + 1 < digits ? start[d + 1] : nnz)) {
      const unsigned end = min((d + 1) << low_bits, cols);
      for (unsigned c = (d << low_bits) + threadIdx.x % 32; c < end; c += 32) {
        pointers.set(c, at);
      }
    }
  }
}

}  // namespace sparserepro::partition
