// Index to pointers on the device: pointers[b] = #{i : index[i] < b} for b in [0, bins].
//
//   1. count      the index is divided into slices; partial[s][b] = elements of slice s equal to b
//   2. vertical   an exclusive scan down each column of `partial`; totals[b] = its sum
//   3. scan       pointers = exclusive scan of the totals (blelloch_scan.cuh)
//
// Two methods count:
//   atomic   an atomic addition for each element, in shared memory where a histogram fits
//   owner    a thread owns a range of bins; a block copies its slice to shared memory in portions,
//            and each thread reads all elements and counts those of its bins, without atomics
// Two methods scan vertically:
//   columns    one thread scans one column; neighbouring threads take neighbouring columns
//   transpose  `partial` is transposed, and one warp scans one row of the result
//
// Source: transposition seed IV-F; `owner` is the improvement that its section VIII proposes.
// Corrected: the seed counts with one thread a block, and holds blocks times bins in 32 bits, which
// overflow. Here `cells_per_element` limits the size of the partial histograms.
#pragma once

#include <algorithm>

#include "primitives/papers/blelloch_scan.cuh"

namespace sparserepro::device {

enum class Counting { atomic, owner };
enum class VerticalScan { columns, transpose };

struct HistogramPolicy {
  /// Upper limit of slices * bins / length; at least one histogram exists. Several blocks can share
  /// a slice where they count by atomic additions; owners need a slice for each block.
  static constexpr std::int64_t cells_per_element(Counting counting) {
    return counting == Counting::atomic ? 1 : 4;
  }
  static constexpr std::int64_t most_slices(Counting counting, std::int64_t bins) {
    return counting == Counting::owner || bins <= shared_bins ? 512 : 64;
  }
  /// Largest histogram in shared memory, 48 KiB. Several such blocks fit a multiprocessor.
  static constexpr std::int64_t shared_bins = 12 * 1024;
  /// Threads of all blocks together that count in global memory.
  static constexpr std::int64_t counting_threads = 256 * 1024;
  static constexpr unsigned portion = 1024;
  static constexpr int scan_threads = 256;

  static std::int64_t slices(Counting counting, std::int64_t length, std::int64_t bins) {
    return std::clamp<std::int64_t>(cells_per_element(counting) * length / bins, 1,
                                    most_slices(counting, bins));
  }
};

struct Slices {
  std::int64_t length, count;
  unsigned bins;

  __device__ std::int64_t begin(std::int64_t s) const {
    return length / count * s + min(s, length % count);
  }
};

/// Block (x, s) counts a part of slice s into partial[s][bins]. With `shared_histogram` the grid
/// has one block a slice.
template <bool shared_histogram>
__global__ void count_atomic_kernel(const index_t* index, Slices slices, std::uint32_t* partial) {
  extern __shared__ std::uint32_t histogram[];
  const std::int64_t s = blockIdx.y;
  std::uint32_t* const row = partial + s * slices.bins;
  std::uint32_t* const counts = shared_histogram ? histogram : row;
  if (shared_histogram) {
    for (unsigned b = threadIdx.x; b < slices.bins; b += blockDim.x) {
      histogram[b] = 0;
    }
    __syncthreads();
  }
  const std::int64_t end = slices.begin(s + 1), stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = slices.begin(s) + std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       i < end; i += stride) {
    atomicAdd(counts + index[i], 1U);
  }
  if (shared_histogram) {
    __syncthreads();
    for (unsigned b = threadIdx.x; b < slices.bins; b += blockDim.x) {
      row[b] = histogram[b];
    }
  }
}

/// Block s counts slice s into partial[s][bins]; thread t owns bins [t * width, (t + 1) * width).
template <bool shared_histogram>
__global__ void count_owner_kernel(const index_t* index, Slices slices, unsigned width,
                                   std::uint32_t* partial) {
  extern __shared__ std::uint32_t histogram[];
  __shared__ index_t elements[HistogramPolicy::portion];
  const std::int64_t s = blockIdx.x;
  std::uint32_t* const row = partial + s * slices.bins;
  std::uint32_t* const counts = shared_histogram ? histogram : row;
  const unsigned first = threadIdx.x * width;
  const unsigned last = min(first + width, slices.bins);
  for (unsigned b = first; b < last; ++b) {
    counts[b] = 0;
  }
  const std::int64_t end = slices.begin(s + 1);
  for (std::int64_t begin = slices.begin(s); begin < end; begin += HistogramPolicy::portion) {
    const auto count =
        static_cast<unsigned>(min(end - begin, std::int64_t{HistogramPolicy::portion}));
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
      elements[i] = index[begin + i];
    }
    __syncthreads();
    for (unsigned i = 0; i < count; ++i) {
      const auto value = static_cast<unsigned>(elements[i]);
      if (value - first < width) {
        ++counts[value];
      }
    }
  }
  if (shared_histogram) {
    __syncthreads();
    for (unsigned b = threadIdx.x; b < slices.bins; b += blockDim.x) {
      row[b] = histogram[b];
    }
  }
}

