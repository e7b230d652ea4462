// Kernels of cuda_csr_balanced: products of rows, of groups of rows with one pattern, and of
// segments of long rows.
//
// A warp is divided into teams of `lanes` x `slots` threads, a team per row or group: lane l holds
// columns of X and Y, slot s takes the entries s, s + slots, ... of the row. Shuffles add up the
// slots in a butterfly, so that matrix and plan alone fix the order of every sum.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/grid_dependency.cuh"
#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "spmm/cuda_csr_balanced/rows/accumulate.cuh"
#include "spmm/cuda_csr_balanced/rows/ahead.cuh"

namespace sparserepro::balanced {

/// Work of blocks `block` and up: places [begin, end) of the order of rows (or groups), a team of
/// lanes << log_slots threads each.
struct Bin {
  unsigned block;
  index_t begin, end;
  int log_slots;
};

inline constexpr int most_bins = 16;

/// Everything the product kernels read; passed by value.
template <class Offset, class Element>
struct ProductInput {
  using Sum = SumType<Element>;
  CsrView<Offset, Element> a;
  const Element* x;
  Element* y;
  unsigned k;
  unsigned column_block;        ///< columns at once
  unsigned first_column_block;  ///< that of blockIdx.y = 0
  Sum alpha, beta;
  int log_lanes, combine_log_lanes;
  int segment;                   ///< longer rows are cut into segments of so many entries
  unsigned segments;             ///< in all
  bool block_segments;           ///< longer rows are a block's instead, a segment each
  unsigned segment_blocks;       ///< blocks of segments, before those of the bins
  const index_t* segment_row;    ///< [segments]
  const index_t* first_segment;  ///< [rows], of long rows only
  Sum* partial;                  ///< [segments * k] sums of the segments
  Ahead ahead;
  int bins;
  Bin bin[most_bins];
  const index_t* order;  ///< rows of the bins, or first rows of the groups; null: all rows

  /// Whether combine_kernel adds up segments.
  __host__ __device__ bool combines() const { return segments > 0 && !block_segments; }
};

/// Calls `queue(column_blocks)` for all blocks of `columns` columns, at most 65535 at once.
template <class Offset, class Element, class Queue>
void for_column_blocks(ProductInput<Offset, Element>& in, unsigned columns, const Queue& queue) {
  const unsigned all = ceil_div(in.k, columns);
  unsigned& first = in.first_column_block;
  for (first = 0; first < all; first += 65535U) {
    queue(std::min(all - first, 65535U));
  }
  first = 0;
}

/// Adds up the slots; all lanes of the warp take part, and all slots get the sum.
template <int Width, int Loads, int Rows, class Sum>
__device__ __forceinline__ void add_slots(int log_lanes, int log_slots,
                                          Sums<Width, Loads, Rows, Sum>& sums) {
  for (int offset = 1 << log_lanes; offset < 1 << (log_lanes + log_slots); offset *= 2) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int e = 0; e < Loads * Width; ++e) {
        sums.of[r][e] += __shfl_xor_sync(~0U, sums.of[r][e], offset);
      }
    }
  }
}

/// Adds the sums of the warps of a block to those of the first; `block_sums` has room for those of
/// the others, by lane.
template <int Width, int Loads, class Sum>
__device__ __forceinline__ void add_warps(unsigned warp, unsigned warps,
                                          Sums<Width, Loads, 1, Sum>& sums) {
  extern __shared__ double block_sums[];
  Sum* const of_lane = reinterpret_cast<Sum*>(block_sums) + threadIdx.x % 32;
#pragma unroll
  for (int e = 0; e < Loads * Width && warp > 0; ++e) {
    of_lane[((warp - 1) * Loads * Width + e) * 32] = sums.of[0][e];
  }
  __syncthreads();
  for (unsigned w = 0; w + 1 < warps && warp == 0; ++w) {
#pragma unroll
    for (int e = 0; e < Loads * Width; ++e) {
      sums.of[0][e] += of_lane[(w * Loads * Width + e) * 32];
    }
  }
}

/// to[c] = alpha sum + beta to[c]; `to` is not read when beta = 0.
template <int Width, int Loads, class Element>
__device__ __forceinline__ void write_row(Element* to, Columns columns, SumType<Element> alpha,
                                          SumType<Element> beta,
                                          const SumType<Element> (&sum)[Loads * Width]) {
#pragma unroll
  for (int load = 0; load < Loads; ++load) {
    if (!columns.active(load)) {
      continue;
    }
    SumType<Element> out[Width];
    Element* const at = to + columns.at(load);
#pragma unroll
    for (int e = 0; e < Width; ++e) {
      out[e] = alpha * sum[load * Width + e];
      if (beta != 0) {
        out[e] = fma(beta, element(at + e), out[e]);
      }
    }
    store_vector<Width>(at, out);
  }
}

