// The gather of cuda_plan, where entries that are near each other in A^T share sectors of A, as in
// meshes and matrices of finite elements: values are taken by the permutation, and the L1 and L2
// caches serve what neighbouring columns share.
//
//   sector_kernel   sectors += distinct sectors of A that stretches of A^T take, in samples
//   keep_kernel     keeps the permutation, where the gather moves values
//   gather_kernel   moves values
//
//   bytes an entry = V + 4 + V, V bytes a value, and what the L2 cache loses
#pragma once

#include <cstdint>

#include "transpose/cuda_plan/move.cuh"

namespace sparserepro::value_plan {

/// A block for each sample of `stretch` entries, of which `per_sector` fill a sector.
static __global__ void __launch_bounds__(ValuePlanPolicy::threads)
    sector_kernel(const unsigned* source, unsigned nnz, unsigned stretch, unsigned per_sector,
                  unsigned* sectors) {
  constexpr unsigned slots = 2 * ValuePlanPolicy::stretch, none = ~0U;
  __shared__ unsigned met[slots];
  __shared__ unsigned fresh;
  for (unsigned s = threadIdx.x; s < slots; s += blockDim.x) {
    met[s] = none;
  }
  if (threadIdx.x == 0) {
    fresh = 0;
  }
  __syncthreads();
  const auto begin =
      static_cast<unsigned>(std::uint64_t{nnz - stretch} * blockIdx.x / max(gridDim.x - 1, 1U));
  unsigned mine = 0;
  for (unsigned e = threadIdx.x; e < stretch; e += blockDim.x) {
    const unsigned sector = source[begin + e] / per_sector;
    for (unsigned s = sector * 2654435769U % slots;; s = (s + 1) % slots) {
      const unsigned before = atomicCAS(met + s, none, sector);
      mine += before == none;
      if (before == none || before == sector) {
        break;
      }
    }
  }
  atomicAdd(&fresh, mine);
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(sectors, fresh);
  }
}

static __global__ void keep_kernel(const unsigned* source, unsigned nnz, unsigned* kept, Way way) {
  if (!way.gather()) {
    return;
  }
  for (unsigned q = blockIdx.x * blockDim.x + threadIdx.x; q < nnz; q += gridDim.x * blockDim.x) {
    kept[q] = source[q];
  }
}

/// What the gather reads and writes; passed by value.
template <class Value>
struct Gather {
  const Value* from;       ///< [nnz]
  Value* to;               ///< [nnz]
  const unsigned* source;  ///< [nnz] entry q of A^T is entry source[q] of A
  unsigned nnz;
  Way way;
};

/// Blocks take stretches in turn.
template <class Value>
__global__ void __launch_bounds__(ValuePlanPolicy::threads, 2)
    gather_kernel(const __grid_constant__ Gather<Value> in) {
  constexpr unsigned threads = ValuePlanPolicy::threads, ahead = 4, share = threads * ahead;
  if (!in.way.gather()) {
    let_next_grid_launch();
    return;
  }
  const Value* const __restrict__ from = in.from;
  for (unsigned first = blockIdx.x * share; first < in.nnz; first += gridDim.x * share) {
    if (in.nnz - first < share) {
      for (unsigned q = first + threadIdx.x; q < in.nnz; q += threads) {
        in.to[q] = __ldg(from + in.source[q]);
      }
      return;
    }
    unsigned source[ahead];
    Value value[ahead];
#pragma unroll
    for (unsigned i = 0; i < ahead; ++i) {
      source[i] = __ldcs(in.source + first + i * threads + threadIdx.x);
    }
#pragma unroll
    for (unsigned i = 0; i < ahead; ++i) {
      value[i] = __ldg(from + source[i]);
    }
#pragma unroll
    for (unsigned i = 0; i < ahead; ++i) {
      __stcs(in.to + first + i * threads + threadIdx.x, value[i]);
    }
  }
}

}  // namespace sparserepro::value_plan
