// Merge of pairs of any length on the device, by splitters.
//
//   1. every sp_dist-th element of each segment is a splitter
//   2. the splitters of a pair are merged by the same method, or in shared memory (merge_small.cuh)
//      where a segment has at most sp_dist of them
//   3. two neighbours in merged order bound an independent merge of at most sp_dist elements from
//      each segment; a block does it in shared memory, a thread finds the place of an element
//
// The merge that splitter s begins starts at positions (a, b) of the left and right segment:
//
//   s in the left segment    a = position of s, b = first of the right with key >= key(s)
//   s in the right segment   b = position of s, a = first of the left with key > key(s)
//
// so that equal keys of the left segment come first. Source: transposition seed IV-E. Corrected:
// the seed allocates and frees the arrays of every recursion at each call; here the plan owns them.
#pragma once

#include <deque>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "primitives/papers/merge_small.cuh"

namespace sparserepro::device {

/// Positions in the array where an independent merge begins: a in the left, b in the right segment.
struct MergeBegin {
  std::uint32_t a, b;
};

/// Length of an array, and of its sorted segments, whose pairs are merged.
struct MergeLevel {
  std::int64_t segment, length;
};

/// Bytes of shared memory that an independent merge needs.
constexpr std::int64_t splitter_merge_bytes(std::int64_t sp_dist) {
  return 2 * sp_dist * std::int64_t{sizeof(index_t)};
}

/// Splitters of a full segment of `level`.
inline __host__ __device__ std::int64_t splitters_of_segment(const MergeLevel& level,
                                                             std::int64_t sp_dist) {
  return ceil_div(level.segment, sp_dist);
}

/// Writes the splitters of `level`: segment k of `out_keys` [splitters.length] holds those of
/// segment k of `keys`, and `out_position` their positions in `keys`.
template <int = 0>
__global__ void choose_splitters_kernel(const index_t* keys, MergeLevel level, std::int64_t sp_dist,
                                        MergeLevel splitters, index_t* out_keys,
                                        std::uint32_t* out_position) {
  const std::int64_t x = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (x < splitters.length) {
    const std::int64_t position =
        x / splitters.segment * level.segment + x % splitters.segment * sp_dist;
    out_keys[x] = keys[position];
    out_position[x] = static_cast<std::uint32_t>(position);
  }
}

/// begins[x] = where the merge begins that the x-th splitter in merged order begins.
template <int = 0>
__global__ void merge_begins_kernel(const index_t* keys, MergeLevel level, MergeLevel splitters,
                                    const std::uint32_t* merged_position, MergeBegin* begins) {
  const std::int64_t x = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (x >= splitters.length) {
    return;
  }
  const Pair pair = Pair::at(x / (2 * splitters.segment), level.segment, level.length);
  const std::int64_t position = merged_position[x];
  const index_t key = keys[position];
  const std::int64_t a =
      position < pair.right ? position : search<true>(keys, pair.left, pair.right, key);
  const std::int64_t b =
      position < pair.right ? search<false>(keys, pair.right, pair.end, key) : position;
  begins[x] = {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
}

/// Block x writes the output of merge x.
template <class Payload>
__global__ void merge_between_kernel(const index_t* keys, const Payload* payload, MergeLevel level,
                                     MergeLevel splitters, const MergeBegin* begins,
                                     index_t* out_keys, Payload* out_payload) {
  extern __shared__ index_t key[];
  const std::int64_t x = blockIdx.x;
  const std::int64_t number = x / (2 * splitters.segment);
  const Pair pair = Pair::at(number, level.segment, level.length);
  const MergeBegin from = begins[x];
  const bool last = x + 1 == splitters.length || (x + 1) / (2 * splitters.segment) != number;
  const MergeBegin to = last ? MergeBegin{static_cast<std::uint32_t>(pair.right),
                                          static_cast<std::uint32_t>(pair.end)}
                             : begins[x + 1];
  const unsigned left = to.a - from.a, count = left + to.b - from.b;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    key[i] = keys[i < left ? std::int64_t{from.a} + i : std::int64_t{from.b} + i - left];
  }
  __syncthreads();
  const std::int64_t begin = std::int64_t{from.a} + from.b - pair.right;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    const index_t own = key[i];
    const unsigned place = i < left ? i + search<false>(key, left, count, own) - left
                                    : i + search<true>(key, 0U, left, own) - left;
    out_keys[begin + place] = own;
    out_payload[begin + place] =
        payload[i < left ? std::int64_t{from.a} + i : std::int64_t{from.b} + i - left];
  }
}

