// Orientation by degree: vertices are ranked by descending class of degree (rank.cuh), and each
// keeps its neighbours of smaller rank. A vertex of rank r has at most min(r, sqrt(2.5 edges)) kept
// neighbours, since theirs are at least 4/5 of its degree.
//
// The kept ranks of vertex v lie at row_ptr[v] of an array as long as col_idx, so that no count or
// scan precedes them. Each entry's rank is gathered once. A word of 64 bits per vertex says where
// its kept ranks lie and how many they are.
#pragma once

#include <cub/block/block_scan.cuh>

#include "triangles/cuda_adaptive/tally.cuh"

namespace sparserepro::adaptive {

/// Where the kept neighbours of a vertex lie, and their number: 40 and 24 bits. 2^24 kept
/// neighbours take 2^47 edges.
struct KeptRow {
  std::uint64_t word;
  static __host__ __device__ KeptRow of(std::uint64_t begin, std::uint64_t count) {
    return {begin | count << 40};
  }
  __device__ std::uint64_t begin() const { return word & ((std::uint64_t{1} << 40) - 1); }
  __device__ unsigned count() const { return static_cast<unsigned>(word >> 40); }
};

/// A segment of a vertex's row, the work of one warp or block.
struct Task {
  unsigned rank;     ///< of the vertex
  unsigned segment;  ///< its number in the row
};

/// The oriented graph in device memory; passed to kernels by value.
struct Oriented {
  unsigned* order;  ///< [vertices] vertex of each rank
  unsigned* rank;   ///< [vertices] rank of each vertex
  unsigned* kept;   ///< [entries] kept neighbours, as ranks
  KeptRow* rows;    ///< [vertices]
  Task *table_tasks, *bitmap_tasks;
};

/// Numbers of tasks, next task to be done, and ranks below which bitmap tasks lie.
struct TaskCounts {
  unsigned table, bitmap, next_bitmap, rank_bound;
};

/// What the host has to know of a preparation.
struct Prepared {
  TaskCounts tasks;
  AdaptivePath path;
};

/// Rows by octaves of their length: at_least[k] have at least long_row << k entries.
struct LongRows {
  static constexpr unsigned octaves = 24;  ///< to 2^31 entries
  unsigned at_least[octaves + 1];          ///< the last one is 0
  static_assert(std::int64_t{DeviceAdaptivePolicy::long_row} << octaves == std::int64_t{1} << 31);
};

/// The row of a lane; of no entries where the lane has none.
template <class Offset>
struct LaneRow {
  Offset begin{};
  int length{};
  unsigned rank{};
};

/// The lowest `count` bits; all for 32 and more, none for 0 and less.
__device__ inline unsigned low_bits(int count) {
  return count >= 32 ? all_lanes : (1U << max(count, 0)) - 1;
}

/// Orients the rows of a warp's lanes, all entries of which are spread over the lanes, and returns
/// the number of kept neighbours of the lane's own.
template <class Offset>
__device__ int orient_rows(const DeviceGraph<Offset>& graph, const Oriented& to,
                           const LaneRow<Offset>& mine) {
  constexpr int steps = 4;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int end = inclusive_sum(mine.length, lane), begin = end - mine.length;
  const int total = __shfl_sync(all_lanes, end, 31);
  int kept = 0;
  for (int first = 0; first < total; first += 32 * steps) {
    int owner[steps];
    unsigned own[steps], other[steps];
#pragma unroll
    for (int j = 0; j < steps; ++j) {
      const int item = first + 32 * j + lane;
      owner[j] = owner_lane(end, item);
      own[j] = __shfl_sync(all_lanes, mine.rank, owner[j]);
      const Offset at = __shfl_sync(all_lanes, mine.begin - begin, owner[j]) + item;
      other[j] = item < total ? to.rank[graph.col_idx[at]] : own[j];
    }
#pragma unroll
    for (int j = 0; j < steps; ++j) {
      const unsigned keeping = __ballot_sync(all_lanes, other[j] < own[j]);
      const int window = first + 32 * j;
      const int before = __popc(keeping & low_bits(begin - window));
      const Offset place = __shfl_sync(all_lanes, mine.begin + (kept - before), owner[j]) +
                           __popc(keeping & low_bits(lane));
      if (other[j] < own[j]) {
        to.kept[place] = other[j];
      }
      kept += __popc(keeping & low_bits(end - window)) - before;
    }
  }
  return kept;
}

/// Pieces of long rows, for warps: each row of octave k counts as 2^k pieces, of which at least
/// half have entries.
class LongPieces {
 public:
  __device__ explicit LongPieces(const LongRows& rows) {
    const unsigned lane = threadIdx.x % 32;
    longer_ = lane < LongRows::octaves ? rows.at_least[lane + 1] : 0;
    const unsigned mine = lane < LongRows::octaves ? (rows.at_least[lane] - longer_) << lane : 0;
    end_ = inclusive_sum(static_cast<int>(mine), static_cast<int>(lane));
    begin_ = end_ - static_cast<int>(mine);
  }
  __device__ unsigned count() const {
    return static_cast<unsigned>(__shfl_sync(all_lanes, end_, 31));
  }
  /// Rank of the row of a piece, and its number in the row.
  __device__ Task operator[](unsigned piece) const {
    const int octave = owner_lane(end_, static_cast<int>(piece));
    const unsigned within = piece - static_cast<unsigned>(__shfl_sync(all_lanes, begin_, octave));
    const unsigned longer = __shfl_sync(all_lanes, longer_, octave);
    return {longer + (within >> octave), within & ((1U << octave) - 1)};
  }

