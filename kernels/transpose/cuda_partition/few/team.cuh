// cuda_partition's kernel for few entries: a team of blocks that run together sorts them stably by
// column, least digit first, in one launch.
//
// With digits of d bits and columns of b bits, ceil(b / d) passes. In each, a warp holds
// consecutive entries in registers and ranks them by vote among its own of the same digit; with the
// counts of the warps before, a block orders its tile by digit in shared memory; with those of the
// blocks before, the tile leaves in runs of one digit. Vote and sums keep the order of entries, so
// that nothing need be proven, and how columns are distributed makes no difference.
//
// After a single pass the first places of the digits are the column pointers. After several, they
// come from neighbours in the sorted columns: an entry writes the pointers between its column and
// the one before, as far as both are of one last digit, and digits without entries are filled
// apart.
#pragma once

#include <cooperative_groups.h>

#include "cuda/device_memory.hpp"
#include "cuda/entry_rows.cuh"
#include "formats/csr.hpp"
#include "transpose/cuda_partition/few/team_block.cuh"
#include "transpose/cuda_partition/launch.cuh"
#include "transpose/cuda_partition/one_level/columns.cuh"

namespace sparserepro::partition {

/// What stands between the passes of a team of blocks; values wait where they go in the end.
struct TeamWorkspace {
  uint2* words;      ///< [nnz] (column, row); after the last pass the sorted columns
  unsigned* counts;  ///< [blocks][digits / 2] entries of each digit, two digits to a word
};

/// The tile of a block in shared memory.
template <class Value>
struct TeamTile {
  unsigned *column, *row;
  Value* value;
};

/// Entries of a thread in registers, of a warp in the order of j, then lanes.
template <class Value>
struct TeamEntries {
  static constexpr int most = TeamPolicy::most_items;
  static constexpr bool valued = has_values<Value>;
  unsigned column[most], row[most];
  Value value[valued ? most : 1];
  unsigned count;  ///< of the warp

  /// Whether the lane has a j-th one.
  __device__ __forceinline__ bool has(int j) const { return j * 32 + threadIdx.x % 32 < count; }

  /// Reads those from entry `begin` of A on. `marks` is room for them in shared memory.
  __device__ __forceinline__ void read(const DeviceMatrix<Value>& a, unsigned begin,
                                       unsigned* marks) {
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < most; ++j) {
      if (has(j)) {
        column[j] = (a.col_idx + begin + lane)[j * 32];
        if constexpr (valued) {
          value[j] = (a.values + begin + lane)[j * 32];
        }
      }
    }
    rows_of_entries(a.row_ptr, a.rows, begin, count, marks, row);
  }
  __device__ __forceinline__ void read(const uint2* words, const Value* values, unsigned begin) {
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < most; ++j) {
      if (has(j)) {
        const uint2 word = (words + begin + lane)[j * 32];
        column[j] = word.x;
        row[j] = word.y;
        if constexpr (valued) {
          value[j] = (values + begin + lane)[j * 32];
        }
      }
    }
  }
};

