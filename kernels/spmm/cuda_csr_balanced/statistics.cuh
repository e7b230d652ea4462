// Statistics of the rows of a matrix: lengths, likeness of neighbouring rows, distance of columns
// from the diagonal.
#pragma once

#include <cub/warp/warp_reduce.cuh>

#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/plan.hpp"

namespace sparserepro::balanced {

/// Adds the warp's sum of `value` to *total; all lanes take part.
__device__ inline void add_warp_sum(unsigned long long value, unsigned long long* total) {
  using Reduce = cub::WarpReduce<unsigned long long>;
  typename Reduce::TempStorage storage;
  static_assert(sizeof storage == 1);  // empty: it need not be shared
  value = Reduce(storage).Sum(value);
  if (threadIdx.x % 32 == 0 && value != 0) {
    atomicAdd(total, value);
  }
}

/// The bin of RowStatistics of a row of `length` entries.
template <class Offset>
__device__ inline int bin_of(Offset length, int segment) {
  if (length > segment) {
    return RowStatistics::long_bin;
  }
  return length == 0 ? 0 : 33 - __clz(static_cast<int>(length) - 1);
}

/// Counts rows by bin, their entries and segments; a thread per row, grid-stride by whole warps.
/// `out` is 0 before.
template <class Offset>
__global__ void row_statistics_kernel(const Offset* __restrict__ row_ptr, index_t rows, int segment,
                                      RowStatistics* out) {
  __shared__ unsigned bin_rows[RowStatistics::bins];
  if (threadIdx.x < RowStatistics::bins) {
    bin_rows[threadIdx.x] = 0;
  }
  __syncthreads();
  unsigned long long entries = 0, padded = 0, segments = 0, most = 0;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t base = std::int64_t{blockIdx.x} * blockDim.x; base < rows; base += step) {
    const std::int64_t i = base + threadIdx.x;
    unsigned longest = 0;
    if (i < rows) {
      const Offset length = row_ptr[i + 1] - row_ptr[i];
      const int bin = bin_of(length, segment);
      atomicAdd(&bin_rows[bin], 1U);
      most = max(most, static_cast<unsigned long long>(length));
      if (bin == RowStatistics::long_bin) {
        segments += static_cast<unsigned long long>((length + segment - 1) / segment);
      } else {
        longest = static_cast<unsigned>(length);
      }
    }
    entries += longest;
    padded += __reduce_max_sync(~0U, longest);
  }
  add_warp_sum(entries, &out->short_entries);
  add_warp_sum(padded, &out->padded_entries);
  add_warp_sum(segments, &out->segments);
  const auto longest = static_cast<unsigned>(min(most, 0xffffffffULL));
  const unsigned longest_of_warp = __reduce_max_sync(~0U, longest);
  if (threadIdx.x % 32 == 0) {
    atomicMax(&out->longest, static_cast<unsigned long long>(longest_of_warp));
  }
  __syncthreads();
  if (threadIdx.x < RowStatistics::bins) {
    atomicAdd(&out->bin_rows[threadIdx.x], static_cast<unsigned long long>(bin_rows[threadIdx.x]));
  }
}

/// Eight lanes per row. same[i] = 1 where row i has the columns of row i - 1 in the same order, and
/// is not long. Counts the entries of these rows, and of the first `sampled` entries of each row
/// those that are far from the diagonal.
template <class Offset>
__global__ void pattern_kernel(CsrView<Offset, double> a, int segment, unsigned char* same,
                               RowStatistics* out) {
  constexpr int team = RowStatistics::sampled;
  const int lane = static_cast<int>(threadIdx.x % team);
  const float slope = a.rows > 0 ? static_cast<float>(a.cols) / static_cast<float>(a.rows) : 0.0F;
  unsigned long long same_entries = 0, sampled = 0, far = 0;
  const std::int64_t teams = std::int64_t{gridDim.x} * (blockDim.x / team);
  const std::int64_t rounds = (a.rows + teams - 1) / teams;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t i =
        round * teams + std::int64_t{blockIdx.x} * (blockDim.x / team) + threadIdx.x / team;
    Offset length = 0;
    const index_t* cols = nullptr;
    bool equal = false;
    if (i < a.rows) {
      const Offset begin = a.row_ptr[i];
      length = a.row_ptr[i + 1] - begin;
      cols = a.col_idx + begin;
      if (lane < length) {
        const float distance = static_cast<float>(cols[lane]) - slope * static_cast<float>(i);
        ++sampled;
        far += fabsf(distance) > BalancedPolicy::near_columns ? 1 : 0;
      }
      equal = i > 0 && length <= segment && begin - a.row_ptr[i - 1] == length;
    }
    const unsigned mask = ((1U << team) - 1) << (threadIdx.x % 32 / team * team);
    for (Offset p = 0; equal && p < length; p += team) {
      const bool differs = p + lane < length && cols[p + lane] != cols[p + lane - length];
      equal = __ballot_sync(mask, differs) == 0;
    }
    if (i < a.rows && lane == 0) {
      same[i] = equal ? 1 : 0;
      same_entries += equal ? static_cast<unsigned long long>(length) : 0;
    }
  }
  add_warp_sum(same_entries, &out->same_entries);
  add_warp_sum(sampled, &out->sampled_entries);
  add_warp_sum(far, &out->far_entries);
}

}  // namespace sparserepro::balanced
