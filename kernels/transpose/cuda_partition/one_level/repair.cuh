// Entries that occur twice, in cuda_partition. They meet as neighbours with equal rows in a column
// of A^T, where additions prove nothing of their order. Where all rows are in order nothing else is
// in doubt, so the values of equal neighbours are taken from A once more, in its order: those of
// the row's entries in that column.
#pragma once

#include "transpose/cuda_partition/few/team_block.cuh"
#include "transpose/cuda_partition/one_level/bucket_memory.cuh"
#include "transpose/cuda_partition/one_level/plan.cuh"

namespace sparserepro::partition {

/// Writes to `to` the values of all `count` entries of A at (row, column). Returns false if they
/// are not found with little work.
template <class Value>
__device__ __forceinline__ bool write_equal(const TiledMatrix& a, const Value* values, unsigned row,
                                            unsigned column, unsigned count, Value* to) {
  const unsigned begin = a.row_ptr[row], end = a.row_ptr[row + std::size_t{1}];
  unsigned low = begin;  // the first of them, when the row is in the order of columns
  for (unsigned span = end - begin; span > 0;) {
    const unsigned half = span / 2;
    const bool before = a.col_idx[low + half] < column;
    low += before ? half + 1 : 0;
    span = before ? span - half - 1 : half;
  }
  unsigned found = 0;
  for (; found < count && low + found < end && a.col_idx[low + found] == column; ++found) {
    to[found] = values[low + found];
  }
  if (found < count && end - begin <= RepairPolicy::most_searched) {
    found = 0;
    for (unsigned k = begin; k < end && found < count; ++k) {
      if (a.col_idx[k] == column) {
        to[found++] = values[k];
      }
    }
  }
  return found == count;
}

/// Looks at `count` <= 32 items entries of A^T from `begin` on; returns whether rows do not ascend
/// there, or equal ones were not repaired. `marks` [32 items] is the warp's own.
template <int items, class Value>
__device__ __forceinline__ bool repair_stretch(const TiledMatrix& a, const Value* values,
                                               unsigned cols, const BucketOutput<Value>& out,
                                               unsigned begin, unsigned count, unsigned* marks) {
  unsigned column[items];
  rows_of_warp(out.col_ptr, cols, begin, count, marks, column);
  bool failed = false;
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const unsigned in_warp = j * 32 + threadIdx.x % 32, i = begin + in_warp;
    if (in_warp >= count) {
      continue;
    }
    const unsigned row = out.row_idx[i];
    const unsigned previous = i > 0 ? out.row_idx[i - 1] : 0;
    const bool equals_next = i + 1 < a.nnz && out.row_idx[i + 1] == row;
    if ((i == 0 || previous < row) && !equals_next) {
      continue;
    }
    const bool first = i == out.col_ptr[column[j]];
    const unsigned end = out.col_ptr[column[j] + std::size_t{1}];
    if (!first && previous >= row) {
      failed |= previous > row;  // the first of equal ones repairs all
    } else if (equals_next && i + 1 < end) {
      if constexpr (has_values<Value>) {
        unsigned equal = 2;
        while (equal < RepairPolicy::most_equal && i + equal < end &&
               out.row_idx[i + equal] == row) {
          ++equal;
        }
        failed |= equal == RepairPolicy::most_equal ||
                  !write_equal(a, values, row, column[j], equal, out.values + i);
      }
    }
  }
  return failed;
}

/// Repairs A^T, or leaves a word for all at *repair.failed that it must be sorted again; returns
/// whether it need not. Blocks take one piece after the other, and wait until all that were taken
/// are done. `unordered`: neighbours in a column that do not ascend.
template <class Value, int threads>
__device__ __forceinline__ bool repaired(const TiledMatrix& a, const Value* values, unsigned cols,
                                         const BucketOutput<Value>& out, const Repair& repair,
                                         unsigned unordered) {
  constexpr int items = RepairPolicy::items;
  extern __shared__ __align__(16) unsigned marks[];  // [threads * items]
  __shared__ unsigned taken;
  if (unordered > repair.most) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      *repair.failed = 1;
    }
    return false;
  }
  const unsigned warp = threadIdx.x / 32, all = gridDim.x * threads;
  const unsigned each = min((a.nnz - 1) / all + 1, unsigned{items});  // entries of a thread
  const unsigned pieces = (a.nnz - 1) / (threads * each) + 1;
  for (;;) {
    if (threadIdx.x == 0) {
      taken = atomicAdd(&repair.pieces->taken, 1U);
    }
    __syncthreads();
    const unsigned piece = taken;
    if (piece >= pieces) {
      break;
    }
    const unsigned begin = min((piece * threads + warp * 32) * each, a.nnz);
    const unsigned count = min(32 * each, a.nnz - begin);
    const bool failed =
        repair_stretch<items>(a, values, cols, out, begin, count, marks + warp * 32 * items);
    if (__syncthreads_or(failed) != 0 && threadIdx.x == 0) {
      *repair.failed = 1;
    }
    repair.pieces->one_done();
  }
  repair.pieces->await(pieces);
  return *static_cast<volatile unsigned*>(repair.failed) == 0;
}

/// For what follows and sorts again if *repair.failed.
template <class Value, int threads>
__global__ void __launch_bounds__(threads)
    repair_kernel(TiledMatrix a, const Value* values, unsigned cols, BucketOutput<Value> out,
                  Repair repair, const unsigned* disorder) {
  follow_previous_kernel();
  if (*disorder > 0) {
    repaired<Value, threads>(a, values, cols, out, repair, *disorder);
  }
}

}  // namespace sparserepro::partition
