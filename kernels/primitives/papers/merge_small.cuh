// Merge of pairs of segments that fit shared memory: a binary search in the other segment gives the
// place of each element in the merged pair.
//
//   element i of the left    i + #{j : right[j] <  left[i]}
//   element j of the right   j + #{i : left[i]  <= right[j]}
//
// Source: transposition seed IV-D, where a block merges one pair and has one thread an element.
// Here a block merges max(1, block_size / (2 segment)) whole pairs.
#pragma once

#include <algorithm>

#include "primitives/papers/merge_search.cuh"

namespace sparserepro::device {

/// Elements that a block merges: whole pairs of 2 `segment`, at least one.
constexpr std::int64_t merge_small_span(std::int64_t segment, std::int64_t block_size) {
  return std::max<std::int64_t>(block_size / (2 * segment), 1) * 2 * segment;
}

/// Bytes of shared memory of a block that merges `span` elements.
constexpr std::int64_t merge_small_bytes(std::int64_t span) {
  return span * std::int64_t{sizeof(index_t)};
}

/// Block x merges the pairs in [x span, (x + 1) span); one thread places one element.
template <class Payload>
__global__ void merge_small_kernel(const index_t* keys, const Payload* payload, std::int64_t length,
                                   unsigned segment, unsigned span, index_t* out_keys,
                                   Payload* out_payload) {
  extern __shared__ index_t key[];
  const std::int64_t begin = std::int64_t{blockIdx.x} * span;
  const auto count = static_cast<unsigned>(min(std::int64_t{span}, length - begin));
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    key[i] = keys[begin + i];
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    const unsigned left = i / (2 * segment) * (2 * segment);
    const unsigned right = min(left + segment, count);
    const unsigned end = min(left + 2 * segment, count);
    const index_t own = key[i];
    const unsigned place = i < right ? i + search<false>(key, right, end, own) - right
                                     : i + search<true>(key, left, right, own) - right;
    out_keys[begin + place] = own;
    out_payload[begin + place] = payload[begin + i];
  }
}

/// Merges the pairs of `keys`, `payload` [length] in device memory; asynchronous on `stream`.
/// Requires that merge_small_bytes of a pair fit shared memory.
template <class Payload>
void merge_small(const index_t* keys, const Payload* payload, std::int64_t length,
                 std::int64_t segment, int block_size, index_t* out_keys, Payload* out_payload,
                 cudaStream_t stream) {
  if (length == 0) {
    return;
  }
  segment = std::min(segment, length);
  const std::int64_t span = merge_small_span(segment, block_size);
  const auto bytes = static_cast<std::size_t>(merge_small_bytes(span));
  allow_shared_bytes(merge_small_kernel<Payload>, bytes);
  merge_small_kernel<<<static_cast<unsigned>(ceil_div(length, span)),
                       static_cast<unsigned>(block_size), bytes, stream>>>(
      keys, payload, length, static_cast<unsigned>(segment), static_cast<unsigned>(span), out_keys,
      out_payload);
  CUDA_CHECK_LAUNCH();
}

}  // namespace sparserepro::device
