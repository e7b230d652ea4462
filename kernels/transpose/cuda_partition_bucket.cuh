// Second pass of cuda_partition: a stable counting sort of each bucket by column, in shared memory.
//
// A block takes one chunk of a bucket, window by window. A bucket that fits one window is sorted at
// once and leaves as it lies, in whole lines; else the counts of its chunks say where the chunk's
// entries of each column begin, and they advance from window to window.
#pragma once

#include "transpose/cuda_partition_plan.cuh"

namespace sparserepro::partition {

template <class Value>
struct BucketOutput {
  AnyPointers col_ptr;
  unsigned* row_idx;
  Value* values;
};

/// Shared memory of a block: staged rows and values (earlier the marks of the runs, then the
/// counters of the warps), the columns of the staged, where the entries of each column begin and
/// where they go.
template <class Value, class Counters>
constexpr std::size_t bucket_region_bytes(unsigned width) {
  constexpr std::size_t tile = tile_entries;
  const std::size_t counters =
      Counters::words_for(width + 1) * std::size_t{warps} * sizeof(unsigned);
  const std::size_t staged = (tile + 4) * (4 + (std::is_empty_v<Value> ? 0 : sizeof(Value)));
  return (std::max(counters, staged) + 15) / 16 * 16;
}
template <class Value, class Counters>
constexpr std::size_t bucket_shared_bytes(unsigned width) {
  return bucket_region_bytes<Value, Counters>(width) + tile_entries * sizeof(std::uint16_t) +
         (width + 2) / 2 * 2 * (sizeof(std::uint16_t) + sizeof(unsigned));
}

/// What stands between the passes.
template <class Value>
struct BucketInput {
  SplitTiles<Value> tiles;
  RunTable table;
  ColumnBuckets buckets;
  unsigned cols;
  int group_bits;
};

/// Sorts one chunk.
template <class Value, class Counters, bool grouped, bool by_vote>
__device__ __forceinline__ void sort_chunk(const BucketInput<Value>& in, const Plan& plan,
                                           const BucketOutput<Value>& out, int* disorder,
                                           const Chunk& chunk) {
  constexpr bool valued = !std::is_empty_v<Value>;
  constexpr bool fused = fused_entry<Value>;
  extern __shared__ __align__(16) unsigned char shared[];
  const ColumnBuckets& buckets = in.buckets;
  const unsigned width = buckets.width, stride = Counters::words_for(width + 1);
  const unsigned columns_up = (width + 2) / 2 * 2;
  auto* const marks = reinterpret_cast<unsigned*>(shared);     // [tile_entries], until loaded
  auto* const counters = reinterpret_cast<unsigned*>(shared);  // [warps][stride], until placed
  auto* const staged = reinterpret_cast<unsigned*>(shared);    // [tile_entries], then the values
  auto* const staged_values = reinterpret_cast<Value*>(shared + (tile_entries + 4) * 4);
  auto* const start = reinterpret_cast<std::uint16_t*>(
      shared + bucket_region_bytes<Value, Counters>(width));  // [width + 1]
  auto* const next = reinterpret_cast<unsigned*>(start + columns_up);
  auto* const columns = reinterpret_cast<std::uint16_t*>(next + columns_up);  // [tile_entries]
  __shared__ unsigned warp_sums[warps], place_sums[warps];
  __shared__ uint2 cut;
  __shared__ int descents;

  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned low_mask = (1U << buckets.low_bits) - 1;
  const bool whole = chunk.count == 0;
  const unsigned first_column = chunk.bucket * width;
  const unsigned bucket_columns = min(in.cols - first_column, width);
  if (!whole) {
    begin_chunk(chunk, plan, width, bucket_columns, next, marks, warp_sums, out.col_ptr);
  }
  const Counters own{counters + warp * stride, stride};
  unsigned t = chunk.first_tile;
  do {
    const Window window =
        open_window(in.table, chunk.bucket, t, chunk.end_tile, marks, warp_sums, &cut);
    t += window.tiles;
    const unsigned count = window.count;
    const unsigned mine = warp * 32 * items + lane;
    const unsigned odd = whole ? chunk.base % 2 : 0;  // staged so that pairs are aligned alike
    unsigned source[items];                           // of the entry; when fused, then its value
    unsigned rows[items];                             // earlier the words
    unsigned key[items];  // column << 16, with the rank, then the place in the sorted window
#pragma unroll
    for (int j = 0; j < items; ++j) {
      source[j] = place_in_window(marks, mine + j * 32);
    }
    if constexpr (grouped) {
#pragma unroll
      for (int j = 0; j < items; ++j) {
        key[j] = in.table.group[source[j] / tile_entries];
      }
    }
#pragma unroll
    for (int j = 0; j < items; ++j) {
      if constexpr (fused) {
        const uint2 entry = __ldcs(static_cast<const uint2*>(in.tiles.entries) + source[j]);
        rows[j] = entry.x;
        source[j] = entry.y;
      } else {
        rows[j] = __ldcs(static_cast<const unsigned*>(in.tiles.entries) + source[j]);
      }
    }
    __syncthreads();  // the marks are dead
    for (unsigned i = lane; i < stride; i += 32) {
      own.words[i] = 0;
    }
    __syncwarp();
#pragma unroll
    for (int j = 0; j < items; ++j) {
      const unsigned word = rows[j];
      rows[j] = word >> buckets.low_bits;
      if constexpr (grouped) {
        rows[j] += key[j] << in.group_bits;
      }
      key[j] = (word & low_mask) << 16;
    }
    if (mine - lane + 32 * items > count) {  // what is not there is a column of its own, the last
#pragma unroll
      for (int j = 0; j < items; ++j) {
        if (mine + j * 32 >= count) {
          key[j] = width << 16;
        }
      }
    }
    rank<by_vote>(own, key);
    __syncthreads();
    places_from_counts<Counters>(counters, stride, start, place_sums);
    __syncthreads();
    add_places(own, key);
    __syncthreads();  // the counters are dead; what follows stages over them
    if constexpr (valued && !fused) {
      constexpr int batch = value_batch<Value>;
#pragma unroll
      for (int first = 0; first < items; first += batch) {
        Value value[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k) {
          value[k] = __ldcs(in.tiles.values + source[first + k]);
        }
#pragma unroll
        for (int k = 0; k < batch; ++k) {
          staged_values[(key[first + k] & 0xffffU) + odd] = value[k];
        }
      }
    }
#pragma unroll
    for (int j = 0; j < items; ++j) {
      const unsigned at = (key[j] & 0xffffU) + odd;
      if constexpr (fused) {
        reinterpret_cast<uint2*>(shared)[at] = {rows[j], source[j]};
      } else {
        staged[at] = rows[j];
      }
    }
    if (!whole) {
#pragma unroll
      for (int j = 0; j < items; ++j) {
        columns[key[j] & 0xffffU] = static_cast<std::uint16_t>(key[j] >> 16);
      }
    }
    __syncthreads();
    const auto row_at = [&](unsigned i) { return staged[fused ? 2 * i : i]; };
    int not_ascending = 0;  // neighbours out of order, without those that begin a column
    if (whole) {
      for (unsigned c = threadIdx.x; c < bucket_columns; c += threads) {
        out.col_ptr.set(first_column + c, chunk.base + start[c]);
      }
      unsigned* const row_out = out.row_idx + (chunk.base - odd);
      Value* const value_out = out.values + (chunk.base - odd);
      const unsigned end = count + odd;
#pragma unroll 2
      for (unsigned i = 2 * threadIdx.x; i < end; i += 2 * threads) {
        const bool first = i >= odd, second = i + 1 < end;
        uint2 row;
        [[maybe_unused]] Value pair[2];
        if constexpr (fused) {
          const uint4 two = reinterpret_cast<const uint4*>(shared)[i / 2];
          row = {two.x, two.z};
          pair[0] = __uint_as_float(two.y);
          pair[1] = __uint_as_float(two.w);
        } else {
          row = reinterpret_cast<const uint2*>(staged)[i / 2];
          if constexpr (valued) {
            const double2 two = reinterpret_cast<const double2*>(staged_values)[i / 2];
            pair[0] = two.x;
            pair[1] = two.y;
          }
        }
        if constexpr (!by_vote) {
          not_ascending +=
              (i > odd && row.x <= row_at(i - 1)) + (first && second && row.y <= row.x);
        }
        if (first && second) {
          *reinterpret_cast<uint2*>(row_out + i) = row;
          if constexpr (fused) {
            *reinterpret_cast<float2*>(value_out + i) = {pair[0], pair[1]};
          } else if constexpr (valued) {
            *reinterpret_cast<double2*>(value_out + i) = {pair[0], pair[1]};
          }
        } else {
          const unsigned only = first ? 0 : 1;
          row_out[i + only] = first ? row.x : row.y;
          if constexpr (valued) {
            value_out[i + only] = first ? pair[0] : pair[1];
          }
        }
      }
    } else {
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < count; i += threads) {
        const unsigned row = row_at(i), c = columns[i];
        const unsigned to = next[c] + i - start[c];
        if constexpr (!by_vote) {
          not_ascending += i > 0 && row <= row_at(i - 1);
        }
        out.row_idx[to] = row;
        if constexpr (fused) {
          out.values[to] = __uint_as_float(staged[2 * i + 1]);
        } else if constexpr (valued) {
          out.values[to] = staged_values[i];
        }
      }
    }
    if constexpr (!by_vote) {
      for (unsigned c = threadIdx.x; c < width; c += threads) {
        const unsigned at = start[c];
        not_ascending -= at > 0 && at < start[c + 1] && row_at(odd + at) <= row_at(odd + at - 1);
      }
      if (block_sum(not_ascending, &descents) != 0 && threadIdx.x == 0) {
        *disorder = 1;
      }
    }
    __syncthreads();
    if (!whole) {
      for (unsigned c = threadIdx.x; c < width; c += threads) {
        next[c] += start[c + 1] - start[c];
      }
      __syncthreads();
    }
  } while (t < chunk.end_tile);
}

/// The first try, or `by_vote` the second, which runs only if *disorder is not 0. A block on each
/// multiprocessor takes one chunk after the other.
template <class Value, class Counters, bool grouped, bool by_vote>
__global__ void __launch_bounds__(threads, 1)
    bucket_kernel(BucketInput<Value> in, unsigned nnz, Plan plan, BucketOutput<Value> out,
                  int* disorder) {
  follow_previous_kernel();
  if constexpr (by_vote) {
    if (*disorder == 0) {
      return;
    }
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    out.col_ptr.set(in.cols, nnz);
  }
  __shared__ unsigned following;
  const unsigned chunk_count = *plan.chunk_count;
  for (unsigned number = blockIdx.x; number < chunk_count; number = following) {
    __syncthreads();  // all know the number
    if (threadIdx.x == 0) {
      following = gridDim.x + (by_vote ? number : atomicAdd(plan.chunks_taken, 1U));
    }
    sort_chunk<Value, Counters, grouped, by_vote>(in, plan, out, disorder, plan.chunks[number]);
  }
}

}  // namespace sparserepro::partition
