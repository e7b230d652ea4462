// Statistics of the rows of a matrix: lengths of all rows, and of a sample of them the likeness of
// neighbours and the distance of columns from the diagonal.
#pragma once

#include <cub/warp/warp_reduce.cuh>

#include "cuda/host_answer.hpp"
#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"

namespace sparserepro::balanced {

/// Threads of a block of row_statistics_kernel.
inline constexpr int statistics_threads = 256;

/// Sums of a block, which go to memory at its end: additions of every warp to one address of it
/// would take longer than all reads.
struct BlockSums {
  enum Count {
    short_entries,
    padded_entries,
    padded_whole,
    segments,
    looked,
    same,
    sampled,
    repeated,
    near,
    near_distances,
    middle,
    middle_distances,
    counts
  };
  static constexpr int warps = statistics_threads / 32;
  unsigned long long of[counts][warps];
  unsigned longest[warps];
  unsigned bin_rows[RowStatistics::bins], long_rows[RowStatistics::bins];

  __device__ void clear() {
    constexpr int words = sizeof(BlockSums) / sizeof(unsigned);
    for (int w = static_cast<int>(threadIdx.x); w < words; w += statistics_threads) {
      reinterpret_cast<unsigned*>(this)[w] = 0;
    }
  }

  /// The warp's part of `count`: the sum of `value` over its lanes, all of which take part.
  __device__ void put(Count count, unsigned long long value) {
    using Reduce = cub::WarpReduce<unsigned long long>;
    typename Reduce::TempStorage storage;
    static_assert(sizeof storage == 1);  // empty: it need not be shared
    value = Reduce(storage).Sum(value);
    if (threadIdx.x % 32 == 0) {
      of[count][threadIdx.x / 32] = value;
    }
  }

  __device__ void add_to(RowStatistics* out) const {
    unsigned long long* const to[counts] = {
        &out->short_entries,  &out->padded_entries, &out->padded_whole,    &out->segments,
        &out->looked_entries, &out->same_entries,   &out->sampled_entries, &out->repeated_entries,
        &out->near.entries,   &out->near.distances, &out->middle.entries,  &out->middle.distances};
    const unsigned t = threadIdx.x;
    if (t < counts) {
      unsigned long long sum = 0;
      for (const unsigned long long part : of[t]) {
        sum += part;
      }
      if (sum != 0) {
        atomicAdd(to[t], sum);
      }
    }
    if (t < RowStatistics::bins) {
      if (bin_rows[t] != 0) {
        atomicAdd(&out->bin_rows[t], static_cast<unsigned long long>(bin_rows[t]));
      }
      if (long_rows[t] != 0) {
        atomicAdd(&out->long_rows[t], static_cast<unsigned long long>(long_rows[t]));
      }
    }
    if (t == 0) {
      unsigned most = 0;
      for (const unsigned part : longest) {
        most = max(most, part);
      }
      atomicMax(&out->longest, static_cast<unsigned long long>(most));
    }
  }
};

/// The bin of RowStatistics of a row of `length` entries, were it not long.
template <class Offset>
__device__ inline int bin_of(Offset length) {
  constexpr int last = RowStatistics::long_bin - 1;
  return length == 0                  ? 0
         : length > (1 << (last - 1)) ? last
                                      : 33 - __clz(static_cast<int>(length) - 1);
}

template <class Offset>
__device__ inline int bin_of(Offset length, int segment) {
  return length > segment ? RowStatistics::long_bin : bin_of(length);
}

/// Counts rows by bin, their entries and segments into `sums` in shared memory; a thread a row, of
/// `blocks` blocks by whole warps.
template <class Offset>
__device__ void count_lengths(const Offset* __restrict__ row_ptr, index_t rows, int segment,
                              unsigned block, unsigned blocks, BlockSums& sums) {
  unsigned long long entries = 0, padded = 0, padded_whole = 0, segments = 0;
  unsigned most = 0;
  const std::int64_t step = std::int64_t{blocks} * blockDim.x;
  for (std::int64_t base = std::int64_t{block} * blockDim.x; base < rows; base += step) {
    const std::int64_t i = base + threadIdx.x;
    unsigned whole = 0, kept = 0;
    if (i < rows) {
      const Offset length = row_ptr[i + 1] - row_ptr[i];
      whole = static_cast<unsigned>(min(static_cast<std::int64_t>(length), std::int64_t{1} << 31));
      if (length > segment) {
        atomicAdd(&sums.long_rows[bin_of(length)], 1U);
        segments += static_cast<unsigned long long>((length + segment - 1) / segment);
      } else {
        atomicAdd(&sums.bin_rows[bin_of(length)], 1U);
        kept = whole;
      }
    }
    most = max(most, whole);
    entries += kept;
    padded += __reduce_max_sync(~0U, kept);
    padded_whole += __reduce_max_sync(~0U, whole);
  }
  sums.put(BlockSums::short_entries, entries);
  sums.put(BlockSums::padded_entries, padded);
  sums.put(BlockSums::padded_whole, padded_whole);
  sums.put(BlockSums::segments, segments);
  most = __reduce_max_sync(~0U, most);
  if (threadIdx.x % 32 == 0) {
    sums.longest[threadIdx.x / 32] = most;
  }
}

/// Lanes that look at a row.
inline constexpr int pattern_lanes = RowStatistics::sampled;

/// Whether the row of `length` entries at `cols` has the columns of the row before, which has as
/// many; a team of `pattern_lanes` lanes, whose mask is `team`, takes part.
template <class Offset>
__device__ inline bool repeats_row_before(const index_t* cols, Offset length, unsigned team) {
  constexpr int unroll = 4;
  const int lane = static_cast<int>(threadIdx.x) % pattern_lanes;
  for (Offset p = lane; p - lane < length; p += unroll * pattern_lanes) {
    bool differs = false;
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Offset q = p + u * pattern_lanes;
      differs |= q < length && cols[q] != cols[q - length];
    }
    if (__ballot_sync(team, differs) != 0) {
      return false;
    }
  }
  return true;
}

