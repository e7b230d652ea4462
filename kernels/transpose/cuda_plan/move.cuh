// The two passes of cuda_plan over values. Each block takes a tile of consecutive entries, permutes
// it in shared memory by numbers of 16 bits, and writes whole stretches:
//
//   split_kernel   a tile of A, sorted by tiles of A^T; each run goes to its tile of A^T
//   order_kernel   a tile of A^T as it arrived, to the order of A^T
//
//   bytes an entry = (V + 2) + V + (V + 2) + V, V bytes a value
//
// What is read for the last time, and the answer, are marked to leave the L2 cache first, so that
// the values between the passes stay there.
#pragma once

#include <cstdint>
#include <cstring>

#include "cuda/grid_dependency.cuh"
#include "transpose/cuda_plan/policy.hpp"

namespace sparserepro::value_plan {

/// Which way moves the values. The analysis writes the entries of the widest window of A that a
/// tile of A^T takes, and the sectors of A that samples of A^T take.
struct Way {
  unsigned* widest;       ///< [1]
  unsigned most_window;   ///< entries that shared memory holds; 0 where one pass is ruled out
  unsigned* sectors;      ///< [1]
  unsigned most_sectors;  ///< from so many on two passes
  __device__ bool local() const { return *widest <= most_window; }
  __device__ bool gather() const { return !local() && *sectors < most_sectors; }
  __device__ bool two_passes() const { return !local() && *sectors >= most_sectors; }
};

/// What a pass reads and writes; passed by value.
template <class Value>
struct Move {
  const Value* from;            ///< [nnz]
  Value* to;                    ///< [nnz]
  const std::uint16_t* places;  ///< [nnz] in the tile
  const unsigned* runs;         ///< [tiles][tiles], of the split
  unsigned nnz, tile, tiles;
  Way way;  ///< nothing is done where it is another
};

/// As many bytes as a thread loads at once.
template <std::size_t bytes>
struct Load;
template <>
struct Load<4> {
  using Type = unsigned;
};
template <>
struct Load<8> {
  using Type = uint2;
};
template <>
struct Load<16> {
  using Type = uint4;
};

/// Puts element e of the `count` ones from `first` on to place places[e] of `tile`. `first` is a
/// multiple of 64.
template <class Value>
__device__ __forceinline__ void permute(const Move<Value>& in, unsigned first, unsigned count,
                                        Value* tile) {
  constexpr unsigned batch = 16 / sizeof(Value), ahead = 4, threads = ValuePlanPolicy::threads;
  using Values = uint4;
  using Places = typename Load<2 * batch>::Type;
  const auto* const values = reinterpret_cast<const Values*>(in.from + first);
  const auto* const places = reinterpret_cast<const Places*>(in.places + first);
  const auto put = [&](const Values& some, const Places& at) {
    Value value[batch];
    std::uint16_t place[batch];
    memcpy(value, &some, sizeof some);
    memcpy(place, &at, sizeof at);
#pragma unroll
    for (unsigned e = 0; e < batch; ++e) {
      tile[place[e]] = value[e];
    }
  };
  const unsigned whole = count / batch;
  unsigned b = threadIdx.x;
  for (; b + (ahead - 1) * threads < whole; b += ahead * threads) {
    Places at[ahead];
    Values some[ahead];
#pragma unroll
    for (unsigned i = 0; i < ahead; ++i) {
      at[i] = __ldcs(places + b + i * threads);
    }
#pragma unroll
    for (unsigned i = 0; i < ahead; ++i) {
      some[i] = __ldcs(values + b + i * threads);
    }
#pragma unroll
    for (unsigned i = 0; i < ahead; ++i) {
      put(some[i], at[i]);
    }
  }
  for (; b < whole; b += threads) {
    put(__ldcs(values + b), __ldcs(places + b));
  }
  if (const unsigned e = whole * batch + threadIdx.x; e < count) {
    tile[in.places[first + e]] = in.from[first + e];
  }
}

/// `group` lanes copy a run at a time; the warps share the runs evenly.
template <class Value, unsigned group>
__global__ void __launch_bounds__(ValuePlanPolicy::threads)
    split_kernel(const __grid_constant__ Move<Value> in) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const tile = reinterpret_cast<Value*>(memory);
  const unsigned first = blockIdx.x * in.tile, count = min(in.tile, in.nnz - first);
  let_next_grid_launch();
  if (!in.way.two_passes()) {
    return;
  }
  permute(in, first, count, tile);
  __syncthreads();
  constexpr unsigned all = ~0U, groups = 32 / group, warps = ValuePlanPolicy::threads / 32;
  const unsigned lane = threadIdx.x % 32, mine = lane / group, member = lane % group;
  const unsigned share = (in.tiles + warps - 1) / warps;
  const unsigned each = min((share + groups - 1) / groups * groups, 32U);
  const unsigned* const runs = in.runs + std::size_t{blockIdx.x} * in.tiles;
  for (unsigned c = threadIdx.x / 32 * each; c < in.tiles; c += warps * each) {
    const bool there = c + lane < in.tiles;
    const unsigned run = there ? runs[c + lane] : 0, begin = there ? run & 0xffff : count;
    const unsigned following = c + 32 < in.tiles ? runs[c + 32] & 0xffff : count;
    unsigned end = __shfl_down_sync(all, begin, 1);
    end = lane == 31 ? following : end;
#pragma unroll 4
    for (unsigned i = 0; i < each / groups; ++i) {
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
  constexpr unsigned batch = 16 / sizeof(Value);
  auto* const tile = reinterpret_cast<Value*>(memory);
  const unsigned first = blockIdx.x * in.tile, count = min(in.tile, in.nnz - first);
  if (!in.way.two_passes()) {
    return;
  }
  wait_for_previous_grid();
  permute(in, first, count, tile);
  __syncthreads();
  const auto* const ordered = reinterpret_cast<const uint4*>(memory);
  auto* const to = reinterpret_cast<uint4*>(in.to + first);
  for (unsigned b = threadIdx.x; b < count / batch; b += ValuePlanPolicy::threads) {
    __stcs(to + b, ordered[b]);
  }
  if (const unsigned e = count / batch * batch + threadIdx.x; e < count) {
    in.to[first + e] = tile[e];
  }
}

}  // namespace sparserepro::value_plan
