// The kernels of cuda_scantrans: count of the digits of a tile (a slice), and its scatter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/entry_rows.cuh"
#include "formats/types.hpp"
#include "transpose/papers/cuda_scantrans/policy.hpp"

namespace sparserepro::scantrans {

inline constexpr int items = ScantransPolicy::items;

/// One pass: a stable sort of the entries by the digit (column >> shift) & (digits - 1).
struct Pass {
  unsigned nnz;
  unsigned tiles, tile;  ///< number of tiles, and entries of each
  int shift, bits;
  unsigned table_stride;  ///< tiles, rounded up to a multiple of counted_tiles
  unsigned* table;        ///< [digits][table_stride]: `inter`, then its exclusive sum

  __host__ __device__ unsigned digits() const { return 1U << bits; }
  __device__ unsigned digit(unsigned column) const { return column >> shift & (digits() - 1); }
};

/// Adds one to counts[digit]. Atomic additions to one counter are serialised, so one lane adds for
/// all if all active lanes have the same digit.
__device__ __forceinline__ void count_digit(unsigned* counts, unsigned digit) {
  const unsigned active = __activemask();
  const int first = __ffs(static_cast<int>(active)) - 1;
  if (__all_sync(active, digit == __shfl_sync(active, digit, first))) {
    if (static_cast<int>(threadIdx.x % 32) == first) {
      atomicAdd(counts + digit, __popc(active));
    }
  } else {
    atomicAdd(counts + digit, 1U);
  }
}

/// Step 1: table[d][t] = entries of tile t with digit d. A block counts counted_tiles tiles.
template <int = 0>
__global__ void __launch_bounds__(ScantransPolicy::count_threads)
    count_kernel(Pass pass, const unsigned* columns) {
  constexpr unsigned group = ScantransPolicy::counted_tiles;
  extern __shared__ unsigned counts[];  // [group][digits]
  const unsigned digits = pass.digits();
  for (unsigned i = threadIdx.x; i < group * digits; i += blockDim.x) {
    counts[i] = 0;
  }
  __syncthreads();
  for (unsigned g = 0; g < group; ++g) {
    const unsigned tile = blockIdx.x * group + g;
    if (tile < pass.tiles) {
      const unsigned begin = tile * pass.tile, count = min(pass.tile, pass.nnz - begin);
      unsigned* const own = counts + g * digits;
      const auto* const four = reinterpret_cast<const uint4*>(columns + begin);
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < count / 4; i += blockDim.x) {
        const uint4 c = four[i];
        count_digit(own, pass.digit(c.x));
        count_digit(own, pass.digit(c.y));
        count_digit(own, pass.digit(c.z));
        count_digit(own, pass.digit(c.w));
      }
      if (threadIdx.x < count % 4) {
        count_digit(own, pass.digit(columns[begin + count - 1 - threadIdx.x]));
      }
    }
  }
  __syncthreads();
  for (unsigned d = threadIdx.x; d < digits; d += blockDim.x) {
    static_assert(group == 4);
    *reinterpret_cast<uint4*>(pass.table + std::size_t{d} * pass.table_stride +
                              blockIdx.x * group) = {
        counts[d], counts[digits + d], counts[2 * digits + d], counts[3 * digits + d]};
  }
}

/// Input of a pass, arrays [nnz]; `rows` is null in the first pass, which has row pointers.
template <class Value>
struct Source {
  const unsigned* columns;
  const unsigned* rows;
  const Value* values;
};
/// Output of a pass, arrays [nnz].
template <class Value>
struct Target {
  unsigned* columns;  ///< null in the last pass
  unsigned* rows;
  Value* values;
  unsigned* column_counts;  ///< [cols + 1] entries of columns; the last of several passes adds them
};

/// Layout of the shared memory of the scatter, as byte offsets: 16-bit counters of the warps, later
/// the staged tile (region 0); the digits of the sorted tile; global minus local first place of
/// each digit, and sums of warps.
struct ScatterShared {
  std::size_t region, sorted_digits, base, bytes;

  template <class Value>
  static constexpr ScatterShared of(std::size_t threads, std::size_t digits) {
    const std::size_t tile = threads * items;
    const std::size_t stage = tile * (value_bytes<Value> > 4 ? value_bytes<Value> : 4);
    const std::size_t counters = threads / 32 * digits * sizeof(std::uint16_t);
    ScatterShared layout{};
    layout.region = ((stage > counters ? stage : counters) + 15) / 16 * 16;
    layout.sorted_digits = layout.region;
    layout.base = layout.sorted_digits + tile * sizeof(std::uint16_t);
    layout.bytes = layout.base + (digits + 32) * sizeof(unsigned);
    return layout;
  }
};

/// Mask of the lanes with the same digit, by a vote on each bit. On Hopper this is several times as
/// fast as __match_any_sync.
__device__ __forceinline__ unsigned peers_of(unsigned digit, unsigned valid) {
  unsigned peers = valid;
#pragma unroll
  for (int b = 0; b < ScantransPolicy::most_bits; ++b) {  // further bits are 0 in all lanes
    const bool set = digit >> b & 1;
    const unsigned votes = __ballot_sync(full_warp, set);
    peers &= set ? votes : ~votes;
  }
  return peers;
}