/// The sum of segment `blockIdx.x * warps + warp`, all slots of the warp on it; Y of the row of
/// segment `blockIdx.x`, all warps on it, if blocks take long rows.
template <int Width, int Loads, int Batch, class Offset, class Element>
__device__ __forceinline__ void segment_product(const ProductInput<Offset, Element>& in,
                                                Columns columns) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32;
  const unsigned s = in.block_segments ? blockIdx.x : blockIdx.x * warps + warp;
  if (s >= in.segments) {
    return;
  }
  const index_t row = in.segment_row[s];
  Offset begin = in.a.row_ptr[row];
  const Offset end = in.a.row_ptr[row + 1];
  int slot = lane >> in.log_lanes, slots = 32 >> in.log_lanes;
  if (in.block_segments) {
    slot += static_cast<int>(warp) * slots;
    slots *= static_cast<int>(warps);
  } else {
    begin += static_cast<Offset>(static_cast<index_t>(s) - in.first_segment[row]) * in.segment;
  }
  const Offset left = end - begin;
  const int length = in.block_segments || left < in.segment ? static_cast<int>(left) : in.segment;
  const Element* const values[1] = {in.a.values + begin};
  Sums<Width, Loads, 1, SumType<Element>> sums{};
  accumulate<Width, Loads, 1, Batch>(in.a.col_idx + begin, values, length, slot, slots, in.x,
                                     columns, sums);
  add_slots(in.log_lanes, 5 - in.log_lanes, sums);
  if (in.block_segments) {
    add_warps(warp, warps, sums);
    if (slot == 0) {
      write_row<Width, Loads>(in.y + std::int64_t{row} * in.k, columns, in.alpha, in.beta,
                              sums.of[0]);
    }
  } else if (slot == 0) {
    write_row<Width, Loads>(in.partial + std::int64_t{s} * in.k, columns, 1, 0, sums.of[0]);
  }
}

/// Blocks of segments first, then those of the bins; blockIdx.y counts column blocks.
template <int Width, int Loads, int Rows, int Batch, class Offset, class Element>
__global__ void __launch_bounds__(BalancedPolicy::threads,
                                  BalancedPolicy::resident_blocks(Rows, Loads, Batch))
    product_kernel(const __grid_constant__ ProductInput<Offset, Element> in) {
  wait_for_previous_grid();
  let_next_grid_launch(in.combines());
  const int lane = static_cast<int>(threadIdx.x % 32);
  const unsigned lanes = 1U << in.log_lanes;
  const Columns columns{(in.first_column_block + blockIdx.y) * in.column_block +
                            static_cast<unsigned>(lane) % lanes * Width,
                        lanes * Width, in.k};
  if (blockIdx.x < in.segment_blocks) {
    segment_product<Width, Loads, Batch>(in, columns);
    return;
  }
  int b = 0;
  while (b + 1 < in.bins && blockIdx.x >= in.bin[b + 1].block) {
    ++b;
  }
  const Bin bin = in.bin[b];
  const int log_team = in.log_lanes + bin.log_slots;
  const std::int64_t place =
      bin.begin + ((std::int64_t{blockIdx.x - bin.block} * blockDim.x + threadIdx.x) >> log_team);
  const int slots = 1 << bin.log_slots;
  const int slot = (lane >> in.log_lanes) & (slots - 1);
  index_t row = 0;
  int length = 0, rows = 0;
  Offset begin = 0;
  if (place < bin.end) {
    row = in.order == nullptr ? static_cast<index_t>(place) : in.order[place];
    rows = Rows == 1 ? 1 : in.order[place + 1] - row;
    begin = in.a.row_ptr[row];
    const Offset all = in.a.row_ptr[row + 1] - begin;
    if (all > in.segment) {
      rows = 0;
    } else {
      length = static_cast<int>(all);
    }
  }
  if (in.ahead.entries > 0 && threadIdx.x == 0) {
    fetch_ahead(in.a, in.ahead, row, begin);
  }
  const Element* values[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    values[r] = in.a.values + begin + (r < rows ? r * length : 0);
  }
  Sums<Width, Loads, Rows, SumType<Element>> sums{};
  accumulate<Width, Loads, Rows, Batch>(in.a.col_idx + begin, values, length, slot, slots, in.x,
                                        columns, sums);
  add_slots(in.log_lanes, bin.log_slots, sums);
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    if (r < rows && slot == (r & (slots - 1))) {
      write_row<Width, Loads>(in.y + std::int64_t{row + r} * in.k, columns, in.alpha, in.beta,
                              sums.of[r]);
    }
  }
}

/// Rows of Y that belong to long rows, from the sums of their segments: a warp per segment, of
/// which those of first segments work, each on 1 << combine_log_lanes columns; blockIdx.y counts
/// blocks of so many. Reads the lists of segments before it waits: the analysis wrote them, and the
/// kernel before let this one launch only after its own wait.
template <class Offset, class Element>
__global__ void combine_kernel(const __grid_constant__ ProductInput<Offset, Element> in) {
  constexpr int unroll = 8;
  const int lanes = 1 << in.combine_log_lanes, slots = 32 >> in.combine_log_lanes;
  const unsigned s = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (s >= in.segments) {
    return;
  }
  const index_t row = in.segment_row[s];
  if (in.first_segment[row] != static_cast<index_t>(s)) {
    return;
  }
  const Offset entries = in.a.row_ptr[row + 1] - in.a.row_ptr[row];
  const auto count = static_cast<int>((entries + in.segment - 1) / in.segment);
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const int slot = static_cast<int>(threadIdx.x % 32) >> in.combine_log_lanes;
  const unsigned column =
      ((in.first_column_block + blockIdx.y) << in.combine_log_lanes) + static_cast<unsigned>(lane);
  const SumType<Element>* const from = in.partial + std::int64_t{s} * in.k + min(column, in.k - 1);
  Sums<1, 1, 1, SumType<Element>> sums{};
  wait_for_previous_grid();
  for (int first = slot; first < count; first += unroll * slots) {
    SumType<Element> part[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const int q = first + u * slots;
      part[u] = q < count ? __ldcg(from + std::int64_t{q} * in.k) : 0;
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      sums.of[0][0] += part[u];
    }
  }
  add_slots(in.combine_log_lanes, 5 - in.combine_log_lanes, sums);
  if (slot == 0) {
    write_row<1, 1>(in.y + std::int64_t{row} * in.k, {column, 0, in.k}, in.alpha, in.beta,
                    sums.of[0]);
  }
}

}  // namespace sparserepro::balanced
