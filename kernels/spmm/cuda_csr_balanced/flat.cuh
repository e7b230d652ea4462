// Path flat: product with one column (K = 1) by tasks of about as many rows and entries each
// (flat_task.hpp). A block takes a task:
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
#include "spmm/cuda_csr_balanced/elements.cuh"
#include "spmm/cuda_csr_balanced/flat_task.hpp"

namespace sparserepro::balanced {

/// Everything the kernel reads; passed by value.
template <class Offset, class Element>
struct FlatInput {
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

/// Writes first_row and sets `arrived` to 0; a thread a task and one more.
template <class Offset>
__global__ void flat_rows_kernel(const Offset* __restrict__ row_ptr, index_t rows, unsigned tasks,
                                 index_t* first_row, unsigned* arrived) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t <= tasks) {
    first_row[t] = t < tasks ? flat_first_row(t, row_ptr, rows) : rows;
  }
  if (t < tasks) {
    arrived[t] = 0;
  }
}

/// y[row] = alpha sum + beta y[row]; y is not read when beta = 0.
template <class Offset, class Element>
__device__ __forceinline__ void write_element(const FlatInput<Offset, Element>& in, index_t row,
                                              SumType<Element> sum) {
  SumType<Element> out[1] = {in.alpha * sum};
  if (in.beta != 0) {
    out[0] = fma(in.beta, element(in.y + row), out[0]);
  }
  store_vector<1>(in.y + row, out);
}

/// Four adjacent values, which are read once: they take no room in L1 and leave L2 first, so that x
/// stays.
template <class Element>
struct FourValues {
  static constexpr int words = sizeof(Element);
  unsigned word[words];

  __device__ __forceinline__ void load(const Element* from, std::uint64_t evict_first) {
    if constexpr (words == 2) {
      asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v2.b32 {%0, %1}, [%2], %3;"
                   : "=r"(word[0]), "=r"(word[1])
                   : "l"(from), "l"(evict_first));
    } else {
#pragma unroll
      for (int w = 0; w < words; w += 4) {
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(word[w]), "=r"(word[w + 1]), "=r"(word[w + 2]), "=r"(word[w + 3])
                     : "l"(reinterpret_cast<const unsigned*>(from) + w), "l"(evict_first));
      }
    }
  }
  __device__ __forceinline__ SumType<Element> get(int i) const {
    if constexpr (words == 8) {
      return __hiloint2double(static_cast<int>(word[2 * i + 1]), static_cast<int>(word[2 * i]));
    } else if constexpr (words == 4) {
      return __uint_as_float(word[i]);
    } else {
      return widen<Element>(static_cast<unsigned short>(word[i / 2] >> (16 * (i % 2))));
    }
  }
};

/// A task in shared memory.
template <class Element>
struct FlatShared {
  using Sum = SumType<Element>;
  static constexpr int threads = BalancedPolicy::flat_threads;
  static constexpr int entries = BalancedPolicy::flat_task + BalancedPolicy::flat_overhang;
  static constexpr int rows = BalancedPolicy::flat_task / BalancedPolicy::row_cost + 1;
  static constexpr int groups = entries / 4 + 2;  ///< of 4 entries that a thread loads
  /// Least entries of a row that a warp adds up.
  static constexpr int long_row = 33;

  alignas(16) Sum values[4 * groups];
  alignas(16) index_t columns[4 * groups];
  int ends[rows + 1];  ///< of the part of a row before, then of each row
  int long_rows[entries / long_row + 2];
  int long_count;

  /// Loads `count` groups of four entries from `first` on, a multiple of 4.
  template <class Offset>
  __device__ __forceinline__ void load(const CsrView<Offset, Element>& a, Offset first, int count) {
    constexpr int most = ceil_div(groups, threads);
    std::uint64_t evict_first;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(evict_first));
    int4 column[most];
    FourValues<Element> value[most];
    const auto group = [](int k) { return static_cast<int>(threadIdx.x) + k * threads; };
    const auto whole = [&](int k) {
      return group(k) < count && a.nnz - (first + 4 * group(k)) >= 4;
    };
#pragma unroll
    for (int k = 0; k < most; ++k) {
      if (whole(k)) {
        const Offset e = first + 4 * group(k);
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(column[k].x), "=r"(column[k].y), "=r"(column[k].z), "=r"(column[k].w)
                     : "l"(a.col_idx + e), "l"(evict_first));
        value[k].load(a.values + e, evict_first);
      }
    }
