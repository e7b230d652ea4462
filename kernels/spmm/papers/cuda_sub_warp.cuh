// Products in which a sub-warp of `Size` threads computes an element of Y: each thread adds every
// Size-th product, and a tree in shared memory adds the partial sums.
#pragma once

#include "formats/error.hpp"
#include "spmm/papers/cuda_elements.cuh"

namespace sparserepro {

/// Sum of `value` over the Size threads of a sub-warp. `partial` [blockDim.x] is shared memory. All
/// threads of the warp must call it. It needs barriers: since compute capability 7.0 the threads of
/// a warp may diverge.
template <int Size>
__device__ __forceinline__ double sub_warp_sum(double value, double* partial) {
  const unsigned t = threadIdx.x;
  partial[t] = value;
  __syncwarp();
#pragma unroll
  for (int half = Size / 2; half > 0; half /= 2) {
    if (static_cast<int>(t % Size) < half) {
      partial[t] += partial[t + half];
    }
    __syncwarp();
  }
  const double sum = partial[t - t % Size];
  __syncwarp();  // the next sum overwrites `partial`
  return sum;
}

/// Sub-warp s of the grid writes element s of Y. Threads beyond the last element do not return
/// early, since the barriers are of whole warps. Dynamic shared memory: one double a thread.
template <int Size, class Rows, class X>
__global__ void __launch_bounds__(1024)
    sub_warp_kernel(Rows a, X x, int k, std::int64_t elements, double* y) {
  extern __shared__ double partial[];
  const std::int64_t e = global_thread() / Size;
  const int lane = static_cast<int>(threadIdx.x) % Size;
  double partial_sum = 0.0;
  if (e < elements) {
    const Element at = element_of(e, k);
    const auto end = a.end(at.row);
    for (auto p = a.begin(at.row) + lane; p < end; p += Size) {
      partial_sum += a.values[p] * x(a.col_idx[p], at.col);
    }
  }
  const double sum = sub_warp_sum<Size>(partial_sum, partial);
  if (e < elements && lane == 0) {
    y[e] = sum;
  }
}

/// Queues sub_warp_kernel for Y of `elements` = M K elements.
template <int Size, class Rows, class X>
void launch_sub_warps(const Rows& a, const X& x, std::int64_t k, std::int64_t elements, double* y,
                      int block_size, cudaStream_t stream) {
  if (elements == 0) {
    return;
  }
  const auto blocks = static_cast<unsigned>(ceil_div(elements * Size, std::int64_t{block_size}));
  sub_warp_kernel<Size><<<blocks, block_size, block_size * sizeof(double), stream>>>(
      a, x, static_cast<int>(k), elements, y);
  CUDA_CHECK_LAUNCH();
}

/// Calls visit.operator()<size>() for a size that `spmm_sub_warp` allows; throws InputError for
/// others.
template <class Visit>
void with_sub_warp(std::int64_t size, Visit visit) {
  switch (size) {
    case 2:
      return visit.template operator()<2>();
    case 4:
      return visit.template operator()<4>();
    case 8:
      return visit.template operator()<8>();
    case 16:
      return visit.template operator()<16>();
    default:
      throw InputError("no sub-warp of " + std::to_string(size) + " threads");
  }
}

}  // namespace sparserepro
