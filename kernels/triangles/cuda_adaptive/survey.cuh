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

/// One thread per group of rows and per sampled vertex. `out` starts as zeros.
template <class Offset>
__global__ void __launch_bounds__(DeviceAdaptivePolicy::threads)
    survey_kernel(DeviceGraph<Offset> graph, AdaptiveSurvey* out) {
  constexpr std::int64_t samples = DeviceAdaptivePolicy::sampled_vertices;
  const std::int64_t n = graph.vertices;
  const std::int64_t t = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t begin = min(t * DeviceAdaptivePolicy::group_rows, n);
  const std::int64_t end = min(begin + DeviceAdaptivePolicy::group_rows, n);
  unsigned long long largest = graph.row_ptr[end] - graph.row_ptr[begin];
  unsigned long long prefix_rows = 0, middle_rows = 0;
  if (t < samples && (n >= samples || t < n)) {
    const auto u = static_cast<index_t>(n >= samples ? t * n / samples : t);
    const auto degree = static_cast<int>(graph.row_ptr[u + 1] - graph.row_ptr[u]);
    const int lower = count_lower(graph, u);
    prefix_rows = max(lower - 1, 0);
    middle_rows = min(lower, degree - lower);
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    largest = max(largest, __shfl_down_sync(all_lanes, largest, distance));
  }
  if (threadIdx.x % 32 == 0) {
    atomicMax(reinterpret_cast<unsigned long long*>(&out->largest_group), largest);
  }
  add_block_sum(&out->prefix_rows, prefix_rows);
  add_block_sum(&out->middle_rows, middle_rows);
}

/// Threads that survey_kernel needs.
inline std::int64_t survey_threads(index_t vertices) {
  const auto groups = ceil_div<std::int64_t>(vertices, DeviceAdaptivePolicy::group_rows);
  return std::max<std::int64_t>(groups, DeviceAdaptivePolicy::sampled_vertices);
}

}  // namespace sparserepro::adaptive
