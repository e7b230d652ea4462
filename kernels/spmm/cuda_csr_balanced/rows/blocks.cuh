// Path blocks: a block takes a row, for rows that are few and long. Teams of lanes across the
// columns of X take its entries in turn; their sums are added up through shared memory.
//
// All blocks go through their rows from the first column to the last at about the same pace, so
// that rows of X are used again while they lie in L2, also where X exceeds it.
#pragma once

#include "cuda/launch.hpp"
#include "spmm/cuda_csr_balanced/rows/staged.cuh"

namespace sparserepro::balanced {

template <class Offset, class Element>
struct BlocksInput {
  ProductInput<Offset, Element> product;
  unsigned lanes, teams;  ///< of a block
  unsigned inverse;       ///< t / lanes = t inverse / 2^16 for the threads of a block
};

/// Bytes of shared memory of a block of `threads` threads.
template <int Width, bool Staged, class Element>
constexpr std::size_t blocks_bytes(std::size_t threads) {
  const std::size_t sums = threads * (Width + 1) * sizeof(SumType<Element>);
  const std::size_t entries =
      threads * BalancedPolicy::row_loads * (sizeof(Element) + sizeof(index_t));
  return Staged && entries > sums ? entries : sums;
}

/// Adds the sums of all teams of a block to those of the first; `all` has room for those of all
/// threads. Many teams: a warp adds up a column; few: in pairs of teams.
template <int Width, class Sum>
__device__ __forceinline__ void add_teams(unsigned lanes, unsigned teams, bool on, unsigned team,
                                          unsigned lane, Sums<Width, 1, 1, Sum>& sums, Sum* all) {
  const unsigned columns = lanes * Width;
  const unsigned pitch = columns | 1;  // in other banks for each team
  Sum* const own = all + team * pitch + lane * Width;
  const auto put = [&] {
#pragma unroll
    for (int e = 0; e < Width && on; ++e) {
      own[e] = sums.of[0][e];
    }
  };
  put();
  if (teams > 32) {
    __syncthreads();
    for (unsigned c = threadIdx.x / 32; c < columns; c += blockDim.x / 32) {
      Sum sum = 0;
      for (unsigned t = threadIdx.x % 32; t < teams; t += 32) {
        sum += all[t * pitch + c];
      }
      for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(~0U, sum, offset);
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) {
        all[c] = sum;  // no other warp reads this column
      }
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < Width; ++e) {
      sums.of[0][e] = own[e];
    }
    return;
  }
  while (teams > 1) {
    const unsigned half = (teams + 1) / 2;
    __syncthreads();
    if (on && team + half < teams) {
#pragma unroll
      for (int e = 0; e < Width; ++e) {
        sums.of[0][e] += own[half * pitch + e];
      }
      put();
    }
    teams = half;
  }
}

/// A block a row, blockIdx.y counts column blocks. `Staged`: entries go through shared memory, as
/// several lanes need each.
template <int Width, bool Staged, class Offset, class Element>
__global__ void __launch_bounds__(BalancedPolicy::most_row_threads,
                                  BalancedPolicy::row_threads_at_once /
                                      BalancedPolicy::most_row_threads)
    blocks_kernel(const __grid_constant__ BlocksInput<Offset, Element> all) {
  using Sum = SumType<Element>;
  constexpr int batch = BalancedPolicy::row_batch(Width * sizeof(Element));
  extern __shared__ double shared[];
  const ProductInput<Offset, Element>& in = all.product;
  wait_for_previous_grid();
  const auto threads = static_cast<int>(blockDim.x);
  const unsigned place = threadIdx.x * all.inverse >> 16;
  const bool on = place < all.teams;
  const unsigned team = on ? place : 0, lane = on ? threadIdx.x - team * all.lanes : 0;
  const Columns columns{((in.first_column_block + blockIdx.y) * all.lanes + lane) * Width,
                        all.lanes * Width, in.k};
  const char* const x = reinterpret_cast<const char*>(in.x) + columns.byte<Element>(0, Width);
  const unsigned row_bytes = in.k * static_cast<unsigned>(sizeof(Element));
  const Offset begin = in.a.row_ptr[blockIdx.x], end = in.a.row_ptr[blockIdx.x + 1];
  Sums<Width, 1, 1, Sum> sums{};
  if constexpr (Staged) {
    const int at_once = BalancedPolicy::row_loads * threads;
    auto* const values = reinterpret_cast<Raw<Element>*>(shared);
    auto* const cols = reinterpret_cast<index_t*>(values + at_once);
    for (Offset base = begin; base < end; base += at_once) {
      stage_entries<BalancedPolicy::row_loads>(in.a, base, end, threads, cols, values);
      if (on) {
        accumulate_staged<Width, batch, Element>(
            cols, values, static_cast<int>(team), static_cast<int>(all.teams),
            static_cast<int>(min(end - base, Offset{at_once})), x, row_bytes, sums);
      }
      __syncthreads();  // all have read what is there
    }
  } else if (on) {
    const Element* const values[1] = {in.a.values + begin};
    accumulate<Width, 1, 1, batch>(in.a.col_idx + begin, values, static_cast<int>(end - begin),
                                   static_cast<int>(team), static_cast<int>(all.teams), in.x,
                                   columns, sums);
  }
  add_teams(all.lanes, all.teams, on, team, lane, sums, reinterpret_cast<Sum*>(shared));
  if (on && team == 0) {
    write_row<Width, 1>(in.y + std::int64_t{blockIdx.x} * in.k, columns, in.alpha, in.beta,
                        sums.of[0]);
  }
}

/// Queues the product.
template <int Width, class Offset, class Element>
void launch_blocks(const ProductInput<Offset, Element>& in, const RowBlock& block,
                   cudaStream_t stream) {
  BlocksInput<Offset, Element> all{in, block.lanes, block.threads / block.lanes,
                                   ceil_div(65536U, block.lanes)};
  const bool staged = block.lanes > 1;
  for_column_blocks(all.product, block.lanes * Width, [&](unsigned column_blocks) {
    queue_kernel(all.product.first_column_block == 0 ? Begins::after_previous : Begins::early,
                 staged ? blocks_kernel<Width, true, Offset, Element>
                        : blocks_kernel<Width, false, Offset, Element>,
                 dim3(static_cast<unsigned>(in.a.rows), column_blocks), block.threads, stream, all,
                 staged ? blocks_bytes<Width, true, Element>(block.threads)
                        : blocks_bytes<Width, false, Element>(block.threads));
  });
}

}  // namespace sparserepro::balanced
