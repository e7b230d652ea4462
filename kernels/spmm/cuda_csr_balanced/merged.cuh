// Path merged: product with one column (K = 1) by tasks of about as many rows and entries each
// (merged_task.hpp). A block takes a task:
//
//   1. columns and values go to shared memory by whole sectors, row ends as well
//   2. even rows: a team of lanes adds up the products of a row, so that neighbouring rows gather
//      neighbouring elements of x at once
//   3. uneven rows: first all products in the order of the entries, into shared memory, then a team
//      adds up a row; a warp where the row is long
//   4. a sum of a part of a row goes to `open`; the part that arrives last adds up all of them in
//      their order, whatever the order of their arrival
#pragma once

#include <cstdint>

#include "cuda/grid_dependency.cuh"
#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/merged_shared.cuh"

namespace sparserepro::balanced {

/// Everything the kernel reads; passed by value.
template <class Offset, class Element>
struct MergedInput {
  using Sum = SumType<Element>;
  CsrView<Offset, Element> a;
  const Element* x;
  Element* y;
  Sum alpha, beta;
  const index_t* first_row;  ///< [tasks + 1]
  /// [2 * tasks] of each task: the sum of the part of a row that began before; that of its last
  /// row, where it is cut.
  Sum* open;
  /// [tasks] parts that have arrived of the cut row that begins in the task; 0 between products.
  unsigned* arrived;
};

/// Writes first_row and sets `arrived` to 0; a warp a task and one more, each of whose lanes looks
/// at a row of 32 that divide what is left.
template <class Offset>
__global__ void merged_rows_kernel(const Offset* __restrict__ row_ptr, index_t rows, unsigned tasks,
                                   index_t* first_row, unsigned* arrived) {
  const unsigned t = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (t > tasks) {
    return;
  }
  const auto lane = static_cast<index_t>(threadIdx.x % 32);
  const std::int64_t from = t * RowSpan::task_length;
  index_t low = t < tasks ? 0 : rows, high = rows;
  while (low < high) {
    const index_t step = ceil_div(high - low, 32);
    const std::int64_t row = low + std::int64_t{lane} * step;
    const bool before =
        row < high && row_ptr[row] + std::int64_t{BalancedPolicy::row_cost} * row < from;
    const int count = __popc(__ballot_sync(~0U, before));  // of the first lanes
    high = count == 0 ? low
                      : static_cast<index_t>(min(std::int64_t{low} + std::int64_t{count} * step,
                                                 std::int64_t{high}));
    low = count == 0 ? low : low + (count - 1) * step + 1;
  }
  if (lane == 0) {
    first_row[t] = low;
    if (t < tasks) {
      arrived[t] = 0;
    }
  }
}

/// y[row] = alpha sum + beta y[row]; y is not read when beta = 0.
template <class Offset, class Element>
__device__ __forceinline__ void write_merged(const MergedInput<Offset, Element>& in, index_t row,
                                             SumType<Element> sum) {
  SumType<Element> out[1] = {in.alpha * sum};
  if (in.beta != 0) {
    out[0] = fma(in.beta, element(in.y + row), out[0]);
  }
  store_vector<1>(in.y + row, out);
}

/// The sum over teams of `lanes` lanes; all lanes of the warp take part.
template <class Sum>
__device__ __forceinline__ Sum merged_add_lanes(Sum sum, int lanes) {
  for (int offset = 1; offset < lanes; offset *= 2) {
    sum += __shfl_xor_sync(~0U, sum, offset);
  }
  return sum;
}

/// Puts the sum of a part of `row` at open[place]; the warp whose part of the row comes last writes
/// the row. All lanes take part.
template <class Offset, class Element>
__device__ void merged_arrive(const MergedInput<Offset, Element>& in, RowSpan span, index_t row,
                              std::int64_t place, SumType<Element> sum) {
  const std::int64_t first = span.task();
  const auto parts = static_cast<unsigned>(span.parts());
  const unsigned lane = threadIdx.x % 32;
  unsigned before = 0;
  if (lane == 0) {
    __stcg(in.open + place, sum);
    __threadfence();
    before = atomicAdd(in.arrived + first, 1U);
  }
  if (__shfl_sync(~0U, before, 0) + 1 != parts) {
    return;
  }
  __threadfence();
  SumType<Element> all = 0;
#pragma unroll 4
  for (unsigned part = lane; part < parts; part += 32) {
    all += __ldcg(in.open + 2 * (first + part) + (part == 0 ? 1 : 0));
  }
  all = merged_add_lanes(all, 32);
  if (lane == 0) {
    write_merged(in, row, all);
    in.arrived[first] = 0;
  }
}

/// A block a task.
template <class Offset, class Element>
__global__ void __launch_bounds__(MergedShared<Element>::threads, BalancedPolicy::merged_blocks)
    merged_kernel(const __grid_constant__ MergedInput<Offset, Element> in) {
  using Shared = MergedShared<Element>;
  __shared__ Shared shared;
  wait_for_previous_grid();
  let_next_grid_launch();
  const unsigned t = blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const index_t first_row = in.first_row[t];
  const int rows = in.first_row[t + 1] - first_row;
  const auto task =
      MergedTask<Offset>::of(t, first_row, std::int64_t{first_row} + rows, in.a.row_ptr);
  const int count = static_cast<int>(task.end - task.begin);
  const Offset aligned = task.begin / 4 * 4;
  const int shift = static_cast<int>(task.begin - aligned);
  shared.load(in.a, aligned, count == 0 ? 0 : (shift + count + 3) / 4);
  if (thread == 0) {
    shared.long_count = 0;
  }
  const auto end_at = [&](int i) {  // of the entries before row i of the task
    return static_cast<int>(
        min(in.a.row_ptr[first_row + i] - task.begin, static_cast<Offset>(count)));
  };
  const int mean = ceil_div(count, rows + 1);
  int log_lanes = 0;
  while (log_lanes < 5 && rows << (log_lanes + 1) <= Shared::threads) {
    ++log_lanes;
  }
  bool uneven = task.begun_before || rows << log_lanes < Shared::threads / 2;
  for (int i = thread; i <= rows; i += Shared::threads) {
    const int end = end_at(i);
    shared.ends[i] = end;
    uneven |= i > 0 && end - end_at(i - 1) > 2 * mean + BalancedPolicy::merged_even;
  }
  const bool by_entries = __syncthreads_or(static_cast<int>(uneven)) != 0;
  if (by_entries) {
    shared.multiply(shift, count, in.x);
    __syncthreads();
  }
  const auto sum_of = [&](int begin, int end, int step) {
    return by_entries ? shared.sum_products(shift + begin, shift + end, step)
                      : shared.sum_row(shift + begin, shift + end, step, in.x);
  };
  const int longest = max(Shared::long_row - 1, 4 * mean);
  const int lanes = 1 << log_lanes, slot = thread & (lanes - 1);
  for (int base = 0; base < rows; base += Shared::threads >> log_lanes) {
    const int i = base + (thread >> log_lanes);
    int begin = 0, end = 0;
    bool whole = false;
    if (i < rows) {
      begin = shared.ends[i];
      end = shared.ends[i + 1];
      whole = end - begin <= longest && !(task.goes_on && i == rows - 1);
      if (!whole && slot == 0) {
        shared.long_rows[atomicAdd(&shared.long_count, 1)] = i;
      }
    }
    const auto sum = merged_add_lanes(sum_of(begin + slot, whole ? end : begin, lanes), lanes);
    if (whole && slot == 0) {
      write_merged(in, first_row + i, sum);
    }
  }
  __syncthreads();
  // Long rows, a warp each, the part of the row before among them.
  for (int j = warp - (task.begun_before ? 1 : 0); j < shared.long_count;
       j += Shared::threads / 32) {
    const int i = j < 0 ? -1 : shared.long_rows[j];
    const int begin = i < 0 ? 0 : shared.ends[i];
    const auto sum = merged_add_lanes(sum_of(begin + lane, shared.ends[i + 1], 32), 32);
    if (i < 0) {
      merged_arrive(in, task.before, first_row - 1, 2 * std::int64_t{t}, sum);
    } else if (task.goes_on && i == rows - 1) {
      merged_arrive(in, task.last, first_row + i, 2 * std::int64_t{t} + 1, sum);
    } else if (lane == 0) {
      write_merged(in, first_row + i, sum);
    }
  }
}

}  // namespace sparserepro::balanced
