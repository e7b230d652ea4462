// Histogram of cuda_partition: how many entries of each tile belong to each bucket.
#pragma once

#include "transpose/cuda_partition_block.cuh"

namespace sparserepro::partition {

struct SplitInput {
  AnyPointers row_ptr;
  const unsigned* col_idx;
  unsigned nnz;
  unsigned tiles;
  unsigned wave;   ///< tiles at work at once
  unsigned steps;  ///< a tile has `steps` entries per thread
  ColumnBuckets buckets;
  unsigned table_stride;
  unsigned* table;     ///< [buckets][table_stride] counts of the tiles, then their exclusive sum
  unsigned* tile_row;  ///< [tiles + 1] row of the first entry of a tile; at the end the last row
};

/// The row that holds entry `position`, by a search of the whole warp: each step cuts the range to
/// a 32nd, so that few loads wait for each other.
__device__ __forceinline__ unsigned row_of_position(AnyPointers row_ptr, unsigned rows,
                                                    unsigned position) {
  unsigned low = 0, high = rows;  // row_ptr[low] <= position < row_ptr[high]
  while (high - low > 1) {
    const unsigned stride = (high - low + 31) / 32;
    const unsigned probe = low + (threadIdx.x % 32) * stride;
    const unsigned below = __ballot_sync(full_warp, probe < high && row_ptr[probe] <= position);
    low += (31 - __clz(below)) * stride;  // the probe at `low` is always among them
    high = min(low + stride, high);
  }
  return low;
}

/// Counts the buckets of `histogram_tiles` tiles per block and finds the rows where these begin.
/// Clears the flag of the passes.
__global__ void __launch_bounds__(PartitionPolicy::threads)
    histogram_kernel(SplitInput in, unsigned rows, int* disorder) {
  constexpr int group = PartitionPolicy::histogram_tiles;
  extern __shared__ unsigned counts[];  // [group][buckets]
  const unsigned digits = in.buckets.count;
  const unsigned tile = in.steps * PartitionPolicy::threads;
  for (unsigned i = threadIdx.x; i < group * digits; i += blockDim.x) {
    counts[i] = 0;
  }
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *disorder = 0;
  }
  const unsigned first_tile = blockIdx.x * group;
  const unsigned begin = first_tile * tile;
  const unsigned end = min(in.nnz - begin, group * tile) + begin;
  if (threadIdx.x / 32 < group && first_tile + threadIdx.x / 32 < in.tiles) {
    const unsigned t = first_tile + threadIdx.x / 32;
    const unsigned row = row_of_position(in.row_ptr, rows, t * tile);
    if (threadIdx.x % 32 == 0) {
      in.tile_row[t] = row;
      if (t == in.tiles - 1) {
        in.tile_row[in.tiles] = rows - 1;
      }
    }
  }
  const uint4* const four = reinterpret_cast<const uint4*>(in.col_idx + begin);
  const unsigned fours = (end - begin) / 4;
#pragma unroll 8
  for (unsigned i = threadIdx.x; i < fours; i += PartitionPolicy::threads) {
    const uint4 columns = __ldcs(four + i);
    unsigned* const count = counts + (i * 4 < tile ? 0 : digits);
    atomicAdd(count + bucket_of(columns.x, in.buckets), 1U);
    atomicAdd(count + bucket_of(columns.y, in.buckets), 1U);
    atomicAdd(count + bucket_of(columns.z, in.buckets), 1U);
    atomicAdd(count + bucket_of(columns.w, in.buckets), 1U);
  }
  for (unsigned p = begin + fours * 4 + threadIdx.x; p < end; p += PartitionPolicy::threads) {
    atomicAdd(counts + (p - begin < tile ? 0 : digits) + bucket_of(in.col_idx[p], in.buckets), 1U);
  }
  __syncthreads();
  for (unsigned d = threadIdx.x; d < digits; d += PartitionPolicy::threads) {
    static_assert(group == 2);
    *reinterpret_cast<uint2*>(in.table + static_cast<std::size_t>(d) * in.table_stride +
                              first_tile) = {counts[d], counts[digits + d]};
  }
}

}  // namespace sparserepro::partition
