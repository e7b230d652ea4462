// What a block of cuda_partition's enumeration sort does for the column pointers of a range of
// columns: it reads all columns, counts those to the left of the range and each within, and adds
// up.
#pragma once

#include "transpose/cuda_partition/few/team_block.cuh"
#include "transpose/cuda_partition/one_level/bucket_memory.cuh"

namespace sparserepro::partition {

/// Pointers [at, at + 4), of which the first is aligned to 16 bytes, become those of `value`.
__device__ __forceinline__ void set_four(const AnyPointers& pointers, std::size_t at, uint4 value) {
  if (pointers.wide) {
    auto* const to = reinterpret_cast<longlong2*>(static_cast<std::int64_t*>(pointers.data) + at);
    to[0] = {value.x, value.y};
    to[1] = {value.z, value.w};
  } else {
    *reinterpret_cast<uint4*>(static_cast<std::uint32_t*>(pointers.data) + at) = value;
  }
}

/// Writes the pointers of one block's columns. `counts` [shape.width] is shared.
template <class Value>
__device__ __forceinline__ void write_column_range(const DeviceMatrix<Value>& a,
                                                   const EnumerationShape& shape,
                                                   const AnyPointers& pointers, unsigned* counts) {
  constexpr int at_once = 8, threads = EnumerationPolicy::threads, warps = threads / 32;
  constexpr unsigned step = EnumerationPolicy::range_step;  // columns of a warp at once
  __shared__ unsigned before, warp_sums[warps];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned begin = (blockIdx.x - shape.entry_blocks) * shape.width;
  const unsigned width = min(shape.width, a.cols - begin);
  fill<threads>(counts, shape.width, 0);
  if (threadIdx.x == 0) {
    before = 0;
    if (begin == 0) {
      pointers.set(a.cols, a.nnz);
    }
  }
  __syncthreads();
  unsigned left = 0;
  for (unsigned from = threadIdx.x; from - threadIdx.x < a.nnz; from += at_once * threads) {
    unsigned column[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      column[k] = from + k * threads < a.nnz ? a.col_idx[from + k * threads] : ~0U;
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      left += column[k] < begin ? 1 : 0;
      if (column[k] - begin < width) {
        atomicAdd(counts + (column[k] - begin), 1U);
      }
    }
  }
  left = __reduce_add_sync(full_warp, left);
  if (lane == 0 && left > 0) {
    atomicAdd(&before, left);
  }
  __syncthreads();
  const unsigned each = (width + warps * step - 1) / (warps * step) * step;
  const unsigned first = min(warp * each, width), last = min(first + each, width);
  const auto* const four = reinterpret_cast<const uint4*>(counts);  // beyond the columns all 0
  unsigned sum = 0;
  for (unsigned c = first + 4 * lane; c < last; c += step) {
    sum += four[c / 4].x + four[c / 4].y + four[c / 4].z + four[c / 4].w;
  }
  sum = __reduce_add_sync(full_warp, sum);
  if (lane == 0) {
    warp_sums[warp] = sum;
  }
  __syncthreads();
  unsigned running = before + __reduce_add_sync(full_warp, lane < warp ? warp_sums[lane] : 0);
  for (unsigned c = first + 4 * lane; c - 4 * lane < last; c += step) {
    const uint4 count = c < last ? four[c / 4] : uint4{};
    const unsigned here = count.x + count.y + count.z + count.w;
    const unsigned inclusive = inclusive_sum(here);
    const unsigned at = running + inclusive - here;
    const uint4 all{at, at + count.x, at + count.x + count.y, at + count.x + count.y + count.z};
    if (c + 4 <= last) {
      set_four(pointers, std::size_t{begin} + c, all);
    } else {
      const unsigned some[3] = {all.x, all.y, all.z};
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        if (c + k < last) {
          pointers.set(begin + c + k, some[k]);
        }
      }
    }
    running += __shfl_sync(full_warp, inclusive, 31);
  }
}

}  // namespace sparserepro::partition
