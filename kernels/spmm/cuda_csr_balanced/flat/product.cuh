// Path flat: product with one column (K = 1) by tasks of whole rows with about as many entries. A
// warp, or a block in a large matrix, takes the rows that begin in `stride` entries; a thread takes
// four adjacent entries:
//
//   1. p_e = a_e x[col_e], added up to each end of a row
//   2. a segmented scan over the lanes adds the sums that are open at a lane's end
//   3. shared memory passes on the sums that are open at a warp's end, where a block has the task
//   4. the thread where a row ends writes y
//
// A bit per entry says whether it is the last of its row, and a number per 32 entries counts the
// rows that end before, so that a thread knows the row of each end; `order` lists the rows with
// entries, if some have none. Rows of more than `longest` entries are in no task: a block takes
// one, or `flat_part` entries of it, and flat_close_kernel adds up the parts, in their order.
#pragma once

#include <cstdint>

#include "cuda/grid_dependency.cuh"
#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/flat/entries.cuh"
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"

namespace sparserepro::balanced {

/// Entries [begin, end) of a task, counted from the first of the `stride` entries that a task has
/// at most; none if both are equal.
struct alignas(8) FlatSpan {
  int begin, end;
};

/// `flat_part` entries of a long row, or those that are left.
struct FlatPart {
  index_t row;
  unsigned number;  ///< of the part in its row
};

/// Everything the two kernels read; passed by value.
template <class Offset, class Element>
struct FlatInput {
  CsrView<Offset, Element> a;
  const Element* x;
  Element* y;
  Element alpha, beta;
  const uint2* words;     ///< [nnz / 32 + 1]: bit e of x: entry e of the 32 is the last of its
                          ///< row; y: rows that end before the 32
  const index_t* order;   ///< rows with entries, then those without, if there are such
  const FlatSpan* spans;  ///< [tasks]
  const FlatPart* parts;  ///< [*part_count] of the long rows
  const unsigned* part_count;
  Element* partial;  ///< [*part_count] sums of the parts, where a row has several
  int stride;
  unsigned tasks, part_blocks, task_blocks;
  index_t some_rows;  ///< with entries
  bool closes;        ///< flat_close_kernel follows
  bool passes;        ///< A leaves L2 first
};

/// y[row] = alpha sum + beta y[row]; y is not read when beta = 0.
template <class Offset, class Element>
__device__ __forceinline__ void write_element(const FlatInput<Offset, Element>& in, index_t row,
                                              Element sum) {
  const Element out = in.alpha * sum;
  in.y[row] = in.beta != 0 ? fma(in.beta, in.y[row], out) : out;
}

/// The sum of `value` over the block, in thread 0.
template <class Element>
__device__ __forceinline__ Element add_block(Element value) {
  constexpr unsigned warps = BalancedPolicy::flat_threads / 32;
  __shared__ Element part[warps];
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(~0U, value, offset);
  }
  if (threadIdx.x % 32 == 0) {
    part[threadIdx.x / 32] = value;
  }
  __syncthreads();
  for (unsigned w = 1; w < warps && threadIdx.x == 0; ++w) {
    value += part[w];
  }
  return value;
}

/// A part of a long row by the block.
template <class Offset, class Element>
__device__ __forceinline__ void flat_part(const FlatInput<Offset, Element>& in) {
  constexpr int batch = 8, threads = BalancedPolicy::flat_threads;
  if (blockIdx.x >= *in.part_count) {
    return;
  }
  const FlatPart part = in.parts[blockIdx.x];
  const Offset row_begin = in.a.row_ptr[part.row], row_end = in.a.row_ptr[part.row + 1];
  const Offset begin = row_begin + static_cast<Offset>(part.number) * BalancedPolicy::flat_part;
  const int length =
      static_cast<int>(min(row_end - begin, static_cast<Offset>(BalancedPolicy::flat_part)));
  const index_t* const cols = in.a.col_idx + begin;
  const Element* const values = in.a.values + begin;
  Element sum = 0;
#pragma unroll 1
  for (int first = static_cast<int>(threadIdx.x); first < length; first += batch * threads) {
    index_t col[batch];
    Element value[batch], x[batch];
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      const int p = first + u * threads;
      col[u] = p < length ? cols[p] : 0;
      value[u] = p < length ? values[p] : 0;
    }
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      x[u] = first + u * threads < length ? in.x[col[u]] : 0;
    }
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      sum = fma(value[u], x[u], sum);
    }
  }
  sum = add_block(sum);
  if (threadIdx.x != 0) {
    return;
  }
  if (row_end - row_begin > BalancedPolicy::flat_part) {
    in.partial[blockIdx.x] = sum;
  } else {
    write_element(in, part.row, sum);
  }
}

/// Adds up the sums that are open at the ends of the lanes, each from the lane on where its row
/// began: `ended`, lanes in which a row ends. Steps that no lane needs are left out.
template <class Element>
__device__ __forceinline__ Element add_open(Element open, unsigned ended, int lane) {
  const unsigned before = ended & (~0U >> (31 - lane));
  const int run = before != 0 ? lane - (31 - __clz(static_cast<int>(before))) : lane;
  unsigned runs = ~ended;  // lanes at the end of `offset` lanes in which no row ends
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    if (runs == 0) {
      break;
    }
    const Element other = __shfl_up_sync(~0U, open, offset);
    open += run >= offset ? other : 0;
    runs &= runs << offset;
  }
  return open;
}

inline constexpr int flat_empty_rows = 4;  ///< rows without entries of a thread

