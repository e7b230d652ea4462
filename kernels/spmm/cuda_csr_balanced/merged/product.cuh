// Path merged: product with one column (K = 1) by tasks of about as many rows and entries each
// (merged/task.hpp). A block takes a task:
//
//   1. columns and values go to shared memory by whole sectors, row ends as well
//   2. even rows: a team of lanes adds up the products of a row, so that neighbouring rows gather
//      neighbouring elements of x at once
//   3. uneven rows: first all products in the order of the entries, into shared memory, then a team
//      adds up a row; a warp where the row is long
//   4. sums of the parts of a row of several tasks go to `open`; a second kernel adds them up in
//      their order
//
// A block looks for the first row of its task itself, so that the matrix needs no analysis.
#pragma once

#include <cstdint>

#include "cuda/grid_dependency.cuh"
#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/merged/shared.cuh"

namespace sparserepro::balanced {

/// Everything the kernel reads; passed by value.
template <class Offset, class Element>
struct MergedInput {
  using Sum = SumType<Element>;
  CsrView<Offset, Element> a;
  const Element* x;
  Element* y;
  Sum alpha, beta;
  unsigned tasks;
  double rows_per_position;  ///< of the whole matrix: where the search for a row begins
  /// [2 * tasks] of each task: the sum of the part of a row that began before; that of its last
  /// row, where it is cut.
  Sum* open;
  index_t* cut_row;  ///< [tasks] the last row of the task where it is cut, else -1
};

/// First row that begins in task t or later; a warp takes part. The first 32 rows that it looks at
/// lie around where the row would be in a matrix of even rows; then 32 divide what is left.
template <class Offset, class Element>
__device__ index_t merged_first_row(const MergedInput<Offset, Element>& in, unsigned t) {
  constexpr std::int64_t cost = BalancedPolicy::row_cost;
  const std::int64_t from = t * RowSpan::task_length, lane = threadIdx.x % 32;
  std::int64_t low = 0, high = in.a.rows;  // rows below low begin before, row high does not
  const auto look = [&](std::int64_t first, std::int64_t step) {
    const std::int64_t row = first + lane * step;
    const bool before = row < high && in.a.row_ptr[row] + cost * row < from;
    const int count = __popc(__ballot_sync(~0U, before));  // of the first lanes
    if (count < 32) {
      high = min(high, first + count * step);
    }
    if (count > 0) {
      low = first + (count - 1) * step + 1;
    }
  };
  if (t >= in.tasks) {
    return in.a.rows;
  }
  constexpr std::int64_t step = 32;
  const auto guess = static_cast<std::int64_t>(static_cast<double>(from) * in.rows_per_position);
  look(max(std::int64_t{0}, min(guess, high - 1) - 16 * step), step);
  while (low < high) {
    look(low, ceil_div(high - low, std::int64_t{32}));
  }
  return static_cast<index_t>(low);
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

/// A block a task.
template <class Offset, class Element>
__global__ void __launch_bounds__(MergedShared<Element>::threads, BalancedPolicy::merged_blocks)
    merged_kernel(const __grid_constant__ MergedInput<Offset, Element> in) {
  using Shared = MergedShared<Element>;
  __shared__ Shared shared;
  wait_for_previous_grid();
  let_next_grid_launch(gridDim.x > 1);
  const unsigned t = blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  __shared__ index_t found[2];
  if (warp < 2) {
    const index_t row = merged_first_row(in, t + static_cast<unsigned>(warp));
    if (lane == 0) {
      found[warp] = row;
    }
  }
  __syncthreads();
  const index_t first_row = found[0];
  const int rows = found[1] - first_row;
  const auto task =
      MergedTask<Offset>::of(t, first_row, std::int64_t{first_row} + rows, in.a.row_ptr);
  const int count = static_cast<int>(task.end - task.begin);
  const Offset aligned = task.begin / 4 * 4;
  const int shift = static_cast<int>(task.begin - aligned);
  shared.load(in.a, aligned, count == 0 ? 0 : (shift + count + 3) / 4);
  if (thread == 0) {
    shared.long_count = 0;
    in.cut_row[t] = task.goes_on ? first_row + rows - 1 : -1;
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
    if (lane == 0 && i < 0) {
      in.open[2 * std::int64_t{t}] = sum;
    } else if (lane == 0 && task.goes_on && i == rows - 1) {
      in.open[2 * std::int64_t{t} + 1] = sum;
    } else if (lane == 0) {
      write_merged(in, first_row + i, sum);
    }
  }
}

/// A thread a task: adds up the parts of the row that is cut at its end, many of them by the whole
/// warp.
template <class Offset, class Element>
__global__ void merged_close_kernel(const __grid_constant__ MergedInput<Offset, Element> in) {
  constexpr unsigned few = 4;
  using Sum = SumType<Element>;
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  wait_for_previous_grid();
  const index_t row = t < in.tasks ? in.cut_row[t] : -1;
  unsigned parts = 0;
  if (row >= 0) {
    constexpr std::int64_t cost = BalancedPolicy::row_cost;
    parts = static_cast<unsigned>(
        RowSpan{in.a.row_ptr[row] + cost * row, in.a.row_ptr[row + 1] + cost * row}.parts());
  }
  const Sum* const open = in.open + 2 * std::int64_t{t};
  Sum sum = row >= 0 ? open[1] : 0;
  for (unsigned part = 1; part < parts && parts <= few; ++part) {
    sum += open[2 * part];
  }
  for (unsigned many = __ballot_sync(~0U, parts > few); many != 0; many &= many - 1) {
    const auto owner = static_cast<unsigned>(__ffs(static_cast<int>(many)) - 1);
    const unsigned all = __shfl_sync(~0U, parts, static_cast<int>(owner));
    const Sum* const from = in.open + 2 * (std::int64_t{t} - lane + owner);
    Sum part_sum = 0;
#pragma unroll 4
    for (unsigned part = 1 + lane; part < all; part += 32) {
      part_sum += from[2 * part];
    }
    part_sum = merged_add_lanes(part_sum, 32);
    sum += lane == owner ? part_sum : 0;
  }
  if (row >= 0) {
    write_merged(in, row, sum);
  }
}

}  // namespace sparserepro::balanced
