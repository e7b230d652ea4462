// A rank's block of rows, split by columns: entries in the rows of X that the rank holds, and all
// other ones. The former are multiplied while the rows of X that the others name are on their way.
//
// Source: the local and the remote part of a distributed product, as in Balay et al., PETSc Users
// Manual (matrices of type MPIAIJ: diagonal and off-diagonal portion).
#pragma once

#include <algorithm>
#include <cub/cub.cuh>
#include <limits>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/launch.hpp"
#include "formats/ceil_div.hpp"
#include "formats/types.hpp"
#include "sparserepro/arrays.hpp"
#include "spmm/cuda_multi_csr_balanced/row_blocks.hpp"

namespace sparserepro::multi {

/// Columns of the ranks: `share` successive ones each; `rank` is the one that splits.
struct ColumnShares {
  int rank, ranks;
  index_t share;
};

inline constexpr unsigned split_threads = 256;
inline constexpr unsigned split_warps = split_threads / 32;

/// Numbers whose maxima are the two ends of an interval, 0 and 0 being empty: what lacks from the
/// first number to the largest index_t, and the last number plus 1.
struct Reach {
  index_t from_first, end;
  __device__ void add(index_t number) {
    const index_t before = std::numeric_limits<index_t>::max() - number;
    if (before > from_first) {
      atomicMax(&from_first, before);
    }
    if (number + 1 > end) {
      atomicMax(&end, number + 1);
    }
  }
  __device__ void add(const Reach& other) {
    if (other.end > 0) {
      atomicMax(&from_first, other.from_first);
      atomicMax(&end, other.end);
    }
  }
  Interval interval() const {
    return end == 0 ? Interval{0, 0}
                    : Interval{std::numeric_limits<index_t>::max() - from_first, end};
  }
};

/// own_ptr[i + 1] = entries of row i in the rank's own columns. reaches [ranks + 1]: the columns of
/// each other rank that the block names, and at last the rows that name any. A warp takes a row.
template <class Offset>
__global__ void __launch_bounds__(split_threads)
    count_own_kernel(const Offset* row_ptr, const index_t* col_idx, index_t rows,
                     ColumnShares columns, Offset* own_ptr, Reach* reaches) {
  extern __shared__ Reach found[];  // [ranks + 1]
  for (int i = static_cast<int>(threadIdx.x); i <= columns.ranks; i += split_threads) {
    found[i] = {0, 0};
  }
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  for (std::int64_t row = std::int64_t{blockIdx.x} * split_warps + threadIdx.x / 32; row < rows;
       row += std::int64_t{gridDim.x} * split_warps) {
    const std::int64_t begin = row_ptr[row], end = row_ptr[row + 1];
    unsigned own = 0;
    for (std::int64_t p = begin + lane; p < end; p += 32) {
      const index_t column = col_idx[p], owner = column / columns.share;
      if (owner == columns.rank) {
        ++own;
      } else {
        found[owner].add(column);
      }
    }
    own = __reduce_add_sync(~0U, own);
    if (lane == 0) {
      own_ptr[row + 1] = static_cast<Offset>(own);
      if (own < end - begin) {
        found[columns.ranks].add(static_cast<index_t>(row));
      }
    }
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i <= columns.ranks; i += split_threads) {
    reaches[i].add(found[i]);
  }
}

/// Own entries of a row to own_ptr[row], the others to other_ptr[row], which is written, behind all
/// own ones; both in the order of the row.
template <class Offset, class Value>
__global__ void __launch_bounds__(split_threads)
    split_kernel(const Offset* row_ptr, const index_t* col_idx, const Value* values, index_t rows,
                 ColumnShares columns, const Offset* own_ptr, Offset* other_ptr, index_t* to_col,
                 Value* to_value) {
  const std::int64_t behind = ceil_div<std::int64_t>(own_ptr[rows], 4) * 4;
  const unsigned lane = threadIdx.x % 32, before = (1U << lane) - 1;
  for (std::int64_t row = std::int64_t{blockIdx.x} * split_warps + threadIdx.x / 32; row <= rows;
       row += std::int64_t{gridDim.x} * split_warps) {
    const std::int64_t begin = row_ptr[row];
    std::int64_t own = own_ptr[row], other = behind + begin - own;
    if (lane == 0) {
      other_ptr[row] = static_cast<Offset>(begin - own);
    }
    const std::int64_t end = row < rows ? std::int64_t{row_ptr[row + 1]} : begin;
    for (std::int64_t first = begin; first < end; first += 32) {
      const std::int64_t p = first + lane;
      const index_t column = p < end ? col_idx[p] : 0;
      const bool is_own = p < end && column / columns.share == columns.rank;
      const unsigned owns = __ballot_sync(~0U, is_own),
                     others = __ballot_sync(~0U, p < end && !is_own);
      if (p < end) {
        const std::int64_t at =
            is_own ? own + __popc(owns & before) : other + __popc(others & before);
        to_col[at] = column;
        to_value[at] = values[p];
      }
      own += __popc(owns);
      other += __popc(others);
    }
  }
}

/// The two parts of a block, in memory of this.
template <class Offset, class Value>
class ColumnSplit {
 public:
  ColumnSplit() = default;
  /// For a block of `rows` rows and `entries` entries, of one of `ranks` ranks.
  ColumnSplit(std::int64_t rows, std::int64_t entries, int ranks, cudaStream_t s)
      : own_ptr_(static_cast<std::size_t>(rows) + 1, s),
        other_ptr_(static_cast<std::size_t>(rows) + 1, s),
        columns_(static_cast<std::size_t>(entries) + 4, s),
        values_(static_cast<std::size_t>(entries) + 4, s),
        reaches_(static_cast<std::size_t>(ranks) + 1, s) {
    std::size_t bytes = 0;
    scan(nullptr, bytes, rows, s);
    storage_ = DeviceBuffer<char>(bytes, s);
  }

