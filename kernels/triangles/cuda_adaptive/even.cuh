// Rows of some tens of entries without hubs, as they are: a warp per vertex, by the middle rule.
//
// The set goes into a filter of 4096 bits in shared memory, of one multiplicative hash. The rows
// are streamed past it, four at a time; the few numbers that pass are searched for in the set,
// which ascends. So a filter that is too small costs time and never a count.
#pragma once

#include "triangles/cuda_adaptive/tally.cuh"

namespace sparserepro::adaptive {

/// One bit for each of a warp's numbers.
class WarpFilter {
 public:
  __device__ explicit WarpFilter(unsigned* words) : words_(words) {}
  /// By all lanes.
  __device__ void clear(int lane) {
    for (int i = lane; i < DeviceAdaptivePolicy::filter_words; i += 32) {
      words_[i] = 0;
    }
    __syncwarp();
  }
  __device__ void insert(index_t w) { atomicOr(words_ + place(w) / 32, 1U << place(w) % 32); }
  /// False when w was not inserted; negative numbers never are.
  __device__ bool may_hold(index_t w) const {
    return w >= 0 && (words_[place(w) / 32] >> place(w) % 32 & 1) != 0;
  }

 private:
  static_assert(DeviceAdaptivePolicy::filter_words == 128, "the hash has 12 bits");
  __device__ static unsigned place(index_t w) {
    return static_cast<unsigned>(w) * 2654435769U >> 20;
  }
  unsigned* words_;
};

template <class Offset>
__device__ bool range_holds(const index_t* col_idx, Offset first, Offset last, index_t w) {
  const Offset end = last;
  while (first < last) {
    const Offset middle = first + (last - first) / 2;
    if (col_idx[middle] < w) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first < end && col_idx[first] == w;
}

template <class Offset, bool per_vertex>
__global__ void __launch_bounds__(DeviceAdaptivePolicy::threads)
    even_kernel(DeviceGraph<Offset> graph, Share share, Tally tally) {
  constexpr int warps = DeviceAdaptivePolicy::threads / 32, in_flight = 4;
  __shared__ unsigned filters[warps][DeviceAdaptivePolicy::filter_words];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const index_t* const col_idx = graph.col_idx;
  WarpFilter filter(filters[threadIdx.x / 32]);
  std::uint64_t sum = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32;
       share.vertex(i) < graph.vertices; i += std::int64_t{gridDim.x} * warps) {
    const auto u = static_cast<index_t>(share.vertex(i));
    const Offset begin = graph.row_ptr[u];
    const auto degree = static_cast<int>(graph.row_ptr[u + 1] - begin);
    int lower = 0;
    for (int k = 0; k < degree; k += 32) {
      const bool below = k + lane < degree && col_idx[begin + k + lane] < u;
      lower += __popc(__ballot_sync(all_lanes, below));
    }
    const Pairing<Offset> pairing = middle_pairing(begin, degree, lower);
    if (pairing.row_count == 0) {
      continue;
    }
    filter.clear(lane);
    for (int k = lane; k < pairing.set_size; k += 32) {
      filter.insert(col_idx[pairing.set + k]);
    }
    __syncwarp();
    std::uint64_t found = 0;
    const auto look_up = [&](index_t y, index_t w) {
      if (filter.may_hold(w) &&
          range_holds(col_idx, pairing.set, pairing.set + pairing.set_size, w)) {
        ++found;
        credit<per_vertex>(tally, static_cast<unsigned>(y), static_cast<unsigned>(w));
      }
    };
    for (int first = 0; first < pairing.row_count; first += 32) {
      index_t y = 0;
      Offset row = 0;
      int length = 0;
      if (first + lane < pairing.row_count) {
        y = col_idx[pairing.rows + first + lane];
        row = graph.row_ptr[y];
        length = static_cast<int>(graph.row_ptr[y + 1] - row);
      }
      const int rows = min(pairing.row_count - first, 32);
      for (int r = 0; r < rows; r += in_flight) {
        // Lanes beyond `rows` have length 0, and 32 is a multiple of `in_flight`.
        index_t of[in_flight], low[in_flight], high[in_flight];
        Offset from[in_flight];
        int left[in_flight];
#pragma unroll
        for (int j = 0; j < in_flight; ++j) {
          of[j] = __shfl_sync(all_lanes, y, r + j);
          from[j] = __shfl_sync(all_lanes, row, r + j);
          left[j] = __shfl_sync(all_lanes, length, r + j);
          low[j] = lane < left[j] ? col_idx[from[j] + lane] : -1;
          high[j] = lane + 32 < left[j] ? col_idx[from[j] + lane + 32] : -1;
        }
#pragma unroll
        for (int j = 0; j < in_flight; ++j) {
          look_up(of[j], low[j]);
          look_up(of[j], high[j]);
          for (int k = lane + 64; k < left[j]; k += 32) {
            look_up(of[j], col_idx[from[j] + k]);
          }
        }
      }
    }
    credit_many<per_vertex>(tally, static_cast<unsigned>(u), found);
    sum += found;
    __syncwarp();
  }
  add_block_sum(tally.sum, sum);
}

}  // namespace sparserepro::adaptive
