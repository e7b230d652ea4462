// Stable sort of the segments of an array on the device, by rank in shared memory. Element i of a
// segment goes to place
//
//   #{j < i : key[j] <= key[i]} + #{j > i : key[j] < key[i]}
//
// Source: transposition seed IV-B, where a block has one thread an element of its segment. Here a
// block of any size sorts max(1, block_size / segment) whole segments.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/launch.hpp"
#include "formats/types.hpp"

namespace sparserepro::device {

/// Elements that a block sorts: whole segments, at least one.
constexpr std::int64_t rank_sort_span(std::int64_t segment, std::int64_t block_size) {
  return std::max<std::int64_t>(block_size / segment, 1) * segment;
}

/// Bytes of shared memory: keys, sorted keys, sorted payload.
constexpr std::int64_t rank_sort_bytes(std::int64_t span) {
  return 3 * span * std::int64_t{sizeof(index_t)};
}

/// Block x sorts the segments in [x span, (x + 1) span). Where `payload` is null, the payload of an
/// element is its position in the array.
template <int unroll>
__global__ void rank_sort_kernel(const index_t* keys, const std::uint32_t* payload,
                                 std::int64_t length, unsigned segment, unsigned span,
                                 index_t* out_keys, std::uint32_t* out_payload) {
  extern __shared__ index_t key[];
  index_t* const sorted_keys = key + span;
  auto* const sorted_payload = reinterpret_cast<std::uint32_t*>(sorted_keys + span);
  const std::int64_t begin = std::int64_t{blockIdx.x} * span;
  const auto count = static_cast<unsigned>(min(std::int64_t{span}, length - begin));
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    key[i] = keys[begin + i];
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    const unsigned first = i / segment * segment;
    const unsigned last = min(first + segment, count);
    const index_t own = key[i];
    unsigned place = first;
#pragma unroll unroll
    for (unsigned j = first; j < i; ++j) {
      place += key[j] <= own;
    }
#pragma unroll unroll
    for (unsigned j = i + 1; j < last; ++j) {
      place += key[j] < own;
    }
    sorted_keys[place] = own;
    sorted_payload[place] =
        payload == nullptr ? static_cast<std::uint32_t>(begin + i) : payload[begin + i];
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    out_keys[begin + i] = sorted_keys[i];
    out_payload[begin + i] = sorted_payload[i];
  }
}

/// Sorts the segments of `keys`, `payload` [length] in device memory; asynchronous on `stream`.
/// Requires that rank_sort_bytes of a segment fit shared memory.
inline void segmented_rank_sort(const index_t* keys, const std::uint32_t* payload,
                                std::int64_t length, std::int64_t segment, int block_size,
                                index_t* out_keys, std::uint32_t* out_payload,
                                cudaStream_t stream) {
  if (length == 0) {
    return;
  }
  constexpr int unroll = 8;
  segment = std::min(segment, length);
  const std::int64_t span = rank_sort_span(segment, block_size);
  const auto bytes = static_cast<std::size_t>(rank_sort_bytes(span));
  allow_shared_bytes(rank_sort_kernel<unroll>, bytes);
  rank_sort_kernel<unroll>
      <<<static_cast<unsigned>(ceil_div(length, span)), static_cast<unsigned>(block_size), bytes,
         stream>>>(keys, payload, length, static_cast<unsigned>(segment),
                   static_cast<unsigned>(span), out_keys, out_payload);
  CUDA_CHECK_LAUNCH();
}

}  // namespace sparserepro::device