/// Blocks of parts first, then those of tasks, of `TaskThreads` threads each, then those of the
/// rows without entries, if `Listed`.
template <int TaskThreads, bool Listed, class Offset, class Element>
__global__ void __launch_bounds__(BalancedPolicy::flat_threads, BalancedPolicy::flat_blocks)
    flat_kernel(const __grid_constant__ FlatInput<Offset, Element> in) {
  constexpr int threads = BalancedPolicy::flat_threads, warps = TaskThreads / 32;
  static_assert(TaskThreads == threads || warps == 1);
  constexpr int own = flat_entries;
  __shared__ Element open[2][warps];  // sums at the ends of the warps
  __shared__ bool through[2][warps];  // no row ends in the warp
  wait_for_previous_grid();
  let_next_grid_launch(in.closes);
  if (blockIdx.x < in.part_blocks) {
    flat_part(in);
    return;
  }
  const unsigned block = blockIdx.x - in.part_blocks;
  if (Listed && block >= in.task_blocks) {
    const std::int64_t place = in.some_rows +
                               std::int64_t{block - in.task_blocks} * (flat_empty_rows * threads) +
                               threadIdx.x;
#pragma unroll
    for (int i = 0; i < flat_empty_rows; ++i) {
      if (place + i * threads < in.a.rows) {
        write_element(in, in.order[place + i * threads], Element{0});
      }
    }
    return;
  }
  const unsigned t = block * (threads / TaskThreads) + threadIdx.x / TaskThreads;
  if (t >= in.tasks) {
    return;
  }
  const FlatSpan span = in.spans[t];
  const std::uint64_t policy = l2_policy(in.passes);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x % TaskThreads / 32);
  const Offset task = static_cast<Offset>(t) * in.stride;
  Element carry = 0;  // of the row that is open where a step begins
  int side = 0;
#pragma unroll 1
  for (int step = span.begin & ~(own - 1); step < span.end; step += TaskThreads * own) {
    const int first = step + static_cast<int>(threadIdx.x % TaskThreads) * own;
    const unsigned bit = (static_cast<unsigned>(task) + static_cast<unsigned>(first)) % 32;
    FlatEntries<Element> entries;
    uint2 word{0, 0};
    if (first < span.end) {
      entries.load(in.a, task + first, policy);
      word = in.words[(task + first) / 32];
    }
    const int off = min(max(span.begin - first, 0), own), to = min(max(span.end - first, 0), own);
    const unsigned on = (~0U << off) & ~(~0U << to);
    const unsigned ends = word.x >> bit & on;
    index_t row[own];
    row[0] = static_cast<index_t>(word.y + __popc(word.x & ~(~0U << bit)));
#pragma unroll
    for (int j = 1; j < own; ++j) {
      row[j] = row[j - 1] + static_cast<index_t>(word.x >> (bit + j - 1) & 1);
    }
#pragma unroll
    for (int j = 0; j < own && Listed; ++j) {
      load_if(ends & 1U << j, in.order + row[j], row[j]);
    }
    Element sum[own];
    entries.multiply(on, in.x, sum);
    Element left = 0;
#pragma unroll
    for (int j = 0; j < own; ++j) {
      sum[j] += left;
      left = (ends >> j & 1) != 0 ? 0 : sum[j];
    }
    const unsigned ended = __ballot_sync(~0U, ends != 0);
    left = add_open(left, ended, lane);
    Element before = __shfl_up_sync(~0U, left, 1);
    before = lane == 0 ? 0 : before;
    const bool goes_on =
        (ended & ~(~0U << lane)) == 0;  // the row that is open where the warp begins
    if constexpr (warps == 1) {
      before += goes_on ? carry : 0;
      carry = (ended == 0 ? carry : 0) + __shfl_sync(~0U, left, 31);
    } else {
      if (lane == 31) {
        open[side][warp] = left;
        through[side][warp] = ended == 0;
      }
      __syncthreads();
      const auto open_before = [&](int w) {
        Element sum_before = 0;
        while (--w >= 0) {
          sum_before += open[side][w];
          if (!through[side][w]) {
            return sum_before;
          }
        }
        return sum_before + carry;
      };
      if (goes_on && ends != 0) {
        before += open_before(warp);
      }
      carry = step + TaskThreads * own < span.end ? open_before(warps) : 0;
      side ^= 1;
    }
    if (in.beta == 0) {
#pragma unroll
      for (int j = 0; j < own; ++j) {
        if ((ends >> j & 1) != 0) {
          in.y[row[j]] = in.alpha * (before + sum[j]);
          before = 0;
        }
      }
    } else {
#pragma unroll
      for (int j = 0; j < own; ++j) {
        if ((ends >> j & 1) != 0) {
          write_element(in, row[j], before + sum[j]);
          before = 0;
        }
      }
    }
  }
}

/// A warp a part: the first of a row of several adds them up. Reads the lists before it waits: the
/// analysis wrote them.
template <class Offset, class Element>
__global__ void flat_close_kernel(const __grid_constant__ FlatInput<Offset, Element> in) {
  const unsigned p = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (p >= *in.part_count) {
    return;
  }
  const FlatPart part = in.parts[p];
  const std::int64_t entries = in.a.row_ptr[part.row + 1] - in.a.row_ptr[part.row];
  const auto count = static_cast<unsigned>(ceil_div(entries, BalancedPolicy::flat_part));
  wait_for_previous_grid();
  if (part.number > 0 || count == 1) {
    return;
  }
  Element sum = 0;
#pragma unroll 4
  for (unsigned q = threadIdx.x % 32; q < count; q += 32) {
    sum += in.partial[p + q];
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(~0U, sum, offset);
  }
  if (threadIdx.x % 32 == 0) {
    write_element(in, part.row, sum);
  }
}

}  // namespace sparserepro::balanced
