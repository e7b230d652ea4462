// A look at the row pointers that bounds all degrees, and at a sample of rows.
#pragma once

#include "triangles/cuda_adaptive/tally.cuh"

namespace sparserepro::adaptive {

/// Number of entries of u's row that are below u, by binary search.
template <class Offset>
__device__ int count_lower(const DeviceGraph<Offset>& graph, index_t u) {
  const Offset begin = graph.row_ptr[u];
  Offset first = begin, last = graph.row_ptr[u + 1];
  while (first < last) {
    const Offset middle = first + (last - first) / 2;
    if (graph.col_idx[middle] < u) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return static_cast<int>(first - begin);
}

/// Groups of rows and sampled vertices: each is looked at by one thread.
inline __host__ __device__ std::int64_t survey_items(index_t vertices) {
  const auto groups = ceil_div<std::int64_t>(vertices, DeviceAdaptivePolicy::group_rows);
  return groups > DeviceAdaptivePolicy::sampled_vertices ? groups
                                                         : DeviceAdaptivePolicy::sampled_vertices;
}

/// What the thread finds among the items that it takes. Adjoining ones are of different blocks, so
/// that the samples, which are the first, are of all multiprocessors.
template <class Offset>
__device__ AdaptiveSurvey survey_of_thread(const DeviceGraph<Offset>& graph) {
  constexpr std::int64_t samples = DeviceAdaptivePolicy::sampled_vertices;
  const std::int64_t n = graph.vertices, items = survey_items(graph.vertices);
  AdaptiveSurvey found{};
  for (std::int64_t t = std::int64_t{threadIdx.x} * gridDim.x + blockIdx.x; t < items;
       t += std::int64_t{gridDim.x} * blockDim.x) {
    const std::int64_t begin = min(t * DeviceAdaptivePolicy::group_rows, n);
    const std::int64_t end = min(begin + DeviceAdaptivePolicy::group_rows, n);
    const auto entries = static_cast<std::uint64_t>(graph.row_ptr[end] - graph.row_ptr[begin]);
    found.largest_group = max(found.largest_group, entries);
    if (t < samples && (n >= samples || t < n)) {
      const auto u = static_cast<index_t>(n >= samples ? t * n / samples : t);
      const auto degree = static_cast<int>(graph.row_ptr[u + 1] - graph.row_ptr[u]);
      const int lower = count_lower(graph, u);
      found.prefix_rows += static_cast<unsigned>(max(lower - 1, 0));
      found.middle_rows += static_cast<unsigned>(min(lower, degree - lower));
    }
  }
  return found;
}

/// Both surveys in one, in all lanes.
__device__ inline AdaptiveSurvey survey_of_warp(AdaptiveSurvey mine) {
  for (int distance = 16; distance > 0; distance /= 2) {
    mine.largest_group =
        max(mine.largest_group, __shfl_xor_sync(all_lanes, mine.largest_group, distance));
    mine.prefix_rows += __shfl_xor_sync(all_lanes, mine.prefix_rows, distance);
    mine.middle_rows += __shfl_xor_sync(all_lanes, mine.middle_rows, distance);
  }
  return mine;
}

/// All surveys of the block's threads in one, in all threads. The block has 32 warps; `of_warp`
/// [32] is in shared memory.
__device__ inline AdaptiveSurvey survey_of_block(const AdaptiveSurvey& mine,
                                                 AdaptiveSurvey* of_warp) {
  const AdaptiveSurvey all = survey_of_warp(mine);
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    of_warp[threadIdx.x / 32] = all;
  }
  __syncthreads();
  return survey_of_warp(of_warp[threadIdx.x % 32]);
}

}  // namespace sparserepro::adaptive
