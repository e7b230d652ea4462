// Copies of dense matrices between layouts on the device, for X and Y that do not lie in rows
// without gaps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/check.hpp"
#include "formats/ceil_div.hpp"
#include "formats/dense_layout.hpp"

namespace sparserepro::balanced {

/// 64 rows make a column of a tile full lines of a matrix in columns, 32 columns full lines of one
/// in rows of 4 bytes or more.
struct DenseTile {
  static constexpr int rows = 64, cols = 32, threads = 256;
};

/// to(i, j) = from(i, j). Tiles go through shared memory, so that reads and writes are coalesced in
/// either layout.
template <class T>
__global__ void __launch_bounds__(DenseTile::threads)
    copy_dense_kernel(const T* __restrict__ from, Steps from_steps, T* __restrict__ to,
                      Steps to_steps, std::int64_t rows, std::int64_t cols) {
  constexpr int pitch = DenseTile::rows + 1;
  __shared__ T tile[DenseTile::cols * pitch];
  const std::int64_t down = (rows + DenseTile::rows - 1) / DenseTile::rows;
  const std::int64_t tiles = down * ((cols + DenseTile::cols - 1) / DenseTile::cols);
  for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const std::int64_t row0 = t % down * DenseTile::rows, col0 = t / down * DenseTile::cols;
    const int height = static_cast<int>(min(rows - row0, std::int64_t{DenseTile::rows}));
    const int width = static_cast<int>(min(cols - col0, std::int64_t{DenseTile::cols}));
    const auto visit = [&](Steps steps, auto element) {
      for (int e = static_cast<int>(threadIdx.x); e < height * width; e += DenseTile::threads) {
        const bool by_rows = steps.column == 1;
        const int r = by_rows ? e / width : e % height, c = by_rows ? e % width : e / height;
        element(tile[c * pitch + r], (row0 + r) * steps.row + (col0 + c) * steps.column);
      }
    };
    visit(from_steps, [&](T& in_tile, std::int64_t place) { in_tile = from[place]; });
    __syncthreads();
    visit(to_steps, [&](T& in_tile, std::int64_t place) { to[place] = in_tile; });
    __syncthreads();
  }
}

/// Queues to(i, j) = from(i, j) for all elements of a matrix of `rows` x `cols`.
template <class T>
void copy_dense_on_device(const T* from, Steps from_steps, T* to, Steps to_steps, std::int64_t rows,
                          std::int64_t cols, cudaStream_t stream) {
  const std::int64_t tiles =
      ceil_div<std::int64_t>(rows, DenseTile::rows) * ceil_div<std::int64_t>(cols, DenseTile::cols);
  if (tiles > 0) {
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(tiles, 1 << 20));
    copy_dense_kernel<<<blocks, DenseTile::threads, 0, stream>>>(from, from_steps, to, to_steps,
                                                                 rows, cols);
    CUDA_CHECK_LAUNCH();
  }
}

}  // namespace sparserepro::balanced
