// Paths packed and staged: rows as they are, a slot each, with just the lanes that K needs. The
// threads of successive rows lie side by side, across warps: none idles because K is no power of
// two. All entries of a batch are guarded, so that rows of any length take the same instructions.
#pragma once

#include "spmm/cuda_csr_balanced/product.cuh"

namespace sparserepro::balanced {

template <class Offset, class Element>
struct PackedInput {
  ProductInput<Offset, Element> product;
  unsigned lanes;    ///< of a row, a load each
  unsigned rows;     ///< of a block, side by side
  unsigned inverse;  ///< t / lanes = t inverse / 2^16 for the threads of a block
};

/// Blocks of segments first, as in product_kernel, then those of the rows.
template <int Width, int Batch, class Offset, class Element>
__global__ void __launch_bounds__(BalancedPolicy::most_packed_threads,
                                  BalancedPolicy::packed_blocks(Width * sizeof(Element), Batch))
    packed_kernel(const __grid_constant__ PackedInput<Offset, Element> all) {
  const ProductInput<Offset, Element>& in = all.product;
  wait_for_previous_grid();
  let_next_grid_launch();
  if (blockIdx.x < in.segment_blocks) {
    const unsigned lanes = 1U << in.log_lanes;
    segment_product<Width, 1, BalancedPolicy::unroll(1, 1)>(
        in, {threadIdx.x % lanes * Width, lanes * Width, in.k});
    return;
  }
  const unsigned of_block = threadIdx.x * all.inverse >> 16;
  const unsigned row = (blockIdx.x - in.segment_blocks) * all.rows + of_block;
  if (of_block >= all.rows || row >= static_cast<unsigned>(in.a.rows)) {
    return;
  }
  const Offset begin = in.a.row_ptr[row];
  const Offset length = in.a.row_ptr[row + 1] - begin;
  if (in.ahead.entries > 0 && threadIdx.x == 0) {
    fetch_ahead(in.a, in.ahead, static_cast<index_t>(row), begin);
  }
  if (length > in.segment) {
    return;
  }
  const Columns columns{(threadIdx.x - of_block * all.lanes) * Width, all.lanes * Width, in.k};
  const char* x[1] = {reinterpret_cast<const char*>(in.x) + columns.byte<Element>(0, Width)};
  keep_whole(x[0]);
  const index_t* cols = in.a.col_idx + begin;
  const Element* values[1] = {in.a.values + begin};
  Sums<Width, 1, 1, SumType<Element>> sums{};
#pragma unroll 1
  for (auto left = static_cast<int>(length); left > 0; left -= Batch) {
    accumulate_batch<true, Batch, false, 2>(cols, values, 0, 1, left, x,
                                            in.k * static_cast<unsigned>(sizeof(Element)), sums);
    cols += Batch;
    values[0] += Batch;
  }
  write_row<Width, 1>(in.y + std::int64_t{row} * in.k, columns, in.alpha, in.beta, sums.of[0]);
}

/// Path staged: as packed_kernel, with the entries of a block in shared memory, `staged_entries` at
/// once, where whole lines of A bring them: from each row's own loads they are more requests to L2
/// than the rows of X. It takes a row of any length whole.
template <int Width, class Offset, class Element>
__global__ void __launch_bounds__(BalancedPolicy::threads, BalancedPolicy::staged_blocks)
    staged_kernel(const __grid_constant__ PackedInput<Offset, Element> all) {
  using Sum = SumType<Element>;
  constexpr int batch = 4, loads = 4, threads = BalancedPolicy::threads;
  constexpr int at_once = BalancedPolicy::staged_entries;
  static_assert(at_once == loads * threads);
  __shared__ Raw<Element> values[at_once + batch];
  __shared__ index_t cols[at_once + batch];  // of the last batch some are no one's
  const ProductInput<Offset, Element>& in = all.product;
  wait_for_previous_grid();
  let_next_grid_launch();
  const int thread = static_cast<int>(threadIdx.x);
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
  Sums<Width, 1, 1, Sum> sums{};
  for (Offset base = block_begin; base < block_end; base += at_once) {
    if (base > block_begin) {
      __syncthreads();  // all have read what was there
    }
    index_t col[loads];
    Raw<Element> value[loads];
#pragma unroll
    for (int j = 0; j < loads; ++j) {
      const int e = j * threads + thread;
      col[j] = load_once(in.a.col_idx + base + e, e < block_end - base);
      value[j] = load_once(reinterpret_cast<const Raw<Element>*>(in.a.values) + base + e,
                           e < block_end - base);
    }
#pragma unroll
    for (int j = 0; j < loads; ++j) {
      cols[j * threads + thread] = col[j];
      values[j * threads + thread] = value[j];
    }
    __syncthreads();
    const auto here = [&](Offset e) {
      return static_cast<int>(min(max(e - base, Offset{0}), Offset{at_once}));
    };
    const int to = here(end);
#pragma unroll 1
    for (int q = here(begin); q < to; q += batch) {
      Vector<Width, Element> gathered[batch];
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        if (q + u < to) {
          gathered[u] = load_vector<false, Width, Element>(
              x + std::uint64_t{static_cast<unsigned>(cols[q + u])} * row_bytes, true);
        } else {
          gathered[u] = {};
        }
      }
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        const Sum factor = q + u < to ? widen<Element>(values[q + u]) : Sum{};
#pragma unroll
        for (int e = 0; e < Width; ++e) {
          sums.of[0][e] = fma(factor, gathered[u].get(e), sums.of[0][e]);
        }
      }
    }
  }
  if (has_row) {
    write_row<Width, 1>(in.y + row * in.k, columns, in.alpha, in.beta, sums.of[0]);
  }
}

}  // namespace sparserepro::balanced
