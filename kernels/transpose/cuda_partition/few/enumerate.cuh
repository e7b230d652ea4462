// cuda_partition's kernel for the fewest entries: enumeration sort (comparison counting, Knuth,
// The Art of Computer Programming 3, 5.2) by blocks that never meet.
//
// The place of an entry is the number of entries with a smaller column, or with the same and before
// it. A block has consecutive entries as its own, and sorts them by counting. Then it reads the
// columns of all others: a binary search tells behind how many of its own each belongs, and with
// the number of others for each answer, summed up, those before each own entry are known. Of equal
// columns the other entry is smaller where it lies before the block's own, which is taken into
// account by subtracting 1 from its column.
//
// Column pointers come from further blocks of the same launch, each for a range of columns: it
// counts the entries to the left of them, and those of each.
//
// How columns are distributed makes no difference, entries may repeat, and nothing is kept in
// device memory. Every block reads all columns, which few entries alone permit.
//
// Floors on an H200: a kernel with nothing to do takes 3.7 us; 4096 columns in 16 KiB, searched by
// each multiprocessor for 32 entries, are some 1300 cycles of reads from shared memory, 0.7 us.
// Expected were 6 us, for own columns, their order, the search, and in 4 to 6 steps the rows wait
// for memory; 4096 entries in 4096 x 4096 take 7.5 and in 1M x 1M 8.2, fp32, where a team takes
// 14.8 and 25 and the better of CUB and cuSPARSE 15.8 and 210; in 4M x 4M, with 16 MB of column
// pointers, 14.
#pragma once

#include <climits>

#include "transpose/cuda_partition/few/enumerate_pointers.cuh"

namespace sparserepro::partition {

/// What a block that places entries has of its own, in shared memory.
template <class Value>
struct OwnEntries {
  static constexpr unsigned most = EnumerationPolicy::most_slots;
  Value value[has_values<Value> ? most : 1];
  alignas(16) int column[most];
  int tree[most];         ///< the columns, as a search tree
  unsigned at[most];      ///< which one is at each place among them
  unsigned others[most];  ///< entries of other blocks that belong behind so many
  unsigned row[most];
};

/// Node of the `place`-th of slots - 1 keys in a complete search tree, in the order of its levels:
/// the root is node 1, the children of node i are 2 i and 2 i + 1. What lanes read of one level
/// lies in as many banks of shared memory as there are nodes.
__device__ __forceinline__ unsigned node_of(unsigned place, unsigned slots) {
  const int above_leaves = __ffs(place + 1);
  return (slots + place + 1) >> above_leaves;
}

/// Writes the rows of the entries [begin, begin + count) to `row` in shared memory, for the share
/// that number `warp` of `warps` has. The first and the last are searched together, each step
/// cutting the range of rows to a 64th, then the others between them. Those share the first step,
/// to a 128th; further ones, to a 32nd, eight entries take side by side.
__device__ __forceinline__ void search_rows(const AnyPointers& row_ptr, unsigned rows,
                                            unsigned begin, unsigned count, unsigned warp,
                                            unsigned warps, unsigned* row) {
  constexpr int at_once = EnumerationPolicy::rows_at_once;
  const unsigned lane = threadIdx.x % 32, each = (count + warps - 1) / warps;
  const unsigned first = warp * each, last = min(first + each, count);
  if (first >= last) {
    return;
  }
  const unsigned ends[2] = {begin + first, begin + last - 1};
  unsigned from[2] = {0, 0}, to[2] = {rows, rows};  // row_ptr[from] <= position < row_ptr[to]
  for (unsigned span = rows; span > 1; span = (span + 63) / 64) {
    const unsigned stride = (span + 63) / 64;
    bool at_most[2][2];
#pragma unroll
    for (int e = 0; e < 2; ++e) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const unsigned probe = from[e] + (lane + 32 * h) * stride;
        at_most[e][h] = probe < to[e] && row_ptr[probe] <= ends[e];
      }
    }
#pragma unroll
    for (int e = 0; e < 2; ++e) {  // the probe at `from` is always among them
      from[e] += (__popc(__ballot_sync(full_warp, at_most[e][0])) +
                  __popc(__ballot_sync(full_warp, at_most[e][1])) - 1) *
                 stride;
      to[e] = min(from[e] + stride, to[e]);
    }
  }
  const unsigned end = from[1] + 1, shared_stride = (end - from[0] + 127) / 128;
  unsigned shared_probe[4];
#pragma unroll
  for (int h = 0; h < 4; ++h) {
    const unsigned probe = from[0] + (lane + 32 * h) * shared_stride;
    shared_probe[h] = probe < end ? row_ptr[probe] : ~0U;
  }
  for (unsigned i = first; i < last; i += at_once) {
    unsigned low[at_once], high[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      unsigned at_most = 0;
#pragma unroll
      for (int h = 0; h < 4; ++h) {
        at_most += __popc(__ballot_sync(full_warp, shared_probe[h] <= begin + i + k));
      }
      low[k] = from[0] + (at_most - 1) * shared_stride;
      high[k] = min(low[k] + shared_stride, end);
    }
    for (unsigned span = shared_stride; span > 1; span = (span + 31) / 32) {
      const unsigned stride = (span + 31) / 32;
      bool at_most[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const unsigned probe = low[k] + lane * stride;
        at_most[k] = i + k < last && probe < high[k] && row_ptr[probe] <= begin + i + k;
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (i + k < last) {
          low[k] += (__popc(__ballot_sync(full_warp, at_most[k])) - 1) * stride;
          high[k] = min(low[k] + stride, high[k]);
        }
      }
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (lane == 0 && i + k < last) {
        row[i + k] = low[k];
      }
    }
  }
}

