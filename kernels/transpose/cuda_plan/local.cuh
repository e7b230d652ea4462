// The one pass of cuda_plan where every tile of A^T comes from a short window of A, as in bands:
// the window goes to shared memory, and its entries are picked by places of 16 bits.
//
//   window_kernel   begins[c]: first entry of A that tile c takes, rounded down; the widest window
//   pick_kernel     to_pick[q] = entry of A - begins[c], where the widest window fits
//   local_kernel    moves values, where it fits
//
//   bytes an entry = V + 2 + V, V bytes a value, and what windows share
#pragma once

#include <cstdint>
#include <cub/block/block_reduce.cuh>

#include "transpose/cuda_plan/move.cuh"

namespace sparserepro::value_plan {

inline constexpr int window_threads = 256;

/// Tiles of A^T and their windows.
struct Windows {
  unsigned tile, tiles;   ///< entries of a tile; tiles of A^T
  unsigned* begins;       ///< [tiles] multiples of 8
  std::uint16_t* places;  ///< [nnz]
  Way way;
};

/// A block for each tile.
static __global__ void __launch_bounds__(window_threads)
    window_kernel(const unsigned* source, unsigned nnz, Windows in) {
  using Reduce = cub::BlockReduce<unsigned, window_threads>;
  __shared__ typename Reduce::TempStorage least_storage, largest_storage;
  const unsigned first = blockIdx.x * in.tile, last = min(first + in.tile, nnz);
  unsigned least = ~0U, largest = 0;
  for (unsigned q = first + threadIdx.x; q < last; q += window_threads) {
    least = min(least, source[q]);
    largest = max(largest, source[q]);
  }
  least = Reduce(least_storage).Reduce(least, [](unsigned a, unsigned b) { return min(a, b); });
  largest =
      Reduce(largest_storage).Reduce(largest, [](unsigned a, unsigned b) { return max(a, b); });
  if (threadIdx.x == 0) {
    in.begins[blockIdx.x] = least / 8 * 8;
    atomicMax(in.way.widest, largest - least / 8 * 8 + 1);
  }
}

/// A block for each tile.
static __global__ void __launch_bounds__(window_threads)
    pick_kernel(const unsigned* source, unsigned nnz, Windows in) {
  if (!in.way.local()) {
    return;
  }
  const unsigned first = blockIdx.x * in.tile, last = min(first + in.tile, nnz);
  const unsigned begin = in.begins[blockIdx.x];
  for (unsigned q = first + threadIdx.x; q < last; q += window_threads) {
    in.places[q] = static_cast<std::uint16_t>(source[q] - begin);
  }
}

/// Blocks take tiles in turn; dynamic shared memory: a window.
template <class Value>
__global__ void __launch_bounds__(ValuePlanPolicy::threads, 2)
    local_kernel(const Value* __restrict__ from, Value* __restrict__ to, unsigned nnz,
                 const __grid_constant__ Windows in) {
  constexpr unsigned batch = 16 / sizeof(Value), threads = ValuePlanPolicy::threads;
  using Places = typename Load<2 * batch>::Type;
  extern __shared__ __align__(16) unsigned char memory[];
  let_next_grid_launch();
  if (!in.way.local()) {
    return;
  }
  auto* const window = reinterpret_cast<Value*>(memory);
  for (unsigned c = blockIdx.x; c < in.tiles; c += gridDim.x) {
    const unsigned first = c * in.tile, count = min(in.tile, nnz - first);
    const unsigned begin = in.begins[c], entries = min(*in.way.widest, nnz - begin);
    const auto* const values = reinterpret_cast<const uint4*>(from + begin);
#pragma unroll 4
    for (unsigned b = threadIdx.x; b < entries / batch; b += threads) {
      reinterpret_cast<uint4*>(memory)[b] = values[b];
    }
    if (const unsigned e = entries / batch * batch + threadIdx.x; e < entries) {
      window[e] = from[begin + e];
    }
    __syncthreads();
    const auto* const places = reinterpret_cast<const Places*>(in.places + first);
    for (unsigned b = threadIdx.x; b < count / batch; b += threads) {
      const Places at = __ldcs(places + b);
      std::uint16_t place[batch];
      Value value[batch];
      memcpy(place, &at, sizeof at);
#pragma unroll
      for (unsigned e = 0; e < batch; ++e) {
        value[e] = window[place[e]];
      }
      uint4 whole;
      memcpy(&whole, value, sizeof whole);
      __stcs(reinterpret_cast<uint4*>(to + first) + b, whole);
    }
    if (const unsigned e = count / batch * batch + threadIdx.x; e < count) {
      to[first + e] = window[in.places[first + e]];
    }
    __syncthreads();
  }
}

}  // namespace sparserepro::value_plan
