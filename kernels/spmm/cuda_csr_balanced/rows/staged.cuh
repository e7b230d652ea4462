// Paths staged and blocks: blocks copy entries to shared memory by whole lines. From each row's own
// loads they would be more requests to L2 than the rows of X.
#pragma once

#include "spmm/cuda_csr_balanced/rows/packed.cuh"

namespace sparserepro::balanced {

/// Copies entries [base, min(end, base + Loads * threads)) to shared memory; then all threads of
/// the block may read them.
template <int Loads, class Offset, class Element>
__device__ __forceinline__ void stage_entries(const CsrView<Offset, Element>& a, Offset base,
                                              Offset end, int threads, index_t* cols,
                                              Raw<Element>* values) {
  index_t col[Loads];
  Raw<Element> value[Loads];
#pragma unroll
  for (int j = 0; j < Loads; ++j) {
    const int e = j * threads + static_cast<int>(threadIdx.x);
    col[j] = load_once(a.col_idx + base + e, e < end - base);
    value[j] =
        load_once(reinterpret_cast<const Raw<Element>*>(a.values) + base + e, e < end - base);
  }
#pragma unroll
  for (int j = 0; j < Loads; ++j) {
    cols[j * threads + threadIdx.x] = col[j];
    values[j * threads + threadIdx.x] = value[j];
  }
  __syncthreads();
}

/// Adds the entries q, q + step, ... below `to` of those in shared memory, `Batch` at once.
template <int Width, int Batch, class Element>
__device__ __forceinline__ void accumulate_staged(const index_t* cols, const Raw<Element>* values,
                                                  int q, int step, int to, const char* x,
                                                  unsigned row_bytes,
                                                  Sums<Width, 1, 1, SumType<Element>>& sums) {
#pragma unroll 1
  for (; q < to; q += Batch * step) {
    Vector<Width, Element> gathered[Batch];
#pragma unroll
    for (int u = 0; u < Batch; ++u) {
      const int p = q + u * step;
      if (p < to) {
        gathered[u] = load_vector<false, Width, Element>(
            x + std::uint64_t{static_cast<unsigned>(cols[p])} * row_bytes, true);
      } else {
        gathered[u] = {};
      }
    }
#pragma unroll
    for (int u = 0; u < Batch; ++u) {
      const int p = q + u * step;
      const SumType<Element> factor = p < to ? widen<Element>(values[p]) : SumType<Element>{};
#pragma unroll
      for (int e = 0; e < Width; ++e) {
        sums.of[0][e] = fma(factor, gathered[u].get(e), sums.of[0][e]);
      }
    }
  }
}

/// Path staged: as packed_kernel, with the entries of a block in shared memory, `staged_entries` at
/// once. It takes a row of any length whole.
template <int Width, class Offset, class Element>
__global__ void __launch_bounds__(BalancedPolicy::threads, BalancedPolicy::staged_blocks)
    staged_kernel(const __grid_constant__ PackedInput<Offset, Element> all) {
  constexpr int threads = BalancedPolicy::threads, at_once = BalancedPolicy::staged_entries;
  __shared__ Raw<Element> values[at_once];
  __shared__ index_t cols[at_once];
  const ProductInput<Offset, Element>& in = all.product;
  wait_for_previous_grid();
  const unsigned of_block = threadIdx.x * all.inverse >> 16;
  const std::int64_t first = std::int64_t{blockIdx.x} * all.rows, row = first + of_block;
  const bool has_row = of_block < all.rows && row < in.a.rows;
  const Offset block_begin = in.a.row_ptr[first];
  const Offset block_end = in.a.row_ptr[min(first + all.rows, std::int64_t{in.a.rows})];
  const Offset begin = has_row ? in.a.row_ptr[row] : block_end;
  const Offset end = has_row ? in.a.row_ptr[row + 1] : block_end;
  const Columns columns{(threadIdx.x - of_block * all.lanes) * Width, all.lanes * Width, in.k};
  const char* const x = reinterpret_cast<const char*>(in.x) + columns.byte<Element>(0, Width);
  const unsigned row_bytes = in.k * static_cast<unsigned>(sizeof(Element));
  Sums<Width, 1, 1, SumType<Element>> sums{};
  for (Offset base = block_begin; base < block_end; base += at_once) {
    if (base > block_begin) {
      __syncthreads();  // all have read what was there
    }
    stage_entries<at_once / threads>(in.a, base, block_end, threads, cols, values);
    const auto here = [&](Offset e) {
      return static_cast<int>(min(max(e - base, Offset{0}), Offset{at_once}));
    };
    accumulate_staged<Width, 4, Element>(cols, values, here(begin), 1, here(end), x, row_bytes,
                                         sums);
  }
  if (has_row) {
    write_row<Width, 1>(in.y + row * in.k, columns, in.alpha, in.beta, sums.of[0]);
  }
}

}  // namespace sparserepro::balanced
