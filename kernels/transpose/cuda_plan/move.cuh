// The two passes of cuda_plan over values. Each block takes a tile of consecutive entries, permutes
// it in shared memory by numbers of 16 bits, and writes whole stretches:
//
//   split_kernel   a tile of A, sorted by tiles of A^T; each run goes to its tile of A^T
//   order_kernel   a tile of A^T as it arrived, to the order of A^T
//
//   bytes an entry = (V + 2) + V + (V + 2) + V, V bytes a value
#pragma once

#include <cstdint>

#include "cuda/grid_dependency.cuh"
#include "transpose/cuda_plan/policy.hpp"

namespace sparserepro::value_plan {

/// What a pass reads and writes; passed by value.
template <class Value>
struct Move {
  const Value* from;            ///< [nnz]
  Value* to;                    ///< [nnz]
  const std::uint16_t* places;  ///< [nnz] in the tile
  const unsigned* runs;         ///< [tiles][tiles], of the split
  unsigned nnz, tile, tiles;
};

/// Elements that a thread loads at once.
inline constexpr unsigned batch = 4;

template <class Value>
struct alignas(batch * sizeof(Value) < 16 ? batch * sizeof(Value) : 16) Batch {
  Value value[batch];
};
struct alignas(8) Places {
  std::uint16_t place[batch];
};

/// places[e] of the tile gets element e of the `count` ones from `first` on. The tile is a multiple
/// of `batch`, so that the first element of each is aligned.
template <class Value>
__device__ __forceinline__ void permute(const Move<Value>& in, unsigned first, unsigned count,
                                        Value* tile) {
  const unsigned whole = count / batch;
  const auto* const values = reinterpret_cast<const Batch<Value>*>(in.from + first);
  const auto* const places = reinterpret_cast<const Places*>(in.places + first);
#pragma unroll 4
  for (unsigned b = threadIdx.x; b < whole; b += ValuePlanPolicy::threads) {
    const Places at = places[b];
    const Batch<Value> some = values[b];
#pragma unroll
    for (unsigned e = 0; e < batch; ++e) {
      tile[at.place[e]] = some.value[e];
    }
  }
  if (const unsigned e = whole * batch + threadIdx.x; e < count) {
    tile[in.places[first + e]] = in.from[first + e];
  }
}

/// `group` lanes copy a run at a time.
template <class Value, unsigned group>
__global__ void __launch_bounds__(ValuePlanPolicy::threads)
    split_kernel(const __grid_constant__ Move<Value> in) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const tile = reinterpret_cast<Value*>(memory);
  const unsigned first = blockIdx.x * in.tile, count = min(in.tile, in.nnz - first);
  wait_for_previous_grid();
  let_next_grid_launch();
  permute(in, first, count, tile);
  __syncthreads();
  constexpr unsigned all = ~0U, groups = 32 / group, warps = ValuePlanPolicy::threads / 32;
  const unsigned lane = threadIdx.x % 32, mine = lane / group, member = lane % group;
  const unsigned* const runs = in.runs + std::size_t{blockIdx.x} * in.tiles;
  for (unsigned c = threadIdx.x / 32 * 32; c < in.tiles; c += warps * 32) {
    const unsigned run = c + lane < in.tiles ? runs[c + lane] : 0;
    const unsigned begin = c + lane < in.tiles ? run & 0xffff : count;
    const unsigned following = c + 32 < in.tiles ? runs[c + 32] & 0xffff : count;
    unsigned end = __shfl_down_sync(all, begin, 1);
    end = lane == 31 ? following : end;
#pragma unroll 4
    for (unsigned i = 0; i < group; ++i) {
      const unsigned of = i * groups + mine;
      const unsigned from = __shfl_sync(all, begin, of), until = __shfl_sync(all, end, of);
      const unsigned start = __shfl_sync(all, run >> 16, of);
      Value* const to = in.to + (c + of) * std::size_t{in.tile} + start;
      for (unsigned e = from + member; e < until; e += group) {
        to[e - from] = tile[e];
      }
    }
  }
}

template <class Value>
__global__ void __launch_bounds__(ValuePlanPolicy::threads)
    order_kernel(const __grid_constant__ Move<Value> in) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const tile = reinterpret_cast<Value*>(memory);
  const unsigned first = blockIdx.x * in.tile, count = min(in.tile, in.nnz - first);
  wait_for_previous_grid();
  permute(in, first, count, tile);
  __syncthreads();
  const auto* const ordered = reinterpret_cast<const Batch<Value>*>(tile);
  auto* const to = reinterpret_cast<Batch<Value>*>(in.to + first);
  for (unsigned b = threadIdx.x; b < count / batch; b += ValuePlanPolicy::threads) {
    to[b] = ordered[b];
  }
  if (const unsigned e = count / batch * batch + threadIdx.x; e < count) {
    in.to[first + e] = tile[e];
  }
}

}  // namespace sparserepro::value_plan