/// partial[s][b] = elements equal to b in the slices before s; totals[b] = elements equal to b.
/// totals[bins] = 0, so that the scan of the totals ends with the number of all elements.
template <int = 0>
__global__ void scan_columns_kernel(std::uint32_t* partial, Slices slices, std::uint32_t* totals) {
  const std::int64_t b = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (b > slices.bins) {
    return;
  }
  std::uint32_t sum = 0;
  if (b < slices.bins) {
    constexpr int ahead = 8;  // loads in flight; the compiler may not move a load above a store
    std::uint32_t counts[ahead];
    for (std::int64_t begin = 0; begin < slices.count; begin += ahead) {
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        counts[k] = begin + k < slices.count ? partial[(begin + k) * slices.bins + b] : 0;
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        if (begin + k < slices.count) {
          partial[(begin + k) * slices.bins + b] = sum;
          sum += counts[k];
        }
      }
    }
  }
  totals[b] = sum;
}

inline constexpr unsigned transpose_tile = 32;

/// to[b][s] = from[s][b], by tiles of transpose_tile x transpose_tile; any number of threads.
template <int = 0>
__global__ void transpose_kernel(const std::uint32_t* from, Slices slices, std::uint32_t* to) {
  __shared__ std::uint32_t tile[transpose_tile][transpose_tile + 1];
  constexpr unsigned cells = transpose_tile * transpose_tile;
  const std::int64_t column = std::int64_t{blockIdx.x} * transpose_tile;
  const std::int64_t row = std::int64_t{blockIdx.y} * transpose_tile;
  for (unsigned i = threadIdx.x; i < cells; i += blockDim.x) {
    const unsigned r = i / transpose_tile, c = i % transpose_tile;
    if (row + r < slices.count && column + c < slices.bins) {
      tile[r][c] = from[(row + r) * slices.bins + column + c];
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < cells; i += blockDim.x) {
    const unsigned r = i % transpose_tile, c = i / transpose_tile;
    if (row + r < slices.count && column + c < slices.bins) {
      to[(column + c) * slices.count + row + r] = tile[r][c];
    }
  }
}

/// scan_columns_kernel for the transposed matrix [bins][slices]: one warp, or smaller block, a row.
template <int = 0>
__global__ void scan_rows_kernel(std::uint32_t* transposed, Slices slices, std::uint32_t* totals) {
  const unsigned width = min(blockDim.x, 32U), lane = threadIdx.x % width;
  const std::int64_t b = std::int64_t{blockIdx.x} * (blockDim.x / width) + threadIdx.x / width;
  if (threadIdx.x / width >= blockDim.x / width || b > slices.bins) {
    return;
  }
  const unsigned lanes = width == 32 ? ~0U : (1U << width) - 1;
  std::uint32_t sum = 0;
  for (std::int64_t begin = 0; b < slices.bins && begin < slices.count; begin += width) {
    std::uint32_t* const cell = transposed + b * slices.count + begin + lane;
    const std::uint32_t count = begin + lane < slices.count ? *cell : 0;
    std::uint32_t inclusive = count;
    for (unsigned offset = 1; offset < width; offset *= 2) {
      const std::uint32_t below = __shfl_up_sync(lanes, inclusive, offset);
      if (lane >= offset) {
        inclusive += below;
      }
    }
    if (begin + lane < slices.count) {
      *cell = sum + inclusive - count;
    }
    sum += __shfl_sync(lanes, inclusive, width - 1);
  }
  if (lane == 0) {
    totals[b] = sum;
  }
}

/// Plan of the conversions of indices of one length in [0, bins); owns the partial histograms.
class IndexToPointers {
 public:
  IndexToPointers(std::int64_t length, index_t bins, int block_size, Counting counting,
                  VerticalScan vertical_scan, cudaStream_t stream)
      : slices_{length, HistogramPolicy::slices(counting, length, bins),
                static_cast<unsigned>(bins)},
        threads_(static_cast<unsigned>(block_size)),
        counting_(counting),
        vertical_scan_(vertical_scan),
        partial_(cells(), stream),
        transposed_(vertical_scan == VerticalScan::transpose ? cells() : 0, stream),
        totals_(static_cast<std::size_t>(bins) + 1, stream),
        scan_(std::int64_t{bins} + 1, HistogramPolicy::scan_threads, stream) {}

  /// pointers[b] = #{i : index[i] < b}. `index` [length], `pointers` [bins + 1], both in device
  /// memory; asynchronous on `stream`.
  void operator()(const index_t* index, std::uint32_t* pointers, cudaStream_t stream) {
    counting_ == Counting::atomic ? count_atomic(index, stream) : count_owner(index, stream);
    vertical_scan(stream);
    scan_(totals_.data(), pointers, stream);
  }

  std::int64_t workspace_bytes() const {
    return static_cast<std::int64_t>(partial_.bytes() + transposed_.bytes() + totals_.bytes()) +
           scan_.workspace_bytes();
  }

 private:
  std::size_t cells() const { return static_cast<std::size_t>(slices_.count) * slices_.bins; }
  bool in_shared() const { return slices_.bins <= HistogramPolicy::shared_bins; }
  std::size_t histogram_bytes() const {
    return in_shared() ? slices_.bins * sizeof(std::uint32_t) : 0;
  }

  void count_atomic(const index_t* index, cudaStream_t stream) {
    const auto slices = static_cast<unsigned>(slices_.count);
    if (in_shared()) {
      count_atomic_kernel<true>
          <<<{1, slices}, threads_, histogram_bytes(), stream>>>(index, slices_, partial_.data());
    } else {
      partial_.fill_bytes(0, stream);
      const auto blocks = static_cast<unsigned>(
          ceil_div<std::int64_t>(HistogramPolicy::counting_threads, threads_ * slices_.count));
      count_atomic_kernel<false>
          <<<{blocks, slices}, threads_, 0, stream>>>(index, slices_, partial_.data());
    }
    CUDA_CHECK_LAUNCH();
  }

  void count_owner(const index_t* index, cudaStream_t stream) {
    const auto slices = static_cast<unsigned>(slices_.count);
    const unsigned width = ceil_div(slices_.bins, threads_);
    if (in_shared()) {
      allow_shared_bytes(count_owner_kernel<true>, histogram_bytes());
      count_owner_kernel<true>
          <<<slices, threads_, histogram_bytes(), stream>>>(index, slices_, width, partial_.data());
    } else {
      count_owner_kernel<false>
          <<<slices, threads_, 0, stream>>>(index, slices_, width, partial_.data());
    }
    CUDA_CHECK_LAUNCH();
  }

  void vertical_scan(cudaStream_t stream) {
    const unsigned sums = slices_.bins + 1;
    if (vertical_scan_ == VerticalScan::columns) {
      scan_columns_kernel<><<<ceil_div(sums, threads_), threads_, 0, stream>>>(
          partial_.data(), slices_, totals_.data());
    } else {
      const dim3 tiles(ceil_div(slices_.bins, transpose_tile),
                       ceil_div(static_cast<unsigned>(slices_.count), transpose_tile));
      transpose_kernel<>
          <<<tiles, threads_, 0, stream>>>(partial_.data(), slices_, transposed_.data());
      CUDA_CHECK_LAUNCH();
      const unsigned rows = threads_ / std::min(threads_, 32U);
      scan_rows_kernel<><<<ceil_div(sums, rows), threads_, 0, stream>>>(transposed_.data(), slices_,
                                                                        totals_.data());
    }
    CUDA_CHECK_LAUNCH();
  }

  Slices slices_;
  unsigned threads_;
  Counting counting_;
  VerticalScan vertical_scan_;
  DeviceBuffer<std::uint32_t> partial_;     // [slices][bins]
  DeviceBuffer<std::uint32_t> transposed_;  // [bins][slices]
  DeviceBuffer<std::uint32_t> totals_;      // [bins + 1]
  BlellochScan<std::uint32_t, std::uint32_t> scan_;
};

}  // namespace sparserepro::device
