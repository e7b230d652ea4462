// Triangles at each edge, whatever the path: the two rows of an edge are intersected by a search of
// each number of the shorter row in the longer one. O(sum over edges of min(d(u), d(v)) log d)
// steps, and no memory. Sums are of integers, and each entry has one writer.
//
// Source: the edge-centric intersection of Hu, Liu, Huang, "TriCore: parallel triangle counting on
// GPUs", SC'18, per edge in place of one sum.
#pragma once

#include <algorithm>

#include "cuda/launch.hpp"
#include "triangles/cuda_adaptive/tally.cuh"
#include "triangles/local_clustering.hpp"

namespace sparserepro::adaptive {

/// First place in [first, last) of an ascending range with a number of at least w; or last.
template <class Offset>
__device__ Offset lower_place(const index_t* col_idx, Offset first, Offset last, index_t w) {
  while (first < last) {
    const Offset middle = first + (last - first) / 2;
    if (col_idx[middle] < w) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

/// Row of entry p: the last that begins at p or before it.
template <class Offset>
__device__ index_t row_of(const DeviceGraph<Offset>& graph, Offset p) {
  index_t first = 0, last = graph.vertices - 1;
  while (first < last) {
    const index_t middle = first + (last - first + 1) / 2;
    if (graph.row_ptr[middle] <= p) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
}

/// Rows of up to so many entries are taken by one lane, longer ones by the warp.
constexpr int lane_searches = 8;

/// A lane takes a stored entry (u, v) with u < v and writes the support to it and to (v, u); a warp
/// joins its lanes for each entry whose rows both have more than `lane_searches` entries.
template <class Offset>
__global__ void __launch_bounds__(DeviceAdaptivePolicy::threads)
    support_kernel(DeviceGraph<Offset> graph, std::uint64_t* of_entry) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const index_t* const col_idx = graph.col_idx;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t begin = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::int64_t warp_first = begin - lane; warp_first < graph.stored; warp_first += stride) {
    const std::int64_t p = warp_first + lane;
    Offset short_row = 0, long_row = 0, long_end = 0, mirror = 0;
    index_t length = 0;
    bool is_mine = false;
    if (p < graph.stored) {
      const index_t v = col_idx[p], u = row_of(graph, static_cast<Offset>(p));
      is_mine = u < v;
      if (is_mine) {
        const Offset of_u = graph.row_ptr[u], u_end = graph.row_ptr[u + 1];
        const Offset of_v = graph.row_ptr[v], v_end = graph.row_ptr[v + 1];
        mirror = lower_place(col_idx, of_v, v_end, u);
        const bool u_first = u_end - of_u <= v_end - of_v;
        short_row = u_first ? of_u : of_v;
        length = static_cast<index_t>(u_first ? u_end - of_u : v_end - of_v);
        long_row = u_first ? of_v : of_u;
        long_end = u_first ? v_end : u_end;
      }
    }
    std::uint64_t found = 0;
    const auto holds = [&](Offset first, Offset last, index_t w) {
      const Offset place = lower_place(col_idx, first, last, w);
      return place < last && col_idx[place] == w;
    };
    if (length <= lane_searches) {
      for (index_t i = 0; i < length; ++i) {
        found += holds(long_row, long_end, col_idx[short_row + i]) ? 1 : 0;
      }
    }
    for (unsigned many = __ballot_sync(all_lanes, length > lane_searches); many != 0;
         many &= many - 1) {
      const int owner = __ffs(static_cast<int>(many)) - 1;
      const Offset from = __shfl_sync(all_lanes, short_row, owner);
      const Offset first = __shfl_sync(all_lanes, long_row, owner);
      const Offset last = __shfl_sync(all_lanes, long_end, owner);
      const index_t count = __shfl_sync(all_lanes, length, owner);
      std::uint64_t part = 0;
      for (std::int64_t i = lane; i < count; i += 32) {
        part += holds(first, last, col_idx[from + i]) ? 1 : 0;
      }
      part = warp_sum(part);
      part = __shfl_sync(all_lanes, part, 0);
      found = lane == owner ? part : found;
    }
    if (is_mine) {
      of_entry[p] = found;
      of_entry[mirror] = found;
    }
  }
}

template <class Offset>
__global__ void clustering_kernel(const Offset* __restrict__ row_ptr, index_t vertices,
                                  const std::uint64_t* __restrict__ of_vertex,
                                  double* __restrict__ coefficients) {
  const std::int64_t v = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (v < vertices) {
    coefficients[v] = local_clustering(of_vertex[v], row_ptr[v + 1] - row_ptr[v]);
  }
}

/// Queues the support of every stored entry.
template <class Offset>
void count_support(const DeviceGraph<Offset>& graph, std::uint64_t* of_entry, cudaStream_t stream) {
  constexpr int threads = DeviceAdaptivePolicy::threads;
  if (graph.stored > 0) {
    const std::int64_t blocks = ceil_div<std::int64_t>(graph.stored, threads);
    support_kernel<<<static_cast<unsigned>(std::min<std::int64_t>(blocks, 1 << 20)), threads, 0,
                     stream>>>(graph, of_entry);
    CUDA_CHECK_LAUNCH();
  }
}

}  // namespace sparserepro::adaptive
