// Path packed: rows as they are, a slot each, with just the lanes that K needs. The threads of
// successive rows lie side by side, across warps: none idles because K is no power of two. All
// entries of a batch are guarded, so that rows of any length take the same instructions.
#pragma once

#include "spmm/cuda_csr_balanced/rows/product.cuh"

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
  let_next_grid_launch(in.combines());
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

}  // namespace sparserepro::balanced