/// The mask of the calling thread's team.
__device__ inline unsigned pattern_team() {
  return ((1U << pattern_lanes) - 1) << (threadIdx.x % 32 / pattern_lanes * pattern_lanes);
}

/// Looks at row i, of the sample, by a team of lanes: whether it has the columns of the row before,
/// and at its first `sampled` entries.
template <class Offset>
__device__ void look_at_row(const CsrView<Offset, double>& a, std::int64_t i, int segment,
                            BlockSums& sums) {
  const int lane = static_cast<int>(threadIdx.x) % pattern_lanes;
  unsigned long long looked = 0, same = 0, sampled = 0, near = 0, middle = 0, repeated = 0,
                     near_sum = 0, middle_sum = 0;
  const bool on = i < a.rows;
  const Offset begin = on ? a.row_ptr[i] : 0;
  const Offset length = on ? a.row_ptr[i + 1] - begin : 0;
  const Offset before = on && i > 0 ? begin - a.row_ptr[i - 1] : 0;
  const index_t* const cols = a.col_idx + begin;
  const bool taken = lane < length;
  const index_t column = taken ? cols[lane] : 0;
  const index_t other = lane < before ? cols[lane - before] : -1;
  bool met = false;
#pragma unroll
  for (int l = 0; l < pattern_lanes; ++l) {
    met |= __shfl_sync(~0U, other, l, pattern_lanes) == column;
  }
  if (taken) {
    const float slope = static_cast<float>(a.cols) / static_cast<float>(a.rows);
    const float distance = fabsf(static_cast<float>(column) - slope * static_cast<float>(i));
    sampled = 1;
    repeated = met ? 1 : 0;
    near = distance <= BalancedPolicy::near_columns ? 1 : 0;
    near_sum = near * static_cast<unsigned long long>(distance);
    middle = distance <= BalancedPolicy::middle_columns ? 1 : 0;
    middle_sum = middle * static_cast<unsigned long long>(distance);
  }
  if (length <= segment) {
    looked = lane == 0 ? static_cast<unsigned long long>(length) : 0;
    if (length == before && repeats_row_before(cols, length, pattern_team())) {
      same = looked;
    }
  }
  __syncwarp();
  sums.put(BlockSums::looked, looked);
  sums.put(BlockSums::same, same);
  sums.put(BlockSums::sampled, sampled);
  sums.put(BlockSums::repeated, repeated);
  sums.put(BlockSums::near, near);
  sums.put(BlockSums::near_distances, near_sum);
  sums.put(BlockSums::middle, middle);
  sums.put(BlockSums::middle_distances, middle_sum);
}

/// The block that comes here last copies the statistics to the host.
static __device__ void answer_when_last(RowStatistics* all, HostAnswer<RowStatistics>::Place* to) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(&all->blocks, 1ULL) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!last) {
    return;
  }
  __threadfence();
  constexpr unsigned words = sizeof(RowStatistics) / sizeof(unsigned long long);
  static_assert(words <= statistics_threads);
  if (threadIdx.x < words) {
    reinterpret_cast<unsigned long long*>(&to->value)[threadIdx.x] =
        __ldcg(reinterpret_cast<const unsigned long long*>(all) + threadIdx.x);
    __threadfence_system();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *const_cast<volatile unsigned*>(&to->ready) = 1;
  }
}

/// The first `pattern_blocks` blocks look at the rows of the sample, 32 successive ones of each
/// 32 `stride`; the others count the lengths of all rows. `out` is 0 before; `answer` gets a copy.
template <class Offset>
__global__ void __launch_bounds__(statistics_threads)
    row_statistics_kernel(CsrView<Offset, double> a, int segment, unsigned pattern_blocks,
                          std::int64_t stride, RowStatistics* out,
                          HostAnswer<RowStatistics>::Place* answer) {
  __shared__ BlockSums sums;
  sums.clear();
  __syncthreads();
  if (blockIdx.x < pattern_blocks) {
    constexpr int chunk = 32;
    const std::int64_t team = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / pattern_lanes;
    look_at_row(a, team / chunk * chunk * stride + team % chunk, segment, sums);
  } else {
    count_lengths(a.row_ptr, a.rows, segment, blockIdx.x - pattern_blocks,
                  gridDim.x - pattern_blocks, sums);
  }
  __syncthreads();
  sums.add_to(out);
  answer_when_last(out, answer);
}

}  // namespace sparserepro::balanced
