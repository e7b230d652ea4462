// Transposition of a dense matrix on the device, for products that read X by columns and for the
// layout `column` of libraries.
#pragma once

#include <cstdint>

#include "cuda/launch.hpp"

namespace sparserepro {

/// Size of a tile, which is read along rows and written along columns. 64 rows make a column of the
/// tile four full cache lines of the result; with 32 columns the reads of wide matrices are
/// coalesced. A tile of a matrix with fewer columns is one contiguous range.
struct DenseTransposePolicy {
  static constexpr int block_size = 256;
  static constexpr int tile_rows = 64;
  static constexpr int tile_cols = 32;
};

/// out[c rows + r] = in[r cols + c]. One block a tile; tiles are numbered column by column.
template <class Policy, class Value>
__global__ void __launch_bounds__(Policy::block_size)
    dense_transpose_kernel(const Value* __restrict__ in, std::int64_t rows, std::int64_t cols,
                           std::int64_t tiles_down, Value* __restrict__ out) {
  constexpr int pitch = Policy::tile_rows + 1;
  __shared__ Value tile[Policy::tile_cols * pitch];
  const std::int64_t row0 = blockIdx.x % tiles_down * Policy::tile_rows;
  const std::int64_t col0 = blockIdx.x / tiles_down * Policy::tile_cols;
  const int height = static_cast<int>(min(rows - row0, std::int64_t{Policy::tile_rows}));
  const int width = static_cast<int>(min(cols - col0, std::int64_t{Policy::tile_cols}));
  for (int e = static_cast<int>(threadIdx.x); e < height * width; e += Policy::block_size) {
    const int r = e / width;
    const int c = e - r * width;
    tile[c * pitch + r] = in[(row0 + r) * cols + col0 + c];
  }
  __syncthreads();
  for (int e = static_cast<int>(threadIdx.x); e < height * width; e += Policy::block_size) {
    const int c = e / height;
    const int r = e - c * height;
    out[(col0 + c) * rows + row0 + r] = tile[c * pitch + r];
  }
}

/// Queues on `stream` the transposition of `in` (rows x cols, row-major) to `out` (cols x rows,
/// row-major), both in device memory.
template <class Value>
void transpose_dense(const Value* in, std::int64_t rows, std::int64_t cols, Value* out,
                     cudaStream_t stream) {
  using Policy = DenseTransposePolicy;
  const std::int64_t down = ceil_div(rows, std::int64_t{Policy::tile_rows});
  const std::int64_t across = ceil_div(cols, std::int64_t{Policy::tile_cols});
  if (down * across == 0) {
    return;
  }
  dense_transpose_kernel<Policy>
      <<<static_cast<unsigned>(down * across), Policy::block_size, 0, stream>>>(in, rows, cols,
                                                                                down, out);
  CUDA_CHECK_LAUNCH();
}

}  // namespace sparserepro
