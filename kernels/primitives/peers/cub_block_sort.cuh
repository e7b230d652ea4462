// Stable sort of segments of one length with CUB's primitives for blocks and warps: a block or a
// warp loads a segment once, sorts it and stores it. A short segment is padded with the largest
// key; a stable sort leaves the padding last.
#pragma once

#include <cstdint>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cuda/std/functional>
#include <limits>

#include "cuda/launch.hpp"
#include "formats/types.hpp"

namespace sparserepro::block_sort {

/// Arrays [length] in device memory, in segments of `segment` elements; the last may be shorter.
struct Arrays {
  const index_t* keys;
  const std::uint32_t* payload;
  index_t* out_keys;
  std::uint32_t* out_payload;
  std::int64_t length, segment;
};

inline constexpr index_t last_key = std::numeric_limits<index_t>::max();

/// Sorts one segment of at most threads * items elements a block, by BlockRadixSort of 31 bits (no
/// key is negative) with `radix`, else by BlockMergeSort.
template <int threads, int items, bool radix>
__global__ void __launch_bounds__(threads) sort_by_block(Arrays a) {
  using LoadKeys = cub::BlockLoad<index_t, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
  using LoadPayload = cub::BlockLoad<std::uint32_t, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
  using StoreKeys = cub::BlockStore<index_t, threads, items, cub::BLOCK_STORE_TRANSPOSE>;
  using StorePayload = cub::BlockStore<std::uint32_t, threads, items, cub::BLOCK_STORE_TRANSPOSE>;
  using Radix = cub::BlockRadixSort<index_t, threads, items, std::uint32_t>;
  using Merge = cub::BlockMergeSort<index_t, threads, items, std::uint32_t>;
  __shared__ union {
    typename LoadKeys::TempStorage load_keys;
    typename LoadPayload::TempStorage load_payload;
    typename StoreKeys::TempStorage store_keys;
    typename StorePayload::TempStorage store_payload;
    std::conditional_t<radix, typename Radix::TempStorage, typename Merge::TempStorage> sort;
  } shared;

  const std::int64_t begin = blockIdx.x * a.segment;
  const int count = static_cast<int>(min(a.segment, a.length - begin));
  index_t keys[items];
  std::uint32_t payload[items];
  LoadKeys(shared.load_keys).Load(a.keys + begin, keys, count, last_key);
  __syncthreads();
  LoadPayload(shared.load_payload).Load(a.payload + begin, payload, count, 0U);
  __syncthreads();
  if constexpr (radix) {
    Radix(shared.sort).SortBlockedToStriped(keys, payload, 0, 31);
    const int thread = static_cast<int>(threadIdx.x);
    cub::StoreDirectStriped<threads>(thread, a.out_keys + begin, keys, count);
    cub::StoreDirectStriped<threads>(thread, a.out_payload + begin, payload, count);
  } else {
    Merge(shared.sort).StableSort(keys, payload, cuda::std::less<>{}, count, last_key);
    __syncthreads();
    StoreKeys(shared.store_keys).Store(a.out_keys + begin, keys, count);
    __syncthreads();
    StorePayload(shared.store_payload).Store(a.out_payload + begin, payload, count);
  }
}

inline constexpr int warps_per_block = 4;

/// Sorts one segment of at most 32 * items elements a warp, by WarpMergeSort.
template <int items>
__global__ void __launch_bounds__(32 * warps_per_block) sort_by_warp(Arrays a) {
  using Merge = cub::WarpMergeSort<index_t, items, 32, std::uint32_t>;
  __shared__ typename Merge::TempStorage shared[warps_per_block];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t begin = (std::int64_t{blockIdx.x} * warps_per_block + warp) * a.segment;
  if (begin >= a.length) {
    return;
  }
  const int count = static_cast<int>(min(a.segment, a.length - begin));
  index_t keys[items];
  std::uint32_t payload[items];
  cub::LoadDirectBlocked(lane, a.keys + begin, keys, count, last_key);
  cub::LoadDirectBlocked(lane, a.payload + begin, payload, count, 0U);
  Merge(shared[warp]).StableSort(keys, payload, cuda::std::less<>{}, count, last_key);
  cub::StoreDirectBlocked(lane, a.out_keys + begin, keys, count);
  cub::StoreDirectBlocked(lane, a.out_payload + begin, payload, count);
}

template <int items>
void launch_warps(const Arrays& a, std::int64_t segments, cudaStream_t stream) {
  sort_by_warp<items><<<static_cast<unsigned>(ceil_div<std::int64_t>(segments, warps_per_block)),
                        32 * warps_per_block, 0, stream>>>(a);
}

template <int threads, int items, bool radix>
void launch_blocks(const Arrays& a, std::int64_t segments, cudaStream_t stream) {
  sort_by_block<threads, items, radix><<<static_cast<unsigned>(segments), threads, 0, stream>>>(a);
}

/// Sorts every segment with the smallest block that holds one. Requires 1 <= segment <= 8192. A
/// warp does the merge sort of up to 128 elements.
template <bool radix>
void sort_segments(const Arrays& a, cudaStream_t stream) {
  const std::int64_t segments = ceil_div(a.length, a.segment);
  if (!radix && a.segment <= 32) {
    launch_warps<1>(a, segments, stream);
  } else if (!radix && a.segment <= 64) {
    launch_warps<2>(a, segments, stream);
  } else if (!radix && a.segment <= 128) {
    launch_warps<4>(a, segments, stream);
  } else if (a.segment <= 128) {
    launch_blocks<32, 4, radix>(a, segments, stream);
  } else if (a.segment <= 256) {
    launch_blocks<64, 4, radix>(a, segments, stream);
  } else if (a.segment <= 512) {
    launch_blocks<128, 4, radix>(a, segments, stream);
  } else if (a.segment <= 1024) {
    launch_blocks<128, 8, radix>(a, segments, stream);
  } else if (a.segment <= 2048) {
    launch_blocks<256, 8, radix>(a, segments, stream);
  } else if (a.segment <= 4096) {
    launch_blocks<256, 16, radix>(a, segments, stream);
  } else {
    launch_blocks<512, 16, radix>(a, segments, stream);
  }
  CUDA_CHECK_LAUNCH();
}

}  // namespace sparserepro::block_sort