#pragma unroll
    for (int k = 0; k < most; ++k) {
      if (whole(k)) {
        reinterpret_cast<int4*>(columns)[group(k)] = column[k];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          values[4 * group(k) + i] = value[k].get(i);
        }
      } else if (group(k) < count) {  // the last of the matrix
        for (int i = 0; first + 4 * group(k) + i < a.nnz; ++i) {
          columns[4 * group(k) + i] = a.col_idx[first + 4 * group(k) + i];
          values[4 * group(k) + i] = element(a.values + (first + 4 * group(k) + i));
        }
      }
    }
  }

  /// values[p] *= x[columns[p]] for the `count` entries from `shift` on.
  __device__ __forceinline__ void multiply(int shift, int count, const Element* x) {
    constexpr int batch = 8;
    for (int base = static_cast<int>(threadIdx.x); base < count; base += batch * threads) {
      Vector<1, Element> factor[batch];
      index_t column[batch];
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        column[u] = base + u * threads < count ? columns[shift + base + u * threads] : 0;
      }
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        factor[u] = load_vector<true, 1, Element>(reinterpret_cast<const char*>(x + column[u]),
                                                  base + u * threads < count);
      }
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        if (base + u * threads < count) {
          values[shift + base + u * threads] *= factor[u].get(0);
        }
      }
    }
  }

  /// The sum of the entries p, p + step, ... below `end`: of values times elements of x, or, where
  /// x is null, of products.
  __device__ __forceinline__ Sum sum(int p, int end, int step, const Element* x) const {
    constexpr int batch = 4;
    Sum sum = 0;
    for (; p < end; p += batch * step) {
      Vector<1, Element> factor[batch];
      if (x != nullptr) {
#pragma unroll
        for (int u = 0; u < batch; ++u) {
          const int q = p + u * step;
          factor[u] = load_vector<true, 1, Element>(
              reinterpret_cast<const char*>(x + (q < end ? columns[q] : 0)), q < end);
        }
      }
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        const int q = p + u * step;
        if (q < end) {
          sum = x != nullptr ? fma(values[q], factor[u].get(0), sum) : sum + values[q];
        }
      }
    }
    return sum;
  }
};

/// The sum over teams of `lanes` lanes; all lanes of the warp take part.
template <class Sum>
__device__ __forceinline__ Sum flat_add_lanes(Sum sum, int lanes) {
  for (int offset = 1; offset < lanes; offset *= 2) {
    sum += __shfl_xor_sync(~0U, sum, offset);
  }
  return sum;
}

/// Puts the sum of a part of `row` at open[place]; the warp whose part of the row comes last writes
/// the row. All lanes take part.
template <class Offset, class Element>
__device__ void flat_arrive(const FlatInput<Offset, Element>& in, RowSpan span, index_t row,
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
  all = flat_add_lanes(all, 32);
  if (lane == 0) {
    write_element(in, row, all);
    in.arrived[first] = 0;
  }
}

/// A block a task.
template <class Offset, class Element>
__global__ void __launch_bounds__(FlatShared<Element>::threads, BalancedPolicy::flat_blocks)
    flat_kernel(const __grid_constant__ FlatInput<Offset, Element> in) {
  using Shared = FlatShared<Element>;
  __shared__ Shared shared;
  wait_for_previous_grid();
  let_next_grid_launch();
  const unsigned t = blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const index_t first_row = in.first_row[t];
  const int rows = in.first_row[t + 1] - first_row;
  const auto task =
      FlatTask<Offset>::of(t, first_row, std::int64_t{first_row} + rows, in.a.row_ptr);
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
    uneven |= i > 0 && end - end_at(i - 1) > 2 * mean + BalancedPolicy::flat_even;
  }
  const bool by_entries = __syncthreads_or(static_cast<int>(uneven)) != 0;
  if (by_entries) {
    shared.multiply(shift, count, in.x);
    __syncthreads();
  }
  const auto sum_of = [&](int begin, int end, int step) {
    return shared.sum(shift + begin, shift + end, step, by_entries ? nullptr : in.x);
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
    const auto sum = flat_add_lanes(sum_of(begin + slot, whole ? end : begin, lanes), lanes);
    if (whole && slot == 0) {
      write_element(in, first_row + i, sum);
    }
  }
  __syncthreads();
  // Long rows, a warp each, the part of the row before among them.
  for (int j = warp - (task.begun_before ? 1 : 0); j < shared.long_count;
       j += Shared::threads / 32) {
    const int i = j < 0 ? -1 : shared.long_rows[j];
    const int begin = i < 0 ? 0 : shared.ends[i];
    const auto sum = flat_add_lanes(sum_of(begin + lane, shared.ends[i + 1], 32), 32);
    if (i < 0) {
      flat_arrive(in, task.before, first_row - 1, 2 * std::int64_t{t}, sum);
    } else if (task.goes_on && i == rows - 1) {
      flat_arrive(in, task.last, first_row + i, 2 * std::int64_t{t} + 1, sum);
    } else if (lane == 0) {
      write_element(in, first_row + i, sum);
    }
  }
}

}  // namespace sparserepro::balanced