/// Replaces the counts in counters [warps][digits] by the first place of each warp's digit in the
/// sorted tile. base[d] + place is the position in the output. The caller synchronises the block
/// before and after.
__device__ __forceinline__ void scan_counters(const Pass& pass, unsigned tile,
                                              std::uint16_t* counters, unsigned* base,
                                              unsigned* sums) {
  const unsigned digits = pass.digits(), warps = blockDim.x / 32;
  const unsigned each = ceil_div(digits, blockDim.x);
  const unsigned first = min(threadIdx.x * each, digits), last = min(first + each, digits);
  unsigned sum = 0;
  for (unsigned d = first; d < last; ++d) {
    for (unsigned w = 0; w < warps; ++w) {
      sum += counters[w * digits + d];
    }
  }
  unsigned total;
  unsigned running = block_exclusive_sum<0>(sum, sums, total);
  for (unsigned d = first; d < last; ++d) {
    base[d] = pass.table[std::size_t{d} * pass.table_stride + tile] - running;
    for (unsigned w = 0; w < warps; ++w) {
      const unsigned count = counters[w * digits + d];
      counters[w * digits + d] = static_cast<std::uint16_t>(running);
      running += count;
    }
  }
}

/// Permutes an array of the tile: get(k) is the value of the thread's entry k, which goes to place
/// place[k]; store(place, value) writes the values in the order of places.
template <class T, class Get, class Store>
__device__ __forceinline__ void exchange(T* stage, unsigned count, const unsigned (&place)[items],
                                         const Get& get, const Store& store) {
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (place[k] < count) {
      stage[place[k]] = get(k);
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    store(i, stage[i]);
  }
}

/// Step 3: block t scatters tile t.
template <bool first, bool last, class Value>
__global__ void __launch_bounds__(ScantransPolicy::largest_block)
    scatter_kernel(Pass pass, AnyPointers row_ptr, unsigned row_count, Source<Value> from,
                   Target<Value> to) {
  extern __shared__ uint4 shared[];
  char* const bytes = reinterpret_cast<char*>(shared);
  const auto layout = ScatterShared::of<Value>(blockDim.x, pass.digits());
  auto* const counters = reinterpret_cast<std::uint16_t*>(bytes);
  auto* const stage = reinterpret_cast<unsigned*>(bytes);
  auto* const sorted_digits = reinterpret_cast<std::uint16_t*>(bytes + layout.sorted_digits);
  auto* const base = reinterpret_cast<unsigned*>(bytes + layout.base);
  const unsigned digits = pass.digits(), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned begin = blockIdx.x * pass.tile;
  const unsigned count = min(pass.tile, pass.nnz - begin);
  const unsigned warp_begin = warp * 32 * items, own = warp_begin + lane;  // entry k: own + 32 k

  unsigned column[items], place[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    column[k] = own + 32 * k < count ? from.columns[begin + own + 32 * k] : 0;
  }
  for (unsigned i = threadIdx.x; i < blockDim.x / 32 * digits / 2; i += blockDim.x) {
    stage[i] = 0;
  }
  __syncthreads();
  std::uint16_t* const counter = counters + warp * digits;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const unsigned valid = __ballot_sync(full_warp, own + 32 * k < count);
    const unsigned digit = pass.digit(column[k]);
    const unsigned peers = peers_of(digit, valid);
    const unsigned before = counter[digit];
    place[k] = before + __popc(peers & ((1U << lane) - 1));
    __syncwarp();
    if (peers >> lane == 1) {  // the last lane with this digit
      counter[digit] = static_cast<std::uint16_t>(before + __popc(peers));
    }
    __syncwarp();
  }
  __syncthreads();
  scan_counters(pass, blockIdx.x, counters, base, base + digits);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const unsigned digit = pass.digit(column[k]);
    place[k] = own + 32 * k < count ? place[k] + counter[digit] : ~0U;
    if (place[k] < count) {
      sorted_digits[place[k]] = static_cast<std::uint16_t>(digit);
    }
  }
  if (!last || !first) {
    exchange(
        stage, count, place, [&](int k) { return column[k]; },
        [&](unsigned i, unsigned c) {
          if (!last) {
            to.columns[base[sorted_digits[i]] + i] = c;
            return;
          }
          if (i == 0 || stage[i - 1] != c) {
            atomicAdd(to.column_counts + c, 0U - i);
          }
          if (i + 1 == count || stage[i + 1] != c) {
            atomicAdd(to.column_counts + c, i + 1);
          }
        });
  }
  unsigned row[items];
  if (first) {
    __syncthreads();
    const unsigned there = min(warp_begin, count);
    rows_of_entries(row_ptr, row_count, begin + there, min(32U * items, count - there),
                    stage + there, row);
  } else {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      const unsigned entry = own + 32 * k;
      row[k] = entry < count ? from.rows[begin + entry] : 0;
    }
  }
  exchange(
      stage, count, place, [&](int k) { return row[k]; },
      [&](unsigned i, unsigned r) { to.rows[base[sorted_digits[i]] + i] = r; });
  if constexpr (has_values<Value>) {
    exchange(
        reinterpret_cast<Value*>(bytes), count, place,
        [&](int k) { return from.values[begin + own + 32 * k]; },
        [&](unsigned i, Value v) { to.values[base[sorted_digits[i]] + i] = v; });
  }
}

/// Column pointers after a single pass, whose digits are columns, from the scanned table.
template <class Offset>
__global__ void pointers_kernel(Pass pass, unsigned cols, Offset* col_ptr) {
  const unsigned c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c <= cols) {
    col_ptr[c] =
        static_cast<Offset>(c < cols ? pass.table[std::size_t{c} * pass.table_stride] : pass.nnz);
  }
}

}  // namespace sparserepro::scantrans