 private:
  unsigned longer_;  // rows of higher octaves than the lane's
  int begin_, end_;  // pieces of the lane's octave
};

/// Orients a piece of a long row by a warp; it goes behind those that are done already.
template <class Offset>
__device__ void orient_piece(const DeviceGraph<Offset>& graph, const Oriented& to,
                             const Task& piece) {
  constexpr int entries = 2 * DeviceAdaptivePolicy::long_row, steps = entries / 32;
  const unsigned own = piece.rank, v = to.order[own];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const Offset begin = graph.row_ptr[v], end = graph.row_ptr[v + 1];
  const Offset from = begin + static_cast<Offset>(piece.segment) * entries;
  if (from >= end) {
    return;
  }
  unsigned other[steps], total = 0;
#pragma unroll
  for (int j = 0; j < steps; ++j) {
    const Offset at = from + 32 * j + lane;
    other[j] = at < end ? to.rank[graph.col_idx[at]] : own;
  }
#pragma unroll
  for (int j = 0; j < steps; ++j) {
    total += __popc(__ballot_sync(all_lanes, other[j] < own));
  }
  std::uint64_t before = 0;
  if (lane == 0) {
    before = atomicAdd(reinterpret_cast<unsigned long long*>(&to.rows[v].word),
                       KeptRow::of(0, total).word);
  }
  before = __shfl_sync(all_lanes, before, 0);
  unsigned* place = to.kept + begin + KeptRow{before}.count();
#pragma unroll
  for (int j = 0; j < steps; ++j) {
    const unsigned keeping = __ballot_sync(all_lanes, other[j] < own);
    if (other[j] < own) {
      place[__popc(keeping & low_bits(lane))] = other[j];
    }
    place += __popc(keeping);
  }
}

/// Pieces of long rows by a warp each, and of the other rows `batch` successive ones. Adjoining
/// work goes to different multiprocessors.
template <class Offset>
__device__ void orient(const DeviceGraph<Offset>& graph, const Oriented& to,
                       const LongRows& long_rows, unsigned batch) {
  const unsigned lane = threadIdx.x % 32, n = static_cast<unsigned>(graph.vertices);
  const LongPieces pieces(long_rows);
  const unsigned all_pieces = pieces.count(), items = all_pieces + ceil_div(n, batch);
  for (unsigned item = threadIdx.x / 32 * gridDim.x + blockIdx.x; item < items;
       item += blockDim.x / 32 * gridDim.x) {
    if (item < all_pieces) {
      orient_piece(graph, to, pieces[item]);
      continue;
    }
    const unsigned v = (item - all_pieces) * batch + lane;
    LaneRow<Offset> row;
    bool is_short = false;
    if (lane < batch && v < n) {
      row = {graph.row_ptr[v], static_cast<int>(graph.row_ptr[v + 1] - graph.row_ptr[v]),
             to.rank[v]};
      is_short = row.length < DeviceAdaptivePolicy::long_row;
      row.length = is_short ? row.length : 0;
    }
    const int kept = orient_rows(graph, to, row);
    if (is_short) {
      to.rows[v] = KeptRow::of(row.begin, static_cast<unsigned>(kept));
    }
  }
}

using TaskScan = cub::BlockScan<unsigned long long, DeviceAdaptivePolicy::prepare_threads,
                                cub::BLOCK_SCAN_WARP_SCANS>;

struct TaskShared {
  typename TaskScan::TempStorage scan;
  unsigned table, bitmap;  ///< places of the block's first tasks
};

/// Lists the tasks, those of long rows first and in the order of ranks. A vertex with fewer than
/// two kept neighbours owns no edge that closes a triangle.
template <class Offset>
__device__ void list_tasks(const DeviceGraph<Offset>& graph, const Oriented& from,
                           const Share& share, unsigned long_rows, TaskCounts& counts,
                           TaskShared& shared) {
  const auto n = static_cast<unsigned>(graph.vertices);
  const std::uint64_t items = std::uint64_t{long_rows} + n;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x; first < items;
       first += std::uint64_t{gridDim.x} * blockDim.x) {
    const std::uint64_t i = first + threadIdx.x;
    // Segments of the row, and those of them that are this part's.
    unsigned r = 0, segments = 0, taken = 0;
    bool is_bitmap = false;
    if (i < items) {
      const bool is_long = i < long_rows;
      const auto v = is_long ? from.order[i] : static_cast<unsigned>(i - long_rows);
      const auto degree = static_cast<unsigned>(graph.row_ptr[v + 1] - graph.row_ptr[v]);
      if (is_long || degree < unsigned{DeviceAdaptivePolicy::long_row}) {
        r = from.rank[v];
        const unsigned kept = from.rows[v].count();
        is_bitmap = kept > DeviceAdaptivePolicy::table_set;
        if (is_bitmap) {
          segments = ceil_div(degree, unsigned{DeviceAdaptivePolicy::block_segment});
        } else if (kept >= 2) {
          segments = ceil_div(degree, unsigned{DeviceAdaptivePolicy::warp_segment});
        }
      }
    }
    for (unsigned c = 0; c < segments; ++c) {
      taken += share.takes(r, c) ? 1 : 0;
    }
    if (const unsigned bound = __reduce_max_sync(all_lanes, is_bitmap && taken > 0 ? r + 1 : 0);
        bound > 0 && threadIdx.x % 32 == 0) {
      atomicMax(&counts.rank_bound, bound);
    }
    // Places of both kinds in one sum: those of bitmaps in the upper half.
    unsigned long long place, sum;
    TaskScan(shared.scan).ExclusiveSum(std::uint64_t{taken} << (is_bitmap ? 32 : 0), place, sum);
    if (threadIdx.x == 0) {
      const auto tables = static_cast<unsigned>(sum), bitmaps = static_cast<unsigned>(sum >> 32);
      shared.table = tables > 0 ? atomicAdd(&counts.table, tables) : 0;
      shared.bitmap = bitmaps > 0 ? atomicAdd(&counts.bitmap, bitmaps) : 0;
    }
    __syncthreads();
    Task* to = is_bitmap ? from.bitmap_tasks + shared.bitmap + (place >> 32)
                         : from.table_tasks + shared.table + static_cast<unsigned>(place);
    for (unsigned c = 0; c < segments; ++c) {
      if (share.takes(r, c)) {
        *to++ = {r, c};
      }
    }
    __syncthreads();
  }
}

}  // namespace sparserepro::adaptive
