// Rows of a few entries, as they are: nothing is oriented, each row is read where it lies.
//
// prefix: the triangle w < y < u is found at u. The rows of all lower neighbours y but the first
// are merged with u's own row up to y. sum over u of (lower(u) - 1)+ rows; natural numberings of
// meshes and roads have few lower neighbours, in lines that are read anyway.
// middle: see Pairing. sum over u of min(lower, upper) rows: 1.29 a vertex instead of 2.14 on a
// mesh of random numbering, where a row is a random access to device memory. A mesh has two
// triangles for each vertex and an edge is in two, so no rule needs less than one row a vertex.
#pragma once

#include "triangles/cuda_adaptive/tally.cuh"

namespace sparserepro::adaptive {

/// Common numbers below `y` of the ascending row from `a` to `a_end` and of the row of `y`.
template <bool per_vertex, class Offset>
__device__ unsigned merge_prefixes(const DeviceGraph<Offset>& graph, Offset a, Offset a_end,
                                   index_t y, const Tally& tally) {
  Offset b = graph.row_ptr[y];
  const Offset b_end = graph.row_ptr[y + 1];  // holds u at least, so b < b_end
  index_t from_a = graph.col_idx[a], from_b = graph.col_idx[b];
  unsigned found = 0;
  while (true) {
    if (from_a == from_b) {
      ++found;
      credit<per_vertex>(tally, static_cast<unsigned>(y), static_cast<unsigned>(from_a));
    }
    const bool next_a = from_a <= from_b, next_b = from_b <= from_a;
    if (next_a) {
      if (++a >= a_end) {
        break;
      }
      from_a = graph.col_idx[a];
    }
    if (next_b) {
      if (++b >= b_end) {
        break;
      }
      from_b = graph.col_idx[b];
    }
  }
  return found;
}

template <class Offset, bool per_vertex>
__global__ void __launch_bounds__(DeviceAdaptivePolicy::threads)
    prefix_kernel(DeviceGraph<Offset> graph, Share share, Tally tally) {
  std::uint64_t sum = 0;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       share.vertex(i) < graph.vertices; i += stride) {
    const auto u = static_cast<index_t>(share.vertex(i));
    const Offset begin = graph.row_ptr[u], end = graph.row_ptr[u + 1];
    std::uint64_t found = 0;
    for (Offset k = begin; k < end; ++k) {
      const index_t y = graph.col_idx[k];
      if (y >= u) {
        break;
      }
      if (k > begin) {
        found += merge_prefixes<per_vertex>(graph, begin, k, y, tally);
      }
    }
    credit_many<per_vertex>(tally, static_cast<unsigned>(u), found);
    sum += found;
  }
  add_block_sum(tally.sum, sum);
}

/// The entries `at` to `at + 3` of a row of `length` that begins at `row`, 16 bytes at once where
/// the array holds them; -1 for what is not of the row. `row + at` is a multiple of 4.
template <class Offset>
__device__ int4 row_quad(const DeviceGraph<Offset>& graph, Offset row, int at, int length) {
  const Offset first = row + at;
  int4 quad;
  if (graph.stored - first >= 4) {
    quad = __ldg(reinterpret_cast<const int4*>(graph.col_idx + first));
  } else {
    const auto entry = [&](int k) {
      return k < graph.stored - first ? graph.col_idx[first + k] : -1;
    };
    quad = {entry(0), entry(1), entry(2), -1};
  }
  const auto inside = [&](int k) {
    return static_cast<unsigned>(at + k) < static_cast<unsigned>(length);
  };
  return {inside(0) ? quad.x : -1, inside(1) ? quad.y : -1, inside(2) ? quad.z : -1,
          inside(3) ? quad.w : -1};
}

__device__ inline bool holds(const int4& quad, index_t w) {
  return (static_cast<int>(quad.x == w) | static_cast<int>(quad.y == w) |
          static_cast<int>(quad.z == w) | static_cast<int>(quad.w == w)) != 0;
}

/// How many of the entries [set, set + size) are in the row of y, which passes through registers 8
/// numbers at a time.
template <bool per_vertex, class Offset>
__device__ unsigned find_in_row(const DeviceGraph<Offset>& graph, index_t y, Offset set, int size,
                                const Tally& tally) {
  const Offset row = graph.row_ptr[y];
  const auto length = static_cast<int>(graph.row_ptr[y + 1] - row);
  const index_t last = graph.col_idx[set + size - 1];
  unsigned found = 0;
  for (int at = -static_cast<int>(row & 3); at < length; at += 8) {
    const int4 low = row_quad(graph, row, at, length);
    const int4 high = at + 4 < length ? row_quad(graph, row, at + 4, length) : int4{-1, -1, -1, -1};
    for (int k = 0; k < size; ++k) {
      const index_t w = graph.col_idx[set + k];
      if (static_cast<int>(holds(low, w)) | static_cast<int>(holds(high, w))) {
        ++found;
        credit<per_vertex>(tally, static_cast<unsigned>(y), static_cast<unsigned>(w));
      }
    }
    if (high.w > last) {
      break;
    }
  }
  return found;
}

/// The rows that 32 vertices read are spread evenly over the lanes of a warp.
template <class Offset, bool per_vertex>
__global__ void __launch_bounds__(DeviceAdaptivePolicy::threads)
    middle_kernel(DeviceGraph<Offset> graph, Share share, Tally tally) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  std::uint64_t sum = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane;
       share.vertex(i) < graph.vertices; i += stride) {
    const std::int64_t first = share.vertex(i);
    const std::int64_t u = first + lane;
    Pairing<Offset> mine;
    if (u < graph.vertices) {
      const Offset begin = graph.row_ptr[u];
      const auto degree = static_cast<int>(graph.row_ptr[u + 1] - begin);
      int lower = 0;
      for (int at = -static_cast<int>(begin & 3); at < degree; at += 4) {
        const int4 quad = row_quad(graph, begin, at, degree);
        const auto below = [&](int v) { return v >= 0 && v < u; };
        lower += below(quad.x) + below(quad.y) + below(quad.z) + below(quad.w);
        if (quad.w > u) {
          break;
        }
      }
      mine = middle_pairing(begin, degree, lower);
    }
    const int inclusive = inclusive_sum(mine.row_count, lane);
    const int total = __shfl_sync(all_lanes, inclusive, 31);
    for (int begin = 0; begin < total; begin += 32) {
      const int t = begin + lane;
      const int owner = owner_lane(inclusive, t);
      const int before = __shfl_sync(all_lanes, inclusive - mine.row_count, owner);
      const Offset rows = __shfl_sync(all_lanes, mine.rows, owner);
      const Offset set = __shfl_sync(all_lanes, mine.set, owner);
      const int size = __shfl_sync(all_lanes, mine.set_size, owner);
      if (t < total) {
        const index_t y = graph.col_idx[rows + (t - before)];
        const unsigned found = find_in_row<per_vertex>(graph, y, set, size, tally);
        credit_many<per_vertex>(tally, static_cast<unsigned>(first + owner), found);
        sum += found;
      }
    }
  }
  add_block_sum(tally.sum, sum);
}

}  // namespace sparserepro::adaptive
