// Kernels of cusparse_spgemm beside the library's product: the strict lower triangle, the number of
// products before each row, blocks of rows, and the masked sum.
#pragma once

#include "triangles/cuda_run.cuh"
#include "triangles/cuda_sum.cuh"
#include "triangles/peers/cusparse_spgemm_call.hpp"

namespace sparserepro::spgemm {

constexpr int threads = 256;

/// Rows [first, last) of X: their entries [begin, end) and their products.
struct RowBlock {
  index_t last;
  std::int32_t begin, end;  ///< entries of X
  std::int64_t products;
};

/// First position p in [begin, end) with numbers[p] >= value; `end` if there is none.
template <class Position, class Value>
__device__ Position lower_bound(const Value* numbers, Position begin, Position end, Value value) {
  while (begin < end) {
    const Position middle = begin + (end - begin) / 2;
    if (numbers[middle] < value) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// Number of the warp in the grid.
__device__ inline std::int64_t global_warp() {
  return (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
}

/// lengths[i] = entries of row i left of the diagonal; lengths[vertices] = 0. One thread a row.
__global__ void lower_lengths(DeviceGraph<std::int32_t> a, std::int32_t* lengths) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < a.vertices) {
    const std::int32_t begin = a.row_ptr[i];
    lengths[i] = lower_bound(a.col_idx, begin, a.row_ptr[i + 1], static_cast<index_t>(i)) - begin;
  } else if (i == a.vertices) {
    lengths[i] = 0;
  }
}

/// Copies the entries left of the diagonal. One warp a row.
__global__ void copy_lower(DeviceGraph<std::int32_t> a, const std::int32_t* row_ptr,
                           index_t* col_idx) {
  const std::int64_t i = global_warp();
  if (i < a.vertices) {
    const std::int32_t to = row_ptr[i], length = row_ptr[i + 1] - to, from = a.row_ptr[i];
    for (std::int32_t p = static_cast<std::int32_t>(threadIdx.x % 32); p < length; p += 32) {
      col_idx[to + p] = a.col_idx[from + p];
    }
  }
}

/// products[i] = multiplications of row i of X Y = sum over entries (i, j) of X of the length of
/// row j of Y; products[rows] = 0. One warp a row.
__global__ void count_products(Operand x, const std::int32_t* y_row_ptr, std::int64_t* products) {
  const std::int64_t i = global_warp();
  if (i > x.rows) {
    return;
  }
  std::uint64_t count = 0;
  if (i < x.rows) {
    const std::int32_t end = x.row_ptr[i + 1];
    for (std::int32_t p = x.row_ptr[i] + static_cast<std::int32_t>(threadIdx.x % 32); p < end;
         p += 32) {
      const index_t j = x.col_idx[p];
      count += static_cast<std::uint64_t>(y_row_ptr[j + 1] - y_row_ptr[j]);
    }
  }
  count = warp_sum(count);
  if (threadIdx.x % 32 == 0) {
    products[i] = static_cast<std::int64_t>(count);
  }
}

/// The longest block from row `first` on with at most `budget` products and at least one row.
/// `before` [rows+1] = products of the rows before each row. One thread.
__global__ void find_block(Operand x, const std::int64_t* before, index_t first,
                           std::int64_t budget, RowBlock* block) {
  const std::int64_t start = before[first];
  const auto beyond =
      lower_bound(before, std::int64_t{first} + 1, std::int64_t{x.rows} + 1, start + budget + 1);
  const std::int64_t last = beyond - 1 > first ? beyond - 1 : std::int64_t{first} + 1;
  *block = {static_cast<index_t>(last), x.row_ptr[first], x.row_ptr[last], before[last] - start};
}

/// out[r] = row_ptr[r] - row_ptr[0] for the `count` pointers of a block.
__global__ void rebase(const std::int32_t* row_ptr, std::int64_t count, std::int32_t* out) {
  const std::int64_t r = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (r < count) {
    out[r] = row_ptr[r] - row_ptr[0];
  }
}

__global__ void fill_ones(float* values, std::int64_t count) {
  const std::int64_t p = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (p < count) {
    values[p] = 1.0F;
  }
}

constexpr std::int64_t entries_per_warp = 2048;

/// Adds the elements of C at which A has an entry, with `lower_only` only those left of the
/// diagonal. Row 0 of C is row `first` of the product. A warp takes `entries_per_warp` consecutive
/// entries of C, so that warps share long rows; a binary search finds each in its row of A.
__global__ void add_masked(Product c, DeviceGraph<std::int32_t> a, index_t first, bool lower_only,
                           std::uint64_t* sum) {
  std::uint64_t found = 0;
  const std::int64_t begin = global_warp() * entries_per_warp;
  const std::int64_t end = min(begin + entries_per_warp, c.nnz);
  std::int64_t p = begin + threadIdx.x % 32;
  if (p < end) {
    index_t r = lower_bound(c.row_ptr, index_t{0}, c.rows, static_cast<std::int32_t>(p) + 1) - 1;
    for (; p < end; p += 32) {
      while (c.row_ptr[r + 1] <= p) {
        ++r;
      }
      const index_t i = first + r, j = c.col_idx[p];
      if (lower_only && j > i) {
        continue;
      }
      const std::int32_t row_end = a.row_ptr[i + 1];
      const std::int32_t at = lower_bound(a.col_idx, a.row_ptr[i], row_end, j);
      if (at < row_end && a.col_idx[at] == j) {
        found += static_cast<std::uint64_t>(c.values[p]);
      }
    }
  }
  add_block_sum(sum, found);
}

}  // namespace sparserepro::spgemm
