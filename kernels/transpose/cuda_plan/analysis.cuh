// Analysis of cuda_plan: from the permutation of a transposition to the places of every entry in
// its tile of A and in its tile of A^T. A tile is `tile` consecutive entries, so that each is full
// whatever the columns look like. Blocks are of 1024 threads.
//
//   count_kernel   starts[c][t]: entries of tile c of A^T that come from tiles of A before t
//   scan_kernel    runs[t][c]: entries of tile t of A that go to tiles of A^T before c |
//   starts[c][t] place_kernel   to_run[p]: place of entry p of A in its tile sorted by tiles of A^T
//                  to_entry[i]: place in the tile of A^T of what arrives there as number i
//
// Within a run the order is whatever the atomic additions made of it: to_run and to_entry agree.
#pragma once

#include <cstdint>
#include <cub/block/block_scan.cuh>

#include "transpose/cuda_plan/move.cuh"

namespace sparserepro::value_plan {

inline constexpr int analysis_threads = 1024;

/// What the analysis reads and writes; passed by value.
struct Analysis {
  const unsigned* source;   ///< [nnz] entry q of A^T is entry source[q] of A
  unsigned nnz, tile;       ///< entries in all, and of a tile
  unsigned tiles;           ///< of A, and of A^T
  std::uint16_t* starts;    ///< [tiles][tiles]
  unsigned* runs;           ///< [tiles][tiles] low half: begin in the tile of A; high half: start
  std::uint16_t* to_run;    ///< [nnz]
  std::uint16_t* to_entry;  ///< [nnz]
  Way way;                  ///< nothing is done where it is not of two passes
};

static __global__ void iota_kernel(unsigned* numbers, unsigned count) {
  for (unsigned e = blockIdx.x * blockDim.x + threadIdx.x; e < count; e += gridDim.x * blockDim.x) {
    numbers[e] = e;
  }
}

/// A block for each tile c of A^T; dynamic shared memory: [tiles] counters.
static __global__ void __launch_bounds__(analysis_threads) count_kernel(Analysis in) {
  using Scan = cub::BlockScan<unsigned, analysis_threads>;
  extern __shared__ unsigned counts[];
  __shared__ typename Scan::TempStorage scan;
  if (!in.way.two_passes()) {
    return;
  }
  for (unsigned t = threadIdx.x; t < in.tiles; t += blockDim.x) {
    counts[t] = 0;
  }
  __syncthreads();
  const unsigned first = blockIdx.x * in.tile, last = min(first + in.tile, in.nnz);
  for (unsigned q = first + threadIdx.x; q < last; q += blockDim.x) {
    atomicAdd(counts + in.source[q] / in.tile, 1U);
  }
  __syncthreads();
  unsigned before = 0;
  for (unsigned base = 0; base < in.tiles; base += blockDim.x) {
    const unsigned t = base + threadIdx.x;
    unsigned start = 0, all = 0;
    Scan(scan).ExclusiveSum(t < in.tiles ? counts[t] : 0, start, all);
    if (t < in.tiles) {
      in.starts[std::size_t{blockIdx.x} * in.tiles + t] =
          static_cast<std::uint16_t>(before + start);
    }
    before += all;
    __syncthreads();
  }
}

/// Entries of tile c of A^T that come from tile t of A.
__device__ inline unsigned run_length(const Analysis& in, unsigned c, unsigned t) {
  const std::uint16_t* const starts = in.starts + std::size_t{c} * in.tiles;
  const unsigned end = t + 1 < in.tiles ? starts[t + 1] : min(in.tile, in.nnz - c * in.tile);
  return end - starts[t];
}

/// A block of 32 x 32 threads for each 32 tiles of A: threadIdx.x counts tiles, threadIdx.y shares
/// of the tiles of A^T.
static __global__ void __launch_bounds__(1024) scan_kernel(Analysis in) {
  __shared__ unsigned sums[32][33];
  if (!in.way.two_passes()) {
    return;
  }
  const unsigned t = blockIdx.x * 32 + threadIdx.x;
  const unsigned share = (in.tiles + 31) / 32;
  const unsigned first = threadIdx.y * share, last = min(first + share, in.tiles);
  unsigned sum = 0;
  if (t < in.tiles) {
    for (unsigned c = first; c < last; ++c) {
      sum += run_length(in, c, t);
    }
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  unsigned begin = 0;
  for (unsigned y = 0; y < threadIdx.y; ++y) {
    begin += sums[y][threadIdx.x];
  }
  if (t < in.tiles) {
    for (unsigned c = first; c < last; ++c) {
      const unsigned start = in.starts[std::size_t{c} * in.tiles + t];
      in.runs[std::size_t{t} * in.tiles + c] = begin | start << 16;
      begin += run_length(in, c, t);
    }
  }
}

/// A block for each tile c of A^T; dynamic shared memory: [tiles] places of the next entries.
static __global__ void __launch_bounds__(analysis_threads) place_kernel(Analysis in) {
  extern __shared__ unsigned next[];
  if (!in.way.two_passes()) {
    return;
  }
  const std::uint16_t* const starts = in.starts + std::size_t{blockIdx.x} * in.tiles;
  for (unsigned t = threadIdx.x; t < in.tiles; t += blockDim.x) {
    next[t] = starts[t];
  }
  __syncthreads();
  const unsigned first = blockIdx.x * in.tile, last = min(first + in.tile, in.nnz);
  for (unsigned q = first + threadIdx.x; q < last; q += blockDim.x) {
    const unsigned p = in.source[q], t = p / in.tile;
    const unsigned slot = atomicAdd(next + t, 1U);
    const unsigned run = in.runs[std::size_t{t} * in.tiles + blockIdx.x];
    in.to_entry[first + slot] = static_cast<std::uint16_t>(q - first);
    in.to_run[p] = static_cast<std::uint16_t>((run & 0xffff) + slot - (run >> 16));
  }
}

}  // namespace sparserepro::value_plan
