// The tiles of the second split of cuda_partition: each takes the runs of a coarse bucket in as
// many consecutive tiles of the first split as together fit it.
//
// With P the exclusive sums of the runs of a bucket, a tile that begins with run i ends before run
// n(i), the largest n with P(n) - P(i) <= tile. Every n(i) is found by bisection at once; one
// thread follows them from the first. Two consecutive tiles hold more than one between them, so
// there are at most 2 entries / tile + 1 of them in a piece of the table.
#pragma once

#include "transpose/cuda_partition/tiles.cuh"
#include "transpose/cuda_partition/two_levels/fit.cuh"

namespace sparserepro::partition {

/// A tile of the second split.
struct SecondTile {
  unsigned bucket;  ///< coarse
  unsigned first_tile, end_tile;
  unsigned begin;  ///< its place among all entries
};

/// The table of the first split in pieces of so many tiles as blocks have threads, bucket by
/// bucket.
struct SecondTiles {
  unsigned pieces;    ///< of each bucket
  unsigned* starts;   ///< [bucket][piece][threads] first tiles, of the first split
  unsigned* places;   ///< [bucket][piece][threads] entries of the piece before
  uint2* totals;      ///< [bucket][piece] tiles and entries
  SecondTile* tiles;  ///< [most]
  unsigned* begin;    ///< [buckets + 1] of tiles
  Gate gate;
};

constexpr std::size_t most_second_tiles(std::size_t nnz, std::size_t tile_entries,
                                        std::size_t pieces) {
  return 2 * nnz / tile_entries + pieces;
}

/// Divides a piece of a bucket's runs: a block each.
template <int threads, int tile_entries>
__global__ void __launch_bounds__(threads)
    cut_runs_kernel(RunTable table, unsigned first_tiles, SecondTiles out) {
  __shared__ unsigned sums[threads + 1], warp_sums[threads / 32];
  __shared__ std::uint16_t next[threads], chosen[threads];
  __shared__ unsigned count;
  follow_previous_kernel();
  if (out.gate.closed()) {
    return;
  }
  const unsigned bucket = blockIdx.x / out.pieces, piece = blockIdx.x % out.pieces;
  const unsigned first = piece * threads;
  const unsigned runs = min(first_tiles - first, unsigned{threads});
  const unsigned size = threadIdx.x < runs ? table.run(bucket, first + threadIdx.x) >> 16 : 0;
  unsigned total;
  sums[threadIdx.x] = block_exclusive_sum<threads>(size, warp_sums, total);
  if (threadIdx.x == 0) {
    sums[threads] = total;
  }
  __syncthreads();
  next[threadIdx.x] =  // a run fits
      static_cast<std::uint16_t>(last_that_fits(sums, threadIdx.x, threads, tile_entries));
  __syncthreads();
  if (threadIdx.x == 0) {
    count = follow(next, chosen, [&](unsigned i) { return i < threads && sums[i] < total; });
    out.totals[blockIdx.x] = {count, total};
  }
  __syncthreads();
  if (threadIdx.x < count) {
    const std::size_t to = std::size_t{blockIdx.x} * threads + threadIdx.x;
    out.starts[to] = first + chosen[threadIdx.x];
    out.places[to] = sums[chosen[threadIdx.x]];
  }
}

/// Numbers the tiles, and begins the table of their runs: a block per coarse bucket.
template <int threads>
__global__ void __launch_bounds__(threads)
    number_tiles_kernel(SecondTiles in, unsigned first_tiles, unsigned digits, RunTable table) {
  __shared__ unsigned warp_sums[2][threads / 32];
  follow_previous_kernel();
  if (in.gate.closed()) {
    return;
  }
  const unsigned bucket = blockIdx.x, lane = threadIdx.x % 32;
  uint2 before{0, 0};  // tiles and entries
  for (unsigned q = threadIdx.x; q < bucket * in.pieces; q += threads) {
    const uint2 more = in.totals[q];
    before.x += more.x;
    before.y += more.y;
  }
  uint2 all;
  block_exclusive_sum<threads>(before.x, warp_sums[0], all.x);
  block_exclusive_sum<threads>(before.y, warp_sums[1], all.y);
  if (threadIdx.x == 0) {
    in.begin[bucket] = all.x;
  }
  for (unsigned piece = threadIdx.x / 32; piece < in.pieces; piece += threads / 32) {
    uint2 at{0, 0};
    for (unsigned p = lane; p < piece; p += 32) {
      const uint2 more = in.totals[bucket * in.pieces + p];
      at.x += more.x;
      at.y += more.y;
    }
    at = {all.x + __reduce_add_sync(full_warp, at.x), all.y + __reduce_add_sync(full_warp, at.y)};
    const unsigned own = bucket * in.pieces + piece, count = in.totals[own].x;
    for (unsigned k = lane; k < count; k += 32) {
      const std::size_t from = std::size_t{own} * threads + k;
      const unsigned end =
          k + 1 < count ? in.starts[from + 1] : min((piece + 1) * threads, first_tiles);
      const unsigned place = at.y + in.places[from];
      in.tiles[at.x + k] = {bucket, in.starts[from], end, place};
      table.begin[at.x + k] = place;
      table.range[at.x + k] = digits << 16;
    }
    if (lane == 0 && bucket == gridDim.x - 1 && piece == in.pieces - 1) {
      in.begin[bucket + 1] = at.x + count;
    }
  }
}

}  // namespace sparserepro::partition