template <class Value>
__global__ void __launch_bounds__(TeamPolicy::most_threads)
    team_kernel(DeviceMatrix<Value> a, TeamShape shape, TeamWorkspace between,
                BucketOutput<Value> out) {
  using Entries = TeamEntries<Value>;
  extern __shared__ __align__(16) unsigned char shared[];
  const unsigned threads = blockDim.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned warps = threads / 32, items = shape.items;
  const unsigned pairs = 1U << (shape.digit_bits - 1), digits = 2 * pairs;
  const unsigned tile_size = threads * items;
  const int passes = shape.passes;
  TeamTile<Value> tile;
  tile.value = reinterpret_cast<Value*>(shared);
  tile.column = reinterpret_cast<unsigned*>(shared + tile_size * value_bytes<Value>);
  tile.row = tile.column + tile_size;
  unsigned* const counters = tile.row + tile_size;  // [warps][pairs], two digits to a word
  unsigned* const here = counters + warps * pairs;  // [digits] where the digit begins in the tile
  unsigned* const start = here + digits;            // [digits] where it begins in all
  unsigned* const place = start + digits;           // [digits] from tile to all
  auto* const own = reinterpret_cast<std::uint16_t*>(counters + warp * pairs);  // [digits]
  __shared__ unsigned warp_sums[32];
  auto* const sorted = reinterpret_cast<unsigned*>(between.words);

  const unsigned tile_begin = min(blockIdx.x * tile_size, a.nnz);
  const unsigned tile_count = min(tile_size, a.nnz - tile_begin);
  const unsigned in_tile = min(warp * 32 * items, tile_count);
  const unsigned busy_blocks = ceil_div(a.nnz, tile_size);
  Entries entries;
  entries.count = min(32 * items, tile_count - in_tile);
  for (int pass = 0; pass < passes; ++pass) {
    const int shift = shape.shift(pass);
    const auto digit = [&](unsigned column) { return column >> shift & (digits - 1); };
    if (pass == 0) {
      entries.read(a, tile_begin + in_tile, tile.column + in_tile);
    } else {
      entries.read(between.words, out.values, tile_begin + in_tile);
    }
    for (unsigned k = lane; k < pairs; k += 32) {
      counters[warp * pairs + k] = 0;
    }
    for (unsigned d = threadIdx.x; d < digits; d += threads) {
      start[d] = 0;
      place[d] = 0;
    }
    unsigned rank[Entries::most];
#pragma unroll
    for (int j = 0; j < Entries::most; ++j) {  // the lanes of the same digit
      rank[j] = __ballot_sync(full_warp, entries.has(j));
    }
    keep_alike(shift, shape.digit_bits, entries.column, rank, items);
    __syncwarp();
#pragma unroll
    for (int j = 0; j < Entries::most; ++j) {
      if (j < items) {
        const bool present = entries.has(j);
        const unsigned peers = rank[j];
        rank[j] =
            __popc(peers & ((1U << lane) - 1)) + (present ? own[digit(entries.column[j])] : 0);
        __syncwarp();
        if (present && peers >> lane == 1) {  // the last of them
          own[digit(entries.column[j])] = static_cast<std::uint16_t>(rank[j] + 1);
        }
        __syncwarp();
      }
    }
    __syncthreads();
    for (unsigned p = threadIdx.x; p < pairs; p += threads) {
      const unsigned both = sum_over_warps(counters + p, warps, pairs);
      here[2 * p] = both & 0xffffU;
      here[2 * p + 1] = both >> 16;
      if (tile_count > 0) {
        between.counts[blockIdx.x * pairs + p] = both;
      }
    }
    __syncthreads();
    sums_before(here, digits, warp_sums);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < Entries::most; ++j) {
      if (entries.has(j)) {
        const unsigned d = digit(entries.column[j]);
        const unsigned to = here[d] + own[d] + rank[j];
        tile.column[to] = entries.column[j];
        tile.row[to] = entries.row[j];
        if constexpr (Entries::valued) {
          tile.value[to] = entries.value[j];
        }
      }
    }
    cooperative_groups::this_grid().sync();  // and all have read what the last pass wrote
    sum_over_blocks(between.counts, busy_blocks, pairs, start, place);
    __syncthreads();
    sums_before(start, digits, warp_sums);
    __syncthreads();
    for (unsigned d = threadIdx.x; d < digits; d += threads) {
      place[d] += start[d] - here[d];
    }
    __syncthreads();
    const bool last = pass + 1 == passes;
    for (unsigned i = threadIdx.x; i < tile_count; i += threads) {
      const unsigned column = tile.column[i];
      const unsigned to = i + place[digit(column)];
      if (last) {
        out.row_idx[to] = tile.row[i];
        if (passes > 1) {
          sorted[to] = column;
        }
      } else {
        between.words[to] = {column, tile.row[i]};
      }
      if constexpr (Entries::valued) {
        out.values[to] = tile.value[i];
      }
    }
    if (passes > 1) {
      cooperative_groups::this_grid().sync();
    }
  }

  const unsigned all = gridDim.x * threads, mine = blockIdx.x * threads + threadIdx.x;
  if (mine == 0) {
    out.col_ptr.set(a.cols, a.nnz);
  }
  if (passes == 1) {
    for (unsigned c = mine; c < a.cols; c += all) {
      out.col_ptr.set(c, start[c]);
    }
  } else {
    const int low_bits = shape.shift(passes - 1);
    write_pointers(sorted, a.nnz, mine / 32, all / 32, a.cols, low_bits, out.col_ptr);
    write_empty_digits(start, digits, a.nnz, a.cols, low_bits, mine / 32, all / 32, out.col_ptr);
  }
}

/// Transposes matrices of one shape.
template <class Offset, class Value>
class TeamSort {
 public:
  TeamSort(index_t rows, index_t cols, Offset nnz, DeviceMemory& memory)
      : shape_(choose_team(cols, nnz, device_limits().multiprocessors)),
        rows_(static_cast<unsigned>(rows)),
        cols_(static_cast<unsigned>(cols)),
        nnz_(static_cast<unsigned>(nnz)) {
    const std::size_t between = shape_.passes > 1 ? nnz_ : 0;
    words_ = DeviceArray<uint2>(between, memory);
    counts_ = DeviceArray<unsigned>(std::size_t{shape_.blocks} << (shape_.digit_bits - 1), memory);
    allow_all_shared(team_kernel<Value>);
  }

  void operator()(const CsrView<Offset, Value>& in, const BucketOutput<Value>& out,
                  cudaStream_t stream) {
    DeviceMatrix<Value> a{AnyPointers(in.row_ptr),
                          reinterpret_cast<const unsigned*>(in.col_idx),
                          in.values,
                          rows_,
                          cols_,
                          nnz_};
    TeamWorkspace between{words_.data(), counts_.data()};
    const void* const kernel = reinterpret_cast<const void*>(team_kernel<Value>);
    BucketOutput<Value> to = out;
    void* arguments[] = {&a, &shape_, &between, &to};
    CUDA_CHECK(cudaLaunchCooperativeKernel(kernel, shape_.blocks, shape_.threads, arguments,
                                           shape_.shared_bytes(value_bytes<Value>), stream));
  }

  Facts facts() const {
    return {{"blocks", static_cast<double>(shape_.blocks)},
            {"threads", static_cast<double>(shape_.threads)},
            {"passes", static_cast<double>(shape_.passes)}};
  }

 private:
  TeamShape shape_;
  unsigned rows_, cols_, nnz_;
  DeviceArray<uint2> words_;
  DeviceArray<unsigned> counts_;
};

}  // namespace sparserepro::partition
