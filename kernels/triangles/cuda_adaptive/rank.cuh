// Ranks by descending degree: a stable sort of the vertices by class of degree, in one pass.
//
// Each warp counts the classes of consecutive vertices; with the counts of the warps and blocks
// before it, it ranks them by vote, in the order of their numbers. So ranks are the same in every
// run and on every device. Between both steps the counters stay in shared memory.
#pragma once

#include "triangles/cuda_adaptive/orient.cuh"

namespace sparserepro::adaptive {

/// Class of a degree below 2^31, those of large degrees first.
__device__ inline unsigned degree_class(unsigned degree) {
  const unsigned shift = 29 - __clz(static_cast<int>(degree | 7U));
  return DeviceAdaptivePolicy::degree_classes - 1 - (4 * shift + (degree >> shift));
}

static_assert((DeviceAdaptivePolicy::long_row & (DeviceAdaptivePolicy::long_row - 1)) == 0,
              "a class begins there");

/// A block's part in the sort. All its threads make one and call both functions.
template <class Offset>
class VertexSort {
 public:
  static constexpr unsigned classes = DeviceAdaptivePolicy::degree_classes;
  static constexpr unsigned warps = DeviceAdaptivePolicy::prepare_threads / 32;
  struct Shared {
    unsigned of_warp[warps][classes];  ///< vertices counted, and then those of earlier warps
    unsigned first[classes];           ///< rank of the block's first vertex
    unsigned all[classes];             ///< vertices of all blocks, and then those of smaller ranks
  };

  /// `blocks` blocks sort; others do nothing. `counts` [blocks][classes].
  __device__ VertexSort(const DeviceGraph<Offset>& graph, unsigned* counts, unsigned blocks,
                        Shared& shared)
      : graph_(graph), counts_(counts), blocks_(blocks), shared_(shared) {}

  __device__ void count() {
    unsigned* const counters = shared_.of_warp[threadIdx.x / 32];
    for (unsigned c = threadIdx.x % 32; c < classes; c += 32) {
      counters[c] = 0;
    }
    __syncwarp();
    for_each_vertex([](unsigned, unsigned, unsigned) {});
    __syncthreads();
    if (const unsigned c = threadIdx.x; c < classes) {
      unsigned sum = 0;
      for (auto& of_warp : shared_.of_warp) {
        const unsigned count = of_warp[c];
        of_warp[c] = sum;
        sum += count;
      }
      counts_[blockIdx.x * classes + c] = sum;
    }
  }

  /// After all blocks have counted. Long rows get their place, and no kept neighbour so far.
  __device__ void rank(const Oriented& to) {
    sum_blocks();
    const unsigned first_short = degree_class(DeviceAdaptivePolicy::long_row) + 1;
    for_each_vertex([&](unsigned v, unsigned c, unsigned place) {
      to.rank[v] = shared_.first[c] + place;
      to.order[shared_.first[c] + place] = v;
      if (c < first_short) {
        to.rows[v] = KeptRow::of(graph_.row_ptr[v], 0);
      }
    });
  }

  /// After rank(), by a warp of a block that sorts: the numbers of long rows.
  __device__ void count_long_rows(LongRows& to) const {
    if (const unsigned k = threadIdx.x % 32; k <= LongRows::octaves) {
      const unsigned degree = static_cast<unsigned>(DeviceAdaptivePolicy::long_row) << k;
      to.at_least[k] = k < LongRows::octaves ? shared_.all[degree_class(degree) + 1] : 0;
    }
  }

 private:
  /// Calls use(vertex, class, place) for each vertex of the warp; `place` counts those of the class
  /// from the warp's counter on, which is advanced.
  template <class Use>
  __device__ void for_each_vertex(const Use& use) {
    constexpr unsigned steps = 4, none = classes;
    unsigned* const counters = shared_.of_warp[threadIdx.x / 32];
    const unsigned lane = threadIdx.x % 32;
    const auto n = static_cast<unsigned>(graph_.vertices);
    const unsigned share = ceil_div(n, blocks_ * warps);
    const std::uint64_t begin = std::uint64_t{blockIdx.x * warps + threadIdx.x / 32} * share;
    const auto last = static_cast<unsigned>(min(begin + share, std::uint64_t{n}));
    for (std::uint64_t v = begin + lane; v - lane < last; v += 32 * steps) {
      unsigned of[steps];
#pragma unroll
      for (unsigned j = 0; j < steps; ++j) {
        const std::uint64_t w = v + 32 * j;
        of[j] = w < last
                    ? degree_class(static_cast<unsigned>(graph_.row_ptr[w + 1] - graph_.row_ptr[w]))
                    : none;
      }
#pragma unroll
      for (unsigned j = 0; j < steps; ++j) {
        const unsigned like = __match_any_sync(all_lanes, of[j]);
        if (of[j] != none) {
          use(static_cast<unsigned>(v) + 32 * j, of[j],
              counters[of[j]] + __popc(like & ((1U << lane) - 1)));
        }
        __syncwarp();
        if (of[j] != none && like >> lane == 1) {  // the last one
          counters[of[j]] += __popc(like);
        }
        __syncwarp();
      }
    }
  }

  __device__ void sum_blocks() {
    const unsigned t = threadIdx.x, c = t % classes;
    if (t < classes) {
      shared_.first[t] = shared_.all[t] = 0;
    }
    __syncthreads();
    unsigned before = 0, all = 0;
    for (unsigned b = t / classes; b < blocks_; b += blockDim.x / classes) {
      const unsigned count = counts_[b * classes + c];
      all += count;
      before += b < blockIdx.x ? count : 0;
    }
    atomicAdd(shared_.first + c, before);
    atomicAdd(shared_.all + c, all);
    __syncthreads();
    if (t < 32) {
      constexpr unsigned each = classes / 32;
      unsigned sum = 0;
      for (unsigned k = 0; k < each; ++k) {
        sum += shared_.all[each * t + k];
      }
      unsigned smaller = inclusive_sum(static_cast<int>(sum), static_cast<int>(t)) - sum;
      for (unsigned k = each * t; k < each * t + each; ++k) {
        const unsigned count = shared_.all[k];
        shared_.all[k] = smaller;
        shared_.first[k] += smaller;
        smaller += count;
      }
    }
    __syncthreads();
  }

  const DeviceGraph<Offset>& graph_;
  unsigned* counts_;
  unsigned blocks_;
  Shared& shared_;
};

}  // namespace sparserepro::adaptive