  /// Splits `a`, of the sizes that this was made for; waits for `s`.
  void make(const CsrInput& a, const ColumnShares& shares, cudaStream_t s) {
    const auto* row_ptr = static_cast<const Offset*>(a.row_ptr.data);
    const auto* col_idx = static_cast<const index_t*>(a.col_idx.data);
    const auto rows = static_cast<index_t>(a.rows);
    const auto blocks = static_cast<unsigned>(
        std::min<std::int64_t>(ceil_div<std::int64_t>(a.rows + 1, split_warps),
                               std::int64_t{8} * device_limits().multiprocessors));
    CUDA_CHECK(cudaMemsetAsync(own_ptr_.data(), 0, sizeof(Offset), s));
    reaches_.fill_bytes(0, s);
    count_own_kernel<<<blocks, split_threads, reaches_.bytes(), s>>>(
        row_ptr, col_idx, rows, shares, own_ptr_.data(), reaches_.data());
    CUDA_CHECK_LAUNCH();
    std::size_t bytes = storage_.bytes();
    scan(storage_.data(), bytes, a.rows, s);
    split_kernel<<<blocks, split_threads, 0, s>>>(
        row_ptr, col_idx, static_cast<const Value*>(a.values.data), rows, shares, own_ptr_.data(),
        other_ptr_.data(), columns_.data(), values_.data());
    CUDA_CHECK_LAUNCH();
    Offset own = 0;
    std::vector<Reach> reaches(reaches_.size());
    CUDA_CHECK(
        cudaMemcpyAsync(&own, own_ptr_.data() + a.rows, sizeof own, cudaMemcpyDeviceToHost, s));
    CUDA_CHECK(cudaMemcpyAsync(reaches.data(), reaches_.data(), reaches_.bytes(),
                               cudaMemcpyDeviceToHost, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    own_ = {a.rows, a.cols, own, own_ptr_.data(), columns_.data(), values_.data()};
    named_.clear();
    for (const Reach& reach : reaches) {
      named_.push_back(reach.interval());
    }
    other_rows_ = named_.back();
    other_rows_.first -= other_rows_.first % 4;  // arrays are aligned to 16 bytes
    named_.pop_back();
    const std::int64_t behind = ceil_div<std::int64_t>(own, 4) * 4;
    others_ = {other_rows_.size(),
               a.cols,
               a.nnz - own,
               other_ptr_.data() + other_rows_.first,
               columns_.data() + behind,
               values_.data() + behind};
  }

  /// Entries in the rank's own columns; all rows of the block.
  const CsrInput& own() const { return own_; }
  /// The other entries; the rows other_rows() of the block, the first being a multiple of 4.
  const CsrInput& others() const { return others_; }
  const Interval& other_rows() const { return other_rows_; }
  /// The columns of `rank` from the first to the last that others() names.
  const Interval& named(int rank) const { return named_[static_cast<std::size_t>(rank)]; }
  std::size_t bytes() const {
    return own_ptr_.bytes() + other_ptr_.bytes() + columns_.bytes() + values_.bytes() +
           reaches_.bytes() + storage_.bytes();
  }

 private:
  void scan(void* storage, std::size_t& bytes, std::int64_t rows, cudaStream_t s) {
    CUDA_CHECK(cub::DeviceScan::InclusiveSum(storage, bytes, own_ptr_.data() + 1,
                                             own_ptr_.data() + 1, rows, s));
  }

  DeviceBuffer<Offset> own_ptr_, other_ptr_;  // [rows + 1]
  DeviceBuffer<index_t> columns_;             // own entries, then from a multiple of 4 the others
  DeviceBuffer<Value> values_;
  DeviceBuffer<Reach> reaches_;
  DeviceBuffer<char> storage_;
  CsrInput own_, others_;
  std::vector<Interval> named_;
  Interval other_rows_;
};

}  // namespace sparserepro::multi
