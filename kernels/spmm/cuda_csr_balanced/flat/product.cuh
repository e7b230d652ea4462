// Path flat: product with one column (K = 1) by tasks of a fixed number of entries, across rows. A
// warp takes a task in steps of 256 entries:
//
//   1. p_e = a_e x[col_e]; a lane loads two adjacent entries at a time, so that loads coalesce
//   2. shared memory gives each lane 8 adjacent p; the lane adds them up to each end of a row
//   3. a segmented scan over the lanes adds the sums that are open at a lane's end, and counts the
//      rows that end
//   4. the finished sums go to y, a row per lane
//
// `ends` has a bit per entry: the entry is the last of its row. `order` lists the rows with
// entries, so that the number of ends before an entry gives its row. flat_close_kernel adds the
// open sums of a row that several tasks share, in the order of the tasks.
#pragma once

#include <cstdint>

#include "cuda/grid_dependency.cuh"
#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/plan.hpp"

namespace sparserepro::balanced {

/// Everything the two kernels read; passed by value.
template <class Offset>
struct FlatInput {
  CsrView<Offset, double> a;
  const double* x;
  double* y;
  double alpha, beta;
  const unsigned* ends;        ///< bit e % 32 of word e / 32: entry e is the last of its row
  const index_t* order;        ///< [rows] those with entries, then those without
  const index_t* first_place;  ///< [tasks + 1] rows that end before each task
  int task_entries;
  unsigned tasks, task_blocks;
  /// [2 * tasks] of each task: the sum up to its first end, if that row began before the task; the
  /// sum that is open at its end.
  double* open;
};

template <class Offset>
__device__ __forceinline__ bool begins_within_row(const FlatInput<Offset>& in, unsigned t) {
  const std::int64_t e = std::int64_t{t} * in.task_entries - 1;
  return t > 0 && (in.ends[e / 32] >> (e % 32) & 1) == 0;
}

/// y[row] = alpha sum + beta y[row]; y is not read when beta = 0.
template <class Offset>
__device__ __forceinline__ void write_element(const FlatInput<Offset>& in, index_t row,
                                              double sum) {
  const double out = in.alpha * sum;
  in.y[row] = in.beta != 0.0 ? fma(in.beta, in.y[row], out) : out;
}

/// A lane's part of a step: entries 64 j + 2 lane and the next, j = 0 .. 3. Columns and values are
/// read once: they take no room in L1 and leave L2 first, so that x stays.
struct FlatEntries {
  static constexpr int pairs = BalancedPolicy::flat_step / 64;
  int2 col[pairs];
  double2 value[pairs];

  template <class Offset>
  __device__ __forceinline__ void load(const CsrView<Offset, double>& a, std::int64_t base,
                                       int lane, std::uint64_t evict_first) {
    const std::int64_t first = base + 2 * lane;
    if (base + BalancedPolicy::flat_step <= a.nnz) {
#pragma unroll
      for (int j = 0; j < pairs; ++j) {
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v2.b32 {%0, %1}, [%2], %3;"
                     : "=r"(col[j].x), "=r"(col[j].y)
                     : "l"(a.col_idx + first + 64 * j), "l"(evict_first));
      }
#pragma unroll
      for (int j = 0; j < pairs; ++j) {
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v2.f64 {%0, %1}, [%2], %3;"
                     : "=d"(value[j].x), "=d"(value[j].y)
                     : "l"(a.values + first + 64 * j), "l"(evict_first));
      }
      return;
    }
#pragma unroll
    for (int j = 0; j < pairs; ++j) {
      const std::int64_t e = first + 64 * j;
      col[j] = {e < a.nnz ? a.col_idx[e] : 0, e + 1 < a.nnz ? a.col_idx[e + 1] : 0};
      value[j] = {e < a.nnz ? a.values[e] : 0.0, e + 1 < a.nnz ? a.values[e + 1] : 0.0};
    }
  }
};

/// Blocks of tasks first, then those of the rows without entries.
template <class Offset>
__global__ void __launch_bounds__(BalancedPolicy::threads, BalancedPolicy::flat_blocks)
    flat_kernel(const __grid_constant__ FlatInput<Offset> in) {
  constexpr int step = BalancedPolicy::flat_step, lane_entries = step / 32;
  static_assert(lane_entries == 8);  // a byte of `ends`
  __shared__ double2 shared[BalancedPolicy::threads / 32][step / 2];
  wait_for_previous_grid();
  let_next_grid_launch();
  if (blockIdx.x >= in.task_blocks) {
    const std::int64_t place = in.first_place[in.tasks] + threadIdx.x +
                               std::int64_t{blockIdx.x - in.task_blocks} * blockDim.x;
    if (place < in.a.rows) {
      write_element(in, in.order[place], 0.0);
    }
    return;
  }
  const unsigned t = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (t >= in.tasks) {
    return;
  }
  std::uint64_t evict_first;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(evict_first));
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t begin = std::int64_t{t} * in.task_entries;
  const std::int64_t end = min(begin + in.task_entries, std::int64_t{in.a.nnz});
  FlatEntries entries;
  entries.load(in.a, begin, lane, evict_first);
  index_t place = in.first_place[t];
  const index_t begun_before = begins_within_row(in, t) ? place : -1;
  double carry = 0.0;
