// Orientation by degree: vertices are ranked by descending degree (a sort of `vertices` numbers),
// and each keeps its neighbours of smaller rank. A vertex of rank r has at most min(r, sqrt(2
// edges)) kept neighbours.
//
// The kept ranks of vertex v lie unordered at row_ptr[v] of an array as long as col_idx, so that no
// count or scan precedes them. Each entry's rank is gathered once. A word of 64 bits per vertex
// says where its kept ranks lie and how many they are.
#pragma once

#include <cub/block/block_scan.cuh>

#include "triangles/cuda_adaptive/tally.cuh"

namespace sparserepro::adaptive {

/// Where the kept neighbours of a vertex lie, and their number: 40 and 24 bits. 2^24 kept
/// neighbours take 2^47 edges.
struct KeptRow {
  std::uint64_t word;
  static __host__ __device__ KeptRow of(std::uint64_t begin, std::uint64_t count) {
    return {begin | count << 40};
  }
  __device__ std::uint64_t begin() const { return word & ((std::uint64_t{1} << 40) - 1); }
  __device__ unsigned count() const { return static_cast<unsigned>(word >> 40); }
};

/// A segment of a vertex's row, the work of one warp or block.
struct Task {
  unsigned rank;     ///< of the vertex
  unsigned segment;  ///< its number in the row
};

/// The oriented graph in device memory; passed to kernels by value.
struct Oriented {
  unsigned* order;  ///< [vertices] vertex of each rank
  unsigned* rank;   ///< [vertices] rank of each vertex
  unsigned* kept;   ///< [entries] kept neighbours, as ranks
  KeptRow* rows;    ///< [vertices]
  Task *table_tasks, *bitmap_tasks;
};

/// Numbers of tasks, next task to be done, and ranks below which bitmap tasks lie.
struct TaskCounts {
  unsigned table, bitmap, next_bitmap, rank_bound;
};

template <class Offset>
__global__ void __launch_bounds__(DeviceAdaptivePolicy::threads)
    degree_kernel(DeviceGraph<Offset> graph, unsigned* degree, unsigned* vertex) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < static_cast<unsigned>(graph.vertices)) {
    degree[v] = static_cast<unsigned>(graph.row_ptr[v + 1] - graph.row_ptr[v]);
    vertex[v] = v;
  }
}

__global__ void __launch_bounds__(DeviceAdaptivePolicy::threads)
    rank_kernel(unsigned vertices, Oriented to) {
  const unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < vertices) {
    to.rank[to.order[r]] = r;
  }
}

/// Rows up to `long_row` entries: a group of lanes per row.
template <class Offset>
__global__ void __launch_bounds__(DeviceAdaptivePolicy::threads)
    orient_kernel(DeviceGraph<Offset> graph, Oriented to) {
  constexpr unsigned lanes = DeviceAdaptivePolicy::lanes_per_row;
  const unsigned lane = threadIdx.x % lanes, shift = threadIdx.x % 32 / lanes * lanes;
  const unsigned group = ((1U << lanes) - 1) << shift;
  const std::uint64_t v = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
  if (v >= static_cast<std::uint64_t>(graph.vertices)) {
    return;
  }
  const Offset begin = graph.row_ptr[v], degree = graph.row_ptr[v + 1] - begin;
  if (degree > DeviceAdaptivePolicy::long_row) {
    return;
  }
  const unsigned own = to.rank[v], below = (1U << threadIdx.x % 32) - 1;
  unsigned count = 0;
  for (unsigned k = 0; k < degree; k += lanes) {
    const unsigned other = k + lane < degree ? to.rank[graph.col_idx[begin + k + lane]] : own;
    const unsigned keeping = __ballot_sync(group, other < own) & group;
    if (other < own) {
      to.kept[begin + count + __popc(keeping & below)] = other;
    }
    count += __popc(keeping);
  }
  if (lane == 0) {
    to.rows[v] = KeptRow::of(begin, count);
  }
}