/// Plan of the merges of arrays of `length` elements in segments of `segment`; owns the splitters.
class SplitterMerge {
 public:
  SplitterMerge(std::int64_t length, std::int64_t segment, std::int64_t sp_dist, int block_size,
                cudaStream_t stream)
      : sp_dist_(sp_dist), block_size_(block_size) {
    levels_.push_back({std::min(segment, std::max<std::int64_t>(length, 1)), length});
    while (levels_.back().segment > sp_dist_ && levels_.back().length > sp_dist_) {
      const MergeLevel& level = levels_.back();
      const std::int64_t rest = level.length % level.segment;
      const std::int64_t count = splitters_of_segment(level, sp_dist_);
      const std::int64_t total = level.length / level.segment * count + ceil_div(rest, sp_dist_);
      levels_.push_back({count, total});
      splitters_.emplace_back(static_cast<std::size_t>(total), stream);
    }
  }

  template <class Payload>
  void operator()(const index_t* keys, const Payload* payload, index_t* out_keys,
                  Payload* out_payload, cudaStream_t stream) {
    if (levels_.front().length > 0) {
      merge_level(0, keys, payload, out_keys, out_payload, stream);
    }
  }

  std::int64_t workspace_bytes() const {
    std::int64_t bytes = 0;
    for (const Splitters& each : splitters_) {
      bytes += static_cast<std::int64_t>(2 * each.keys.bytes() + 2 * each.position.bytes() +
                                         each.begins.bytes());
    }
    return bytes;
  }

 private:
  struct Splitters {
    Splitters(std::size_t count, cudaStream_t stream)
        : keys(count, stream),
          merged_keys(count, stream),
          position(count, stream),
          merged_position(count, stream),
          begins(count, stream) {}
    DeviceBuffer<index_t> keys, merged_keys;
    DeviceBuffer<std::uint32_t> position, merged_position;
    DeviceBuffer<MergeBegin> begins;
  };

  template <class Payload>
  void merge_level(std::size_t l, const index_t* keys, const Payload* payload, index_t* out_keys,
                   Payload* out_payload, cudaStream_t stream) {
    const MergeLevel level = levels_[l];
    if (l + 1 == levels_.size()) {
      merge_small(keys, payload, level.length, level.segment, block_size_, out_keys, out_payload,
                  stream);
      return;
    }
    constexpr unsigned threads = 256;
    const MergeLevel next = levels_[l + 1];
    Splitters& splitters = splitters_[l];
    const auto blocks = static_cast<unsigned>(ceil_div<std::int64_t>(next.length, threads));
    choose_splitters_kernel<><<<blocks, threads, 0, stream>>>(
        keys, level, sp_dist_, next, splitters.keys.data(), splitters.position.data());
    CUDA_CHECK_LAUNCH();
    merge_level(l + 1, splitters.keys.data(), splitters.position.data(),
                splitters.merged_keys.data(), splitters.merged_position.data(), stream);
    merge_begins_kernel<><<<blocks, threads, 0, stream>>>(
        keys, level, next, splitters.merged_position.data(), splitters.begins.data());
    CUDA_CHECK_LAUNCH();
    const auto bytes = static_cast<std::size_t>(splitter_merge_bytes(sp_dist_));
    allow_shared_bytes(merge_between_kernel<Payload>, bytes);
    merge_between_kernel<<<static_cast<unsigned>(next.length), static_cast<unsigned>(block_size_),
                           bytes, stream>>>(keys, payload, level, next, splitters.begins.data(),
                                            out_keys, out_payload);
    CUDA_CHECK_LAUNCH();
  }

  std::int64_t sp_dist_;
  int block_size_;
  std::vector<MergeLevel> levels_;   // [0]: the array; [l + 1]: the splitters of levels_[l]
  std::deque<Splitters> splitters_;  // [l]: the splitters of levels_[l]
};

}  // namespace sparserepro::device
