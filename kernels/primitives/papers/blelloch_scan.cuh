// Exclusive scan on the device by Blelloch's tree, recursive over the sums of blocks:
// out[i] = in[0] + ... + in[i-1].
//
//   up sweep    a block adds up its tile by a binary tree of sums in shared memory
//   recursion   the same method scans the sums of the blocks, until one block holds them
//   down sweep  a block builds its tree again and sets the root to the sum of all blocks before it;
//               left child = parent, right child = parent + sum of the left subtree
//
// Each thread first adds up `scan_items` elements; the tree has one leaf a thread. The seed writes
// the scan of each block and adds the offsets in a second pass over the result, which moves
// 4 + 8 + 16 bytes an element (input of 32 bits, sums of 64). Here the input is read twice and the
// result written once: 4 + 4 + 8 bytes.
// Source: Blelloch 1990; Harris, Sengupta, Owens, GPU Gems 3, chapter 39; transposition seed IV-A.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"

namespace sparserepro::device {

/// Elements that a thread adds up. An odd number spreads the threads of a warp over all banks.
inline constexpr int scan_items = 7;

/// Place of tree node i in shared memory. One word in 32 stays unused, so that nodes a power of two
/// apart lie in different banks.
__device__ __forceinline__ unsigned tree_index(unsigned i) {
  return i + i / 32;
}
/// Words of a tree with `threads` leaves, unused ones included.
constexpr std::size_t tree_words(std::size_t threads) {
  return threads + threads / 32;
}

/// Builds the sums of subtrees in `tree` [tree_words(threads)], shared memory. Afterwards node
/// threads - 1 holds the sum of the values of all threads. Requires a power of two of threads.
template <class Sum>
__device__ void up_sweep(Sum value, Sum* tree) {
  const unsigned t = threadIdx.x, threads = blockDim.x;
  tree[tree_index(t)] = value;
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    __syncthreads();
    const unsigned right = (t + 1) * 2 * stride - 1;
    if (right < threads) {
      tree[tree_index(right)] += tree[tree_index(right - stride)];
    }
  }
  __syncthreads();
}

/// Returns `root` plus the values of all threads before this one. Requires the tree of up_sweep.
template <class Sum>
__device__ Sum down_sweep(Sum root, Sum* tree) {
  const unsigned t = threadIdx.x, threads = blockDim.x;
  if (t == 0) {
    tree[tree_index(threads - 1)] = root;
  }
  for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    const unsigned right = (t + 1) * 2 * stride - 1;
    if (right < threads) {
      const Sum left = tree[tree_index(right - stride)];
      tree[tree_index(right - stride)] = tree[tree_index(right)];
      tree[tree_index(right)] += left;
    }
  }
  __syncthreads();
  return tree[tree_index(t)];
}

/// Loads the thread's `scan_items` consecutive elements of the tile that begins at `begin`; zeros
/// beyond `length`. The block reads the tile coalesced into `stage` [scan_items * threads], shared
/// memory, which the caller may overwrite after a barrier.
template <class In>
__device__ void load_items(const In* in, std::int64_t begin, std::int64_t length, In* stage,
                           In (&items)[scan_items]) {
  const unsigned threads = blockDim.x;
  for (unsigned k = 0; k < scan_items; ++k) {
    const unsigned i = k * threads + threadIdx.x;
    stage[i] = begin + i < length ? in[begin + i] : In{0};
  }
  __syncthreads();
  for (unsigned k = 0; k < scan_items; ++k) {
    items[k] = stage[threadIdx.x * scan_items + k];
  }
}

/// Up sweep: sums[x] = sum of tile x of `in` [length].
template <class In, class Sum>
__global__ void block_sums_kernel(const In* in, std::int64_t length, Sum* sums) {
  extern __shared__ std::int64_t shared[];
  Sum* const tree = reinterpret_cast<Sum*>(shared);
  const std::int64_t begin = std::int64_t{blockIdx.x} * blockDim.x * scan_items;
  Sum sum = 0;
  for (unsigned k = 0; k < scan_items; ++k) {
    const std::int64_t i = begin + k * blockDim.x + threadIdx.x;
    sum += i < length ? static_cast<Sum>(in[i]) : Sum{0};
  }
  up_sweep(sum, tree);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = tree[tree_index(blockDim.x - 1)];
  }
}