#pragma unroll 1
  for (std::int64_t base = begin; base < end; base += step) {
    double2 x[FlatEntries::pairs];
#pragma unroll
    for (int j = 0; j < FlatEntries::pairs; ++j) {
      asm volatile("ld.global.f64 %0, [%1];" : "=d"(x[j].x) : "l"(in.x + entries.col[j].x));
      asm volatile("ld.global.f64 %0, [%1];" : "=d"(x[j].y) : "l"(in.x + entries.col[j].y));
    }
    FlatEntries next = entries;
    if (base + step < end) {
      next.load(in.a, base + step, lane, evict_first);
    }
    const index_t row =
        in.order[min(static_cast<unsigned>(place + lane), static_cast<unsigned>(in.a.rows - 1))];
    const unsigned mine = reinterpret_cast<const unsigned char*>(in.ends)[base / 8 + lane];
    // Pairs are exchanged in places permuted so that neither side has bank conflicts.
    double2* const pairs = shared[threadIdx.x / 32];
    const auto place_of = [](int pair) { return pair ^ (pair / 8 % 8); };
#pragma unroll
    for (int j = 0; j < FlatEntries::pairs; ++j) {
      pairs[place_of(32 * j + lane)] = {entries.value[j].x * x[j].x, entries.value[j].y * x[j].y};
    }
    __syncwarp();
    double sum[lane_entries];
#pragma unroll
    for (int j = 0; j < lane_entries / 2; ++j) {
      const double2 pair = pairs[place_of(lane_entries / 2 * lane + j)];
      sum[2 * j] = pair.x;
      sum[2 * j + 1] = pair.y;
    }
    entries = next;
    double left = 0.0;
#pragma unroll
    for (int i = 0; i < lane_entries; ++i) {
      sum[i] += left;
      left = (mine >> i & 1) != 0 ? 0.0 : sum[i];
    }
    const unsigned enders = __ballot_sync(~0U, mine != 0) & (~0U >> (31 - lane));
    const int last_ender = enders != 0 ? 31 - __clz(static_cast<int>(enders)) : 0;
    int ended = __popc(mine);
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
      const double other = __shfl_up_sync(~0U, left, offset);
      const int more = __shfl_up_sync(~0U, ended, offset);
      left += lane - offset >= last_ender ? other : 0.0;
      ended += lane >= offset ? more : 0;
    }
    left += enders == 0 ? carry : 0.0;
    double before = __shfl_up_sync(~0U, left, 1);
    before = lane == 0 ? carry : before;
    carry = __shfl_sync(~0U, left, 31);
    const int all = __shfl_sync(~0U, ended, 31);
    ended -= __popc(mine);
    double* const sums = reinterpret_cast<double*>(pairs);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < lane_entries; ++i) {
      const unsigned earlier = mine & ((1U << i) - 1);
      if ((mine >> i & 1) != 0) {
        sums[ended + __popc(earlier)] = earlier == 0 ? before + sum[i] : sum[i];
      }
    }
    __syncwarp();
    for (int i = lane; i < all; i += 32) {
      if (place + i == begun_before) {
        in.open[2 * std::int64_t{t}] = sums[i];
      } else {
        write_element(in, i < 32 ? row : in.order[place + i], sums[i]);
      }
    }
    __syncwarp();
    place += all;
  }
  if (lane == 0) {
    in.open[2 * std::int64_t{t} + 1] = carry;
  }
}

/// A thread per task: the first row that ends in the task, if it began before, is the sum of what
/// the tasks since its beginning left open. Reads the lists before it waits: the analysis wrote
/// them.
template <class Offset>
__global__ void flat_close_kernel(const __grid_constant__ FlatInput<Offset> in) {
  constexpr int few = 4;
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = static_cast<int>(threadIdx.x % 32);
  index_t row = -1;
  int count = 0;
  if (t < in.tasks && in.first_place[t + 1] > in.first_place[t] && begins_within_row(in, t)) {
    row = in.order[in.first_place[t]];
    count = static_cast<int>(t - in.a.row_ptr[row] / in.task_entries);
  }
  wait_for_previous_grid();
  double sum = 0.0;
#pragma unroll
  for (int back = 1; back <= few; ++back) {
    sum += back <= count && count <= few ? in.open[2 * (std::int64_t{t} - back) + 1] : 0.0;
  }
  // Rows of many tasks, one after the other, by the whole warp.
  for (unsigned many = __ballot_sync(~0U, count > few); many != 0; many &= many - 1) {
    const int owner = __ffs(static_cast<int>(many)) - 1;
    const int all = __shfl_sync(~0U, count, owner);
    const std::int64_t last = std::int64_t{t} - lane + owner;
    double part = 0.0;
#pragma unroll 4
    for (int back = 1 + lane; back <= all; back += 32) {
      part += in.open[2 * (last - back) + 1];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
      part += __shfl_xor_sync(~0U, part, offset);
    }
    sum = lane == owner ? part : sum;
  }
  if (row >= 0) {
    write_element(in, row, sum + in.open[2 * std::int64_t{t}]);
  }
}

}  // namespace sparserepro::balanced