/// Sorts the block's own columns and counts the others by where they belong among them. All
/// `threads` of the block from its thread `first_thread` on call it.
template <class Value>
__device__ __forceinline__ void count_others(const DeviceMatrix<Value>& a, unsigned begin,
                                             unsigned count, unsigned slots, unsigned first_thread,
                                             unsigned threads, OwnEntries<Value>& own) {
  constexpr int at_once = EnumerationPolicy::columns_at_once, none = INT_MIN;
  const unsigned me = threadIdx.x - first_thread;
  const auto meet = [&] { asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory"); };
  int other[at_once];
  const auto read = [&](unsigned from) {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const unsigned p = from + k * threads;
      other[k] = p < a.nnz && p - begin >= count
                     ? static_cast<int>(a.col_idx[p]) - (p < begin ? 1 : 0)
                     : none;
    }
  };
  for (unsigned i = me; i < slots; i += threads) {
    own.column[i] = i < count ? static_cast<int>(a.col_idx[begin + i]) : INT_MAX;
    own.tree[i] = INT_MAX;
    own.others[i] = 0;
  }
  read(me);
  meet();
  if (me < count) {
    const int mine = own.column[me];
    unsigned place = 0;
    for (unsigned k = 0; k < count; k += 4) {
      const int4 four = *reinterpret_cast<const int4*>(own.column + k);
      place += (four.x < mine + (k < me ? 1 : 0) ? 1 : 0) +
               (four.y < mine + (k + 1 < me ? 1 : 0) ? 1 : 0) +
               (four.z < mine + (k + 2 < me ? 1 : 0) ? 1 : 0) +
               (four.w < mine + (k + 3 < me ? 1 : 0) ? 1 : 0);
    }
    own.tree[node_of(place, slots)] = mine;
    own.at[place] = me;
  }
  meet();
  const int root = own.tree[1], left = own.tree[2], right = own.tree[3];
  for (unsigned from = me; from - me < a.nnz; from += at_once * threads) {
    unsigned node[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const bool high = root <= other[k];
      node[k] = (high ? 6 : 4) + ((high ? right : left) <= other[k] ? 1 : 0);
    }
    for (unsigned level = 4; level < slots; level *= 2) {
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        node[k] = 2 * node[k] + (own.tree[node[k]] <= other[k] ? 1 : 0);
      }
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (other[k] != none) {
        atomicAdd(own.others + (node[k] - slots), 1U);
      }
    }
    read(from + at_once * threads);
  }
}

/// Places the entries of one block. Some of its warps find rows while the others count.
template <class Value>
__device__ __forceinline__ void place_entries(const DeviceMatrix<Value>& a,
                                              const EnumerationShape& shape,
                                              const BucketOutput<Value>& out,
                                              OwnEntries<Value>& own) {
  constexpr unsigned warps = EnumerationPolicy::threads / 32;
  const unsigned begin = blockIdx.x * shape.own, count = min(shape.own, a.nnz - begin);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  constexpr unsigned each = EnumerationPolicy::rows_each;
  const unsigned searchers = min((count + each - 1) / each, warps / 2);
  if constexpr (has_values<Value>) {
    for (unsigned i = threadIdx.x; i < count; i += EnumerationPolicy::threads) {
      own.value[i] = a.values[begin + i];
    }
  }
  if (warp < searchers) {
    search_rows(a.row_ptr, a.rows, begin, count, warp, searchers, own.row);
  } else {
    count_others(a, begin, count, shape.slots, 32 * searchers, 32 * (warps - searchers), own);
  }
  __syncthreads();
  if (warp * 32 < count) {  // a thread for each place among the block's own
    const unsigned i = threadIdx.x;
    unsigned before = inclusive_sum(i < count ? own.others[i] : 0);
    unsigned earlier = 0;
    for (unsigned k = lane; k < warp * 32; k += 32) {
      earlier += own.others[k];
    }
    before += __reduce_add_sync(full_warp, earlier);
    if (i < count) {
      const unsigned entry = own.at[i], to = i + before;
      out.row_idx[to] = own.row[entry];
      if constexpr (has_values<Value>) {
        out.values[to] = own.value[entry];
      }
    }
  }
}

template <class Value>
__global__ void __launch_bounds__(EnumerationPolicy::threads)
    enumeration_kernel(DeviceMatrix<Value> a, EnumerationShape shape, BucketOutput<Value> out) {
  extern __shared__ __align__(16) unsigned char shared[];
  if (blockIdx.x < shape.entry_blocks) {
    place_entries(a, shape, out, *reinterpret_cast<OwnEntries<Value>*>(shared));
  } else {
    write_column_range(a, shape, out.col_ptr, reinterpret_cast<unsigned*>(shared));
  }
}

}  // namespace sparserepro::partition