/// Scans the block's tile. `offsets` [blocks] holds the scanned sums of the blocks; null where
/// there is one block.
template <class In, class Sum>
__global__ void block_scan_kernel(const In* in, std::int64_t length, const Sum* offsets, Sum* out) {
  extern __shared__ std::int64_t shared[];
  Sum* const tree = reinterpret_cast<Sum*>(shared);
  Sum* const stage = tree + tree_words(blockDim.x);
  const std::int64_t begin = std::int64_t{blockIdx.x} * blockDim.x * scan_items;
  In items[scan_items];
  load_items(in, begin, length, reinterpret_cast<In*>(stage), items);
  Sum sum = 0;
  for (const In item : items) {
    sum += static_cast<Sum>(item);
  }
  up_sweep(sum, tree);
  Sum running = down_sweep(offsets == nullptr ? Sum{0} : offsets[blockIdx.x], tree);
  for (unsigned k = 0; k < scan_items; ++k) {
    stage[threadIdx.x * scan_items + k] = running;
    running += static_cast<Sum>(items[k]);
  }
  __syncthreads();
  for (unsigned k = 0; k < scan_items; ++k) {
    const unsigned i = k * blockDim.x + threadIdx.x;
    if (begin + i < length) {
      out[begin + i] = stage[i];
    }
  }
}

/// Plan of the scans of arrays of one length; owns the sums of blocks. `block_size` is a power of
/// two.
template <class In, class Sum>
class BlellochScan {
 public:
  BlellochScan() = default;
  BlellochScan(std::int64_t length, int block_size, cudaStream_t stream)
      : length_(length), block_size_(block_size) {
    const std::int64_t tile = std::int64_t{block_size} * scan_items;
    for (std::int64_t n = ceil_div(length, tile); n > 1; n = ceil_div(n, tile)) {
      sums_.emplace_back(static_cast<std::size_t>(n), stream);
    }
    allow_all_shared(block_scan_kernel<In, Sum>, block_scan_kernel<Sum, Sum>);
  }

  /// out[i] = in[0] + ... + in[i-1] for i in [0, length), in device memory, asynchronous on
  /// `stream`. `out` may be `in`.
  void operator()(const In* in, Sum* out, cudaStream_t stream) {
    if (length_ > 0) {
      level(in, out, length_, 0, stream);
    }
  }

  std::int64_t workspace_bytes() const {
    std::int64_t bytes = 0;
    for (const auto& sums : sums_) {
      bytes += static_cast<std::int64_t>(sums.bytes());
    }
    return bytes;
  }

 private:
  std::size_t tree_bytes() const {
    return tree_words(static_cast<std::size_t>(block_size_)) * sizeof(Sum);
  }
  std::size_t scan_bytes() const {
    return tree_bytes() + static_cast<std::size_t>(block_size_) * scan_items * sizeof(Sum);
  }

  template <class T>
  void level(const T* in, Sum* out, std::int64_t length, std::size_t depth, cudaStream_t stream) {
    const auto blocks =
        static_cast<unsigned>(ceil_div(length, std::int64_t{block_size_} * scan_items));
    const auto threads = static_cast<unsigned>(block_size_);
    Sum* sums = nullptr;
    if (blocks > 1) {
      sums = sums_[depth].data();
      block_sums_kernel<T, Sum><<<blocks, threads, tree_bytes(), stream>>>(in, length, sums);
      CUDA_CHECK_LAUNCH();
      level<Sum>(sums, sums, blocks, depth + 1, stream);
    }
    block_scan_kernel<T, Sum><<<blocks, threads, scan_bytes(), stream>>>(in, length, sums, out);
    CUDA_CHECK_LAUNCH();
  }

  std::int64_t length_ = 0;
  int block_size_ = 0;
  std::vector<DeviceBuffer<Sum>> sums_;  // [l]: sums of the blocks of depth l; the last has none
};

}  // namespace sparserepro::device
