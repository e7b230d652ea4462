// Natural order where each row has one slot: no other thread has a part of a sum, and the places of
// the entries of a batch are constants, which takes fewer instructions than product_kernel.
#pragma once

#include "spmm/cuda_csr_balanced/rows/product.cuh"

namespace sparserepro::balanced {

/// Blocks of segments first, as in product_kernel, then those of the rows; blockIdx.y counts column
/// blocks. `Whole`: a warp takes a row, and blocks have all of their columns.
template <int Width, int Loads, int Batch, bool Whole, class Offset, class Element>
__global__ void __launch_bounds__(BalancedPolicy::threads,
                                  BalancedPolicy::resident_blocks(1, Loads, Batch))
    row_kernel(const __grid_constant__ ProductInput<Offset, Element> in) {
  wait_for_previous_grid();
  let_next_grid_launch(in.combines());
  const unsigned lanes = 1U << in.log_lanes;
  const Columns columns{
      (in.first_column_block + blockIdx.y) * in.column_block + threadIdx.x % lanes * Width,
      lanes * Width, in.k};
  if (blockIdx.x < in.segment_blocks) {
    segment_product<Width, Loads, Batch>(in, columns);
    return;
  }
  const unsigned of_block = threadIdx.x >> in.log_lanes;
  const std::int64_t row =
      std::int64_t{blockIdx.x - in.segment_blocks} * (blockDim.x >> in.log_lanes) + of_block;
  if (row >= in.a.rows) {
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
  const Element* const values[1] = {in.a.values + begin};
  Sums<Width, Loads, 1, SumType<Element>> sums{};
  accumulate<Width, Loads, 1, Batch, Whole ? 32 * Width : 0>(
      in.a.col_idx + begin, values, static_cast<int>(length), 0, 1, in.x, columns, sums);
  write_row<Width, Loads>(in.y + row * in.k, columns, in.alpha, in.beta, sums.of[0]);
}

/// Of `k` columns.
template <int Width, class Offset, class Element>
auto chosen_row_kernel(const BalancedPlan& plan, std::int64_t k) {
  constexpr int one = BalancedPolicy::unroll(1, 1), two = BalancedPolicy::unroll(1, 2);
  constexpr int three = BalancedPolicy::unroll(1, 3);
  constexpr auto odd = BalancedPolicy::batch_of_odd;
  if constexpr (Width == 1) {
    switch (plan.loads) {
      case 5:
        return row_kernel<1, 5, odd(5), false, Offset, Element>;
      case 6:
        return row_kernel<1, 6, odd(6), false, Offset, Element>;
      case 7:
        return row_kernel<1, 7, odd(7), false, Offset, Element>;
      case BalancedPolicy::most_odd_loads:
        if constexpr (sizeof(Element) < 8) {
          return row_kernel<1, 8, odd(8), false, Offset, Element>;
        }
        break;
      default:
        break;
    }
  }
  if (plan.loads != 2) {
    return plan.loads == 1 ? row_kernel<Width, 1, one, false, Offset, Element>
                           : row_kernel<Width, 3, three, false, Offset, Element>;
  }
  if constexpr (Width == 1) {
    if (k >= BalancedPolicy::odd_batch_from) {
      return row_kernel<1, 2, BalancedPolicy::odd_batch, false, Offset, Element>;
    }
  } else if (plan.log_lanes == 5 && k % plan.column_block == 0) {
    return plan.batch == 2 ? row_kernel<Width, 2, 2, true, Offset, Element>
                           : row_kernel<Width, 2, two, true, Offset, Element>;
  }
  return plan.batch == 2 ? row_kernel<Width, 2, 2, false, Offset, Element>
                         : row_kernel<Width, 2, two, false, Offset, Element>;
}

}  // namespace sparserepro::balanced
