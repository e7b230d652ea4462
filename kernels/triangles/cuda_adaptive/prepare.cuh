// Preparation in one launch: survey, choice of the path and, for path oriented, ranks, orientation
// and tasks. Blocks that run together wait for each other between the steps (a cooperative
// launch), so that the host waits once.
#pragma once

#include <cooperative_groups.h>

#include "cuda/host_answer.hpp"
#include "triangles/cuda_adaptive/orient.cuh"
#include "triangles/cuda_adaptive/rank.cuh"
#include "triangles/cuda_adaptive/survey.cuh"

namespace sparserepro::adaptive {

/// Input of prepare_kernel.
template <class Offset>
struct Preparation {
  DeviceGraph<Offset> graph;
  Oriented to;
  Share share;
  AdaptivePath choice;      ///< automatic or oriented
  unsigned batch;           ///< short rows that a warp orients at once, at most 32
  unsigned sort_blocks;     ///< that rank the vertices; at most as many as there are
  AdaptiveSurvey* surveys;  ///< [blocks]
  unsigned* class_counts;   ///< [sort_blocks][degree_classes]
  LongRows* long_rows;
  TaskCounts* tasks;
  HostAnswer<Prepared>::Place* answer;
};

static __device__ void give(HostAnswer<Prepared>::Place& to, const Prepared& answer) {
  to.value = answer;
  __threadfence_system();
  *const_cast<volatile unsigned*>(&to.ready) = 1;
}

template <class Offset>
__global__ void __launch_bounds__(DeviceAdaptivePolicy::prepare_threads)
    prepare_kernel(Preparation<Offset> p) {
  __shared__ union {
    AdaptiveSurvey surveys[DeviceAdaptivePolicy::prepare_threads / 32];
    typename VertexSort<Offset>::Shared sort;
    TaskShared tasks;
  } shared;
  const auto grid = cooperative_groups::this_grid();
  AdaptivePath path = p.choice;
  if (path == AdaptivePath::automatic) {
    const AdaptiveSurvey own = survey_of_block(survey_of_thread(p.graph), shared.surveys);
    if (threadIdx.x == 0) {
      p.surveys[blockIdx.x] = own;
    }
    grid.sync();
    AdaptiveSurvey mine{};
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
      const AdaptiveSurvey& other = p.surveys[b];
      mine.largest_group = max(mine.largest_group, other.largest_group);
      mine.prefix_rows += other.prefix_rows;
      mine.middle_rows += other.middle_rows;
    }
    path = choose_path(p.graph.vertices, p.graph.stored, survey_of_block(mine, shared.surveys));
    __syncthreads();
  }
  const bool first = blockIdx.x == 0 && threadIdx.x == 0;
  if (path != AdaptivePath::oriented) {
    if (first) {
      give(*p.answer, {{}, path});
    }
    return;
  }
  VertexSort<Offset> sort(p.graph, p.class_counts, p.sort_blocks, shared.sort);
  const bool sorts = blockIdx.x < p.sort_blocks;
  if (sorts) {
    sort.count();
  }
  if (first) {
    *p.tasks = {};
  }
  grid.sync();
  if (sorts) {
    sort.rank(p.to);
  }
  if (blockIdx.x == 0 && threadIdx.x < 32) {
    sort.count_long_rows(*p.long_rows);
  }
  grid.sync();
  orient(p.graph, p.to, *p.long_rows, p.batch);
  grid.sync();
  list_tasks(p.graph, p.to, p.share, p.long_rows->at_least[0], *p.tasks, shared.tasks);
  grid.sync();
  if (first) {
    give(*p.answer, {*p.tasks, path});
  }
}

}  // namespace sparserepro::adaptive
