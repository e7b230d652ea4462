// Counting on the graph oriented by degree. Each edge {x, y} is worked on at the end with the more
// kept neighbours, ties to the larger number: at x, say, the kept neighbours of y are streamed past
// the set K(x), and
//
//   triangles = sum over edges of |K(x) o K(y)|,   work sum over edges of min(|K(x)|, |K(y)|):
//
// the triangle of ranks a < b < c is found at its edge {b, c}, in whose ends' sets a is. K(x) is a
// hash table of one warp when it is small, else a bitmap of one block over the ranks below x's.
// Both are exact. Long rows are cut into segments; each task builds the set again.
#pragma once

#include "cuda/grid_dependency.cuh"
#include "triangles/cuda_adaptive/orient.cuh"

namespace sparserepro::adaptive {

/// Open addressing with linear probing, at most half full, so that every search ends.
class WarpTable {
 public:
  /// By all lanes: empties as many slots as `count` numbers need.
  __device__ WarpTable(unsigned* slots, unsigned count, unsigned lane) : slots_(slots) {
    bits_ = 34 - __clz(static_cast<int>(count) - 1);
    for (unsigned i = lane; i < 1U << bits_; i += 32) {
      slots_[i] = empty;
    }
    __syncwarp();
  }
  __device__ void insert(unsigned w) {
    unsigned at = place(w);
    while (atomicCAS(slots_ + at, empty, w) != empty) {
      at = next(at);
    }
  }
  __device__ bool holds(unsigned w) const {
    unsigned at = place(w), found;
    while ((found = slots_[at]) != empty) {
      if (found == w) {
        return true;
      }
      at = next(at);
    }
    return false;
  }

 private:
  static constexpr unsigned empty = 0xffffffffU;  // no rank: there are fewer than 2^31
  __device__ unsigned place(unsigned w) const { return w * 2654435769U >> (32 - bits_); }
  __device__ unsigned next(unsigned at) const { return (at + 1) & ((1U << bits_) - 1); }
  unsigned* slots_;
  int bits_;  // at least twice the numbers: 4 times rounded up to a power of two
};

/// The segment of the row of x that a task works on.
struct Segment {
  const index_t* neighbours;
  unsigned length;

  template <class Offset>
  __device__ Segment(const DeviceGraph<Offset>& graph, unsigned x, unsigned number, int most) {
    const Offset begin = graph.row_ptr[x] + static_cast<Offset>(number) * most;
    const Offset rest = graph.row_ptr[x + 1] - begin;
    neighbours = graph.col_idx + begin;
    length = static_cast<unsigned>(min(rest, static_cast<Offset>(most)));
  }
};

/// A neighbour y of x and its kept neighbours; none when y works on the edge and not x.
struct Neighbour {
  unsigned vertex = 0, count = 0;
  std::uint64_t begin = 0;

