// What cuda_csr_balanced learns of a matrix before it multiplies: lengths of rows, how alike
// neighbouring rows are, how far columns lie from the diagonal.
#pragma once

#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/policy.hpp"

namespace sparserepro::balanced {

__device__ inline unsigned long long warp_sum(unsigned long long value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(~0U, value, offset);
  }
  return value;
}

__device__ inline void add_warp_sum(unsigned long long value, unsigned long long* total) {
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0 && value != 0) {
    atomicAdd(total, value);
  }
}

/// Bin of a row: 0 without entries, b for (2^(b-2), 2^(b-1)] of them, `long_bin` beyond `segment`.
template <class Offset>
__device__ inline int bin_of(Offset length, int segment) {
  if (length > segment) {
    return RowStatistics::long_bin;
  }
  return length == 0 ? 0 : 33 - __clz(static_cast<int>(length) - 1);
}

/// A thread per row, grid-stride by whole warps.
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

/// Eight lanes per row: same[i] = row i has the columns of row i - 1, one after the other; entries
/// of such rows; of the first entries of each row, those far from the diagonal.
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

/// key[i] puts long rows first, then by falling bin; row[i] = i.
template <class Offset>
__global__ void bin_keys_kernel(const Offset* __restrict__ row_ptr, index_t rows, int segment,
                                unsigned char* key, index_t* row) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) {
    key[i] = static_cast<unsigned char>(RowStatistics::long_bin -
                                        bin_of(row_ptr[i + 1] - row_ptr[i], segment));
    row[i] = static_cast<index_t>(i);
  }
}

/// count[i] = segments of row i, 0 unless it is long.
template <class Offset>
__global__ void segment_counts_kernel(const Offset* __restrict__ row_ptr, index_t rows, int segment,
                                      index_t* count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) {
    const Offset length = row_ptr[i + 1] - row_ptr[i];
    count[i] = length > segment ? static_cast<index_t>((length + segment - 1) / segment) : 0;
  }
}

/// Of segments counted up to and with row i, makes first[i], the first segment of each long row,
/// and segment_row[first[i] ...] = i.
template <class Offset>
__global__ void segment_rows_kernel(const Offset* __restrict__ row_ptr, index_t rows, int segment,
                                    index_t* first, index_t* segment_row) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) {
    const Offset length = row_ptr[i + 1] - row_ptr[i];
    if (length > segment) {
      const auto count = static_cast<index_t>((length + segment - 1) / segment);
      first[i] -= count;
      for (index_t s = 0; s < count; ++s) {
        segment_row[first[i] + s] = static_cast<index_t>(i);
      }
    }
  }
}

/// start[i] = i where a run of equal patterns begins, else 0: their running maximum is each row's
/// beginning of its run.
static __global__ void run_starts_kernel(const unsigned char* __restrict__ same, index_t rows,
                                         index_t* start) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) {
    start[i] = same[i] != 0 ? 0 : static_cast<index_t>(i);
  }
}

/// head[i] = 1 where a group of `group_rows` rows (or the last of its run, fewer) begins.
static __global__ void group_heads_kernel(const index_t* run_start, index_t rows, index_t* head) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows) {
    head[i] = (static_cast<index_t>(i) - run_start[i]) % BalancedPolicy::group_rows == 0 ? 1 : 0;
  }
}

/// first_row[g] of each group, and `rows` after the last; place = groups up to and with row i.
static __global__ void group_rows_kernel(const index_t* __restrict__ place, index_t rows,
                                         index_t* first_row) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < rows && (i == 0 || place[i] != place[i - 1])) {
    first_row[place[i] - 1] = static_cast<index_t>(i);
  }
  if (i == rows - 1) {
    first_row[place[i]] = rows;
  }
}

}  // namespace sparserepro::balanced