/// Longer rows: a block per row, in the order of ranks, which is that of descending degree.
template <class Offset>
__global__ void __launch_bounds__(DeviceAdaptivePolicy::orient_threads)
    orient_long_kernel(DeviceGraph<Offset> graph, Oriented to) {
  constexpr int steps = 4, threads = DeviceAdaptivePolicy::orient_threads;
  __shared__ unsigned count;
  const unsigned lane = threadIdx.x % 32, below = (1U << lane) - 1;
  for (unsigned own = blockIdx.x; own < static_cast<unsigned>(graph.vertices); own += gridDim.x) {
    const unsigned v = to.order[own];
    const Offset begin = graph.row_ptr[v], degree = graph.row_ptr[v + 1] - begin;
    if (degree <= DeviceAdaptivePolicy::long_row) {
      return;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      count = 0;
    }
    __syncthreads();
    for (Offset k = threadIdx.x; k - lane < degree; k += steps * threads) {
      unsigned other[steps], keeping[steps], total = 0;
#pragma unroll
      for (int j = 0; j < steps; ++j) {
        const Offset at = k + j * threads;
        other[j] = at < degree ? to.rank[graph.col_idx[begin + at]] : own;
      }
#pragma unroll
      for (int j = 0; j < steps; ++j) {
        keeping[j] = __ballot_sync(all_lanes, other[j] < own);
        total += __popc(keeping[j]);
      }
      unsigned place = lane == 0 && total > 0 ? atomicAdd(&count, total) : 0;
      place = __shfl_sync(all_lanes, place, 0);
#pragma unroll
      for (int j = 0; j < steps; ++j) {
        if (other[j] < own) {
          to.kept[begin + place + __popc(keeping[j] & below)] = other[j];
        }
        place += __popc(keeping[j]);
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      to.rows[v] = KeptRow::of(begin, count);
    }
  }
}

/// Lists the tasks, those of small ranks first by and large. A vertex with fewer than two kept
/// neighbours owns no edge that closes a triangle.
template <class Offset>
__global__ void __launch_bounds__(DeviceAdaptivePolicy::threads)
    task_kernel(DeviceGraph<Offset> graph, Oriented from, Share share, TaskCounts* counts) {
  using Scan = cub::BlockScan<unsigned, DeviceAdaptivePolicy::threads>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ unsigned first_table, first_bitmap;
  const unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
  // Segments of the row, and those of them that are this part's.
  unsigned segments = 0, taken = 0;
  bool is_bitmap = false;
  if (r < static_cast<unsigned>(graph.vertices)) {
    const unsigned v = from.order[r], kept = from.rows[v].count();
    const auto degree = static_cast<unsigned>(graph.row_ptr[v + 1] - graph.row_ptr[v]);
    is_bitmap = kept > DeviceAdaptivePolicy::table_set;
    if (is_bitmap) {
      segments = ceil_div(degree, unsigned{DeviceAdaptivePolicy::block_segment});
    } else if (kept >= 2) {
      segments = ceil_div(degree, unsigned{DeviceAdaptivePolicy::warp_segment});
    }
  }
  for (unsigned c = 0; c < segments; ++c) {
    taken += share.takes(r, c) ? 1 : 0;
  }
  const unsigned table = is_bitmap ? 0 : taken, bitmap = is_bitmap ? taken : 0;
  if (const unsigned bound = __reduce_max_sync(all_lanes, bitmap > 0 ? r + 1 : 0);
      bound > 0 && threadIdx.x % 32 == 0) {
    atomicMax(&counts->rank_bound, bound);
  }
  unsigned tables, bitmaps, table_place, bitmap_place;
  Scan(storage).ExclusiveSum(table, table_place, tables);
  __syncthreads();
  Scan(storage).ExclusiveSum(bitmap, bitmap_place, bitmaps);
  if (threadIdx.x == 0) {
    first_table = tables > 0 ? atomicAdd(&counts->table, tables) : 0;
    first_bitmap = bitmaps > 0 ? atomicAdd(&counts->bitmap, bitmaps) : 0;
  }
  __syncthreads();
  Task* to = is_bitmap ? from.bitmap_tasks + first_bitmap + bitmap_place
                       : from.table_tasks + first_table + table_place;
  for (unsigned c = 0; c < segments; ++c) {
    if (share.takes(r, c)) {
      *to++ = {r, c};
    }
  }
}

}  // namespace sparserepro::adaptive