  __device__ static Neighbour owned(const Oriented& oriented, const Segment& segment, unsigned k,
                                    unsigned x, unsigned kept_of_x) {
    if (k >= segment.length) {
      return {};
    }
    const auto y = static_cast<unsigned>(segment.neighbours[k]);
    const KeptRow row = oriented.rows[y];
    const unsigned count = row.count();
    const bool ours = count < kept_of_x || (count == kept_of_x && y < x);
    return {y, ours ? count : 0, row.begin()};
  }
};

/// A warp per task. The entries of 32 neighbours' rows are spread evenly over the lanes. It begins
/// while bitmap_kernel ends.
template <class Offset, bool per_vertex>
__global__ void __launch_bounds__(DeviceAdaptivePolicy::threads)
    table_kernel(DeviceGraph<Offset> graph, Oriented oriented, const TaskCounts* counts,
                 Tally tally) {
  constexpr unsigned warps = DeviceAdaptivePolicy::threads / 32;
  __shared__ unsigned slots[warps][DeviceAdaptivePolicy::table_slots];
  const unsigned lane = threadIdx.x % 32, tasks = counts->table;
  std::uint64_t sum = 0;
  for (unsigned t = blockIdx.x * warps + threadIdx.x / 32; t < tasks; t += gridDim.x * warps) {
    const Task task = oriented.table_tasks[t];
    const unsigned x = oriented.order[task.rank];
    const KeptRow row = oriented.rows[x];
    const Segment segment(graph, x, task.segment, DeviceAdaptivePolicy::warp_segment);
    WarpTable set(slots[threadIdx.x / 32], row.count(), lane);
    for (unsigned k = lane; k < row.count(); k += 32) {
      set.insert(oriented.kept[row.begin() + k]);
    }
    __syncwarp();
    unsigned found = 0;
    for (unsigned first = 0; first < segment.length; first += 32) {
      const Neighbour mine = Neighbour::owned(oriented, segment, first + lane, x, row.count());
      const int inclusive = inclusive_sum(static_cast<int>(mine.count), static_cast<int>(lane));
      const int total = __shfl_sync(all_lanes, inclusive, 31);
      const std::uint64_t shifted = mine.begin - static_cast<unsigned>(inclusive) + mine.count;
      for (int item = static_cast<int>(lane); item - static_cast<int>(lane) < total; item += 32) {
        const int owner = owner_lane(inclusive, item);
        const std::uint64_t from = __shfl_sync(all_lanes, shifted, owner);
        const unsigned y = per_vertex ? __shfl_sync(all_lanes, mine.vertex, owner) : 0;
        if (item < total) {
          const unsigned w = oriented.kept[from + static_cast<unsigned>(item)];
          if (set.holds(w)) {
            ++found;
            credit<per_vertex>(tally, y, per_vertex ? oriented.order[w] : 0);
          }
        }
      }
    }
    credit_many<per_vertex>(tally, x, found);
    sum += found;
    __syncwarp();
  }
  wait_for_previous_grid();  // so that all is counted when this kernel has ended
  add_block_sum(tally.sum, sum);
}

/// Streams the rows of the warp's 32 neighbours: short ones by a lane each, the others one after
/// another by the warp, two rows and 64 numbers of each in flight. Calls test(vertex, number).
template <bool per_vertex, class Test>
__device__ void stream_rows(const unsigned* kept, const Neighbour& mine, unsigned lane,
                            const Test& test) {
  const bool is_short = mine.count <= DeviceAdaptivePolicy::lane_row;
  for (unsigned k = 0; is_short && k < mine.count; ++k) {
    test(mine.vertex, kept[mine.begin + k]);
  }
  for (unsigned left = __ballot_sync(all_lanes, !is_short); left != 0; left &= left - 1) {
    const int a = __ffs(static_cast<int>(left)) - 1;
    left &= left - 1;
    const int b = left != 0 ? __ffs(static_cast<int>(left)) - 1 : a;
    const unsigned *from_a = kept + __shfl_sync(all_lanes, mine.begin, a) + lane,
                   *from_b = kept + __shfl_sync(all_lanes, mine.begin, b) + lane;
    const unsigned vertex_a = per_vertex ? __shfl_sync(all_lanes, mine.vertex, a) : 0;
    const unsigned vertex_b = per_vertex ? __shfl_sync(all_lanes, mine.vertex, b) : 0;
    const unsigned end_a = __shfl_sync(all_lanes, mine.count, a);
    const unsigned end_b = b != a ? __shfl_sync(all_lanes, mine.count, b) : 0;
    constexpr unsigned none = 0xffffffffU;
    for (unsigned k = lane; k < end_a || k < end_b; k += 64, from_a += 64, from_b += 64) {
      const unsigned a_low = k < end_a ? from_a[0] : none;
      const unsigned b_low = k < end_b ? from_b[0] : none;
      const unsigned a_high = k + 32 < end_a ? from_a[32] : none;
      const unsigned b_high = k + 32 < end_b ? from_b[32] : none;
      test(vertex_a, a_low);
      test(vertex_a, a_high);
      test(vertex_b, b_low);
      test(vertex_b, b_high);
    }
  }
}

/// A block per task, which it takes when it is free. The bitmap has `words` words for a range of
/// ranks, and a word of zeros for ranks outside, so that tests do not branch. An x of larger rank
/// takes several ranges, one after another.
template <class Offset, bool per_vertex>
__global__ void __launch_bounds__(DeviceAdaptivePolicy::threads)
    bitmap_kernel(DeviceGraph<Offset> graph, Oriented oriented, unsigned words, TaskCounts* counts,
                  Tally tally) {
  constexpr unsigned threads = DeviceAdaptivePolicy::threads;
  extern __shared__ unsigned bits[];
  __shared__ unsigned number, next;
  let_next_grid_launch();
  const unsigned lane = threadIdx.x % 32, tasks = counts->bitmap, width = 32 * words;
  std::uint64_t sum = 0;
  for (unsigned i = threadIdx.x; i <= words; i += threads) {
    bits[i] = 0;
  }
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) {
      number = atomicAdd(&counts->next_bitmap, 1U);
      next = 0;
    }
    __syncthreads();
    if (number >= tasks) {
      break;
    }
    const Task task = oriented.bitmap_tasks[number];
    const unsigned x = oriented.order[task.rank];
    const KeptRow row = oriented.rows[x];
    const unsigned* const own = oriented.kept + row.begin();
    const Segment segment(graph, x, task.segment, DeviceAdaptivePolicy::block_segment);
    unsigned found = 0;
    for (unsigned low = 0; low < task.rank; low += width) {
      for (unsigned k = threadIdx.x; k < row.count(); k += threads) {
        if (const unsigned w = own[k] - low; w < width) {
          atomicOr(bits + w / 32, 1U << w % 32);
        }
      }
      __syncthreads();
      const auto test = [&](unsigned y, unsigned rank) {
        const unsigned w = min(rank - low, width);
        const unsigned hit = bits[w / 32] >> w % 32 & 1;
        found += hit;
        if (per_vertex && hit != 0) {
          credit<per_vertex>(tally, y, oriented.order[rank]);
        }
      };
      while (true) {
        unsigned first = lane == 0 ? atomicAdd(&next, 32U) : 0;
        first = __shfl_sync(all_lanes, first, 0);
        if (first >= segment.length) {
          break;
        }
        const Neighbour mine = Neighbour::owned(oriented, segment, first + lane, x, row.count());
        stream_rows<per_vertex>(oriented.kept, mine, lane, test);
      }
      __syncthreads();
      if (threadIdx.x == 0) {
        next = 0;
      }
      for (unsigned k = threadIdx.x; k < row.count(); k += threads) {
        if (const unsigned w = own[k] - low; w < width) {
          atomicAnd(bits + w / 32, ~(1U << w % 32));
        }
      }
      __syncthreads();
    }
    credit_many<per_vertex>(tally, x, found);
    sum += found;
  }
  add_block_sum(tally.sum, sum);
}

}  // namespace sparserepro::adaptive
