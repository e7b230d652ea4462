// Structurally symmetric matrices in cuda_partition: the pattern of A^T is that of A, so nothing is
// sorted. Each entry (i, j) of A^T has the value of entry (j, i) of A, which is searched in row j.
//
// Every entry proves its part: its column is above that of the entry before it in the row, and it
// has a mirror entry. That holds for all only where the pattern is symmetric and no entry occurs
// twice. Else one launch more does both passes, by votes.
//
// Bytes per entry with V bytes per value: (4 + V) read and (4 + V) written, the least there is. The
// searches read rows of A again, out of the caches where rows of neighbouring columns are near.
#pragma once

#include "transpose/cuda_partition/one_level/bucket.cuh"

namespace sparserepro::partition {

/// Threads of a block; steps of 32 entries that a warp takes at once.
inline constexpr int symmetric_threads = 256, symmetric_items = 2;
inline constexpr int symmetric_chunk = symmetric_items * 32;
/// Entries of a warp, which searches the row of the first. Over the time with 128, one H200: 64
/// takes 0.84 to 1.15, 256 0.96 to 1.4, rows of 27 and more entries 1.3 in the mean.
inline constexpr unsigned symmetric_span = 128;
inline constexpr unsigned nowhere = ~0U;

/// The place of `column` in the ascending `columns` [low, high), or `nowhere`.
__device__ __forceinline__ unsigned place_of_column(const unsigned* columns, unsigned column,
                                                    unsigned low, unsigned high) {
  while (low < high) {
    const unsigned middle = (low + high) / 2, there = columns[middle];
    if (there == column) {
      return middle;
    }
    (there < column ? low : high) = there < column ? middle + 1 : middle;
  }
  return nowhere;
}

/// Writes the entries [begin, end) of A^T, of which a warp has some. Returns whether the thread's
/// have mirror entries and ascend. `row` is that of the first of them, and becomes that of the
/// last. `marks` [symmetric_chunk] is the warp's own.
template <class Value>
__device__ __forceinline__ bool mirror_entries(const TiledMatrix& a, const Value* values,
                                               const BucketOutput<Value>& out, unsigned begin,
                                               unsigned end, unsigned* marks, unsigned& row) {
  constexpr int items = symmetric_items;
  const unsigned lane = threadIdx.x % 32;
  unsigned column[items];
#pragma unroll
  for (int x = 0; x < items; ++x) {
    column[x] = a.col_idx[min(begin + x * 32 + lane, end - 1)];
    marks[x * 32 + lane] = unmarked;
  }
  __syncwarp();
  for (;;) {  // rows that begin before the end of the entries
    const unsigned r = min(row + lane, a.rows - 1);
    const unsigned from = a.row_ptr[r], to = a.row_ptr[r + std::size_t{1}];
    const bool here = row + lane < a.rows && from < end;
    mark_stretches(marks, max(from, begin) - begin, here ? min(to, end) - begin : 0, r);
    if (__shfl_sync(full_warp, to, 31) >= end) {
      row += 31 - __clz(__ballot_sync(full_warp, here && from < to));
      break;
    }
    row += 32;
  }
  __syncwarp();
  bool proven = true;
#pragma unroll
  for (int x = 0; x < items; ++x) {
    const unsigned k = begin + x * 32 + lane;
    if (begin + x * 32 >= end) {
      break;
    }
    const unsigned i = stretch_of(marks[x * 32 + lane]), j = column[x];
    const unsigned before = __shfl_up_sync(full_warp, j, 1);
    if (k < end) {
      if (k > a.row_ptr[i]) {
        proven = proven && (lane > 0 ? before : a.col_idx[k - 1]) < j;
      }
      const unsigned place =
          place_of_column(a.col_idx, i, a.row_ptr[j], a.row_ptr[j + std::size_t{1}]);
      proven = proven && place != nowhere;
      if (place != nowhere) {
        __stcs(out.row_idx + k, j);
        if constexpr (!std::is_empty_v<Value>) {
          __stcs(out.values + k, values[place]);
        }
      }
    }
  }
  __syncwarp();
  return proven;
}

/// Transposes a matrix whose pattern is symmetric, or notes that it is not.
template <class Value>
__global__ void __launch_bounds__(symmetric_threads, 2048 / symmetric_threads)
    symmetric_kernel(TiledMatrix a, const Value* values, BucketOutput<Value> out,
                     PassState* state) {
  constexpr unsigned warps = symmetric_threads / 32;
  __shared__ unsigned marks[warps][symmetric_chunk];
  let_next_grid_launch();
  wait_for_previous_grid();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    state->begin(false);
  }
  for (unsigned r = blockIdx.x * symmetric_threads + threadIdx.x; r <= a.rows;
       r += gridDim.x * symmetric_threads) {
    out.col_ptr.set(r, a.row_ptr[r]);
  }
  const unsigned warp = blockIdx.x * warps + threadIdx.x / 32;
  const std::uint64_t first = std::uint64_t{warp} * symmetric_span;
  if (first >= a.nnz) {
    return;
  }
  const auto begin = static_cast<unsigned>(first);
  const unsigned end = begin + min(symmetric_span, a.nnz - begin);
  unsigned row = last_at_most(0, a.rows, [&](unsigned r) { return a.row_ptr[r] <= begin; });
  bool proven = true;
  for (unsigned k = begin; k < end; k += symmetric_chunk) {
    proven = mirror_entries(a, values, out, k, min(k + symmetric_chunk, end),
                            marks[threadIdx.x / 32], row) &&
             proven;
  }
  if (!proven) {
    state->unmirrored = 1;
  }
}

/// Does both passes, and the plan between them, by votes in one launch.
template <class Value, class Shape, bool grouped>
__device__ __forceinline__ void sort_at_once(const TiledMatrix& a, const Value* values,
                                             const SplitTiles<Value>& in, const Plan& plan,
                                             const BucketOutput<Value>& out) {
  plan.state->split_again.do_all(a.tiles, [&](unsigned t) {
    split_tile<Value, Shape, Ranks::by_vote, true>(a, values, in, t, [] { return true; });
  });
  constexpr unsigned buckets = Shape::threads / bucket_threads;
  plan.state->planned.do_all(ceil_div(a.buckets.count, buckets), [&](unsigned stretch) {
    plan_stretch<Shape::threads>(a, in.table, plan, stretch);
  });
  sort_chunks<Value, Shape, grouped, Ranks::by_vote>(a, in, plan, out,
                                                     a.buckets.count + plan.state->partial_count);
}

/// Sorts what was said to be symmetric and is not. The blocks that the device holds run it.
template <class Value, class Shape, bool grouped>
__global__ void __launch_bounds__(Shape::threads,
                                  DevicePartitionPolicy::block_threads / Shape::threads)
    unsymmetric_kernel(TiledMatrix a, const Value* values, SplitTiles<Value> in, Plan plan,
                       BucketOutput<Value> out) {
  wait_for_previous_grid();
  PassState* const state = plan.state;
  const bool failed = __syncthreads_or(*static_cast<volatile unsigned*>(&state->unmirrored)) != 0;
  if (threadIdx.x == 0 && atomicAdd(&state->informed, 1U) == gridDim.x - 1) {
    state->symmetric = failed ? 0 : 1;
    state->unmirrored = state->informed = 0;  // all blocks know
  }
  if (failed) {
    sort_at_once<Value, Shape, grouped>(a, values, in, plan, out);
  }
}

}  // namespace sparserepro::partition
