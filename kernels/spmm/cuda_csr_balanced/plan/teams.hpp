// How paths packed, short_rows, blocks and flat divide threads among rows or entries.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/ceil_div.hpp"
#include "spmm/cuda_csr_balanced/plan/policy.hpp"

namespace sparserepro {

/// How path short_rows takes rows: lanes of a row, loads of a lane, rows of a thread.
struct ShortLanes {
  unsigned lanes;
  int loads, rows;
};

/// For `k` columns, `width` in a load: equal blocks of columns, of at most 32 lanes. One load of
/// several columns where two would leave few lanes.
inline ShortLanes short_lanes(std::int64_t k, int width) {
  const auto vectors = static_cast<unsigned>(k / width);
  const int loads = width == 1 || vectors >= BalancedPolicy::least_short_pairs ? 2 : 1;
  const unsigned blocks = ceil_div(vectors, 32U * static_cast<unsigned>(loads));
  return {ceil_div(ceil_div(vectors, blocks), static_cast<unsigned>(loads)), loads,
          width == 1 ? 2 : 1};
}

/// Threads of a block of path packed, for rows of `mean` entries.
inline unsigned packed_threads(double mean) {
  return mean < BalancedPolicy::few_entries ? BalancedPolicy::most_packed_threads
                                            : BalancedPolicy::threads;
}

/// How path blocks takes a row: blocks of `threads` threads, teams of `lanes` lanes, a load each.
struct RowBlock {
  unsigned lanes, threads;
};

/// For `rows` rows and `k` columns, `width` in a load: as many threads as the device holds at once.
inline RowBlock row_block(std::int64_t rows, std::int64_t k, int width) {
  const auto vectors = std::max(1U, static_cast<unsigned>(k / width));
  const unsigned column_blocks = ceil_div(vectors, 32U);
  RowBlock block{ceil_div(vectors, column_blocks), BalancedPolicy::least_row_threads};
  while (2 * block.threads <= BalancedPolicy::most_row_threads &&
         rows * column_blocks * 2 * block.threads <= BalancedPolicy::device_row_threads) {
    block.threads *= 2;
  }
  return block;
}

/// How a warp of path flat parts its task with more than one column: `count` teams of `lanes`
/// lanes, with 2^log_share entries each.
struct ShareTeams {
  unsigned lanes, count;
  unsigned inverse;  ///< lane / lanes = lane * inverse / 2^16
  int log_share;
};

/// For `k` columns, `width` in a load: at most 32 loads.
inline ShareTeams share_teams(std::int64_t k, int width) {
  const auto lanes = static_cast<unsigned>(k / width);
  ShareTeams teams{lanes, 32 / lanes, ceil_div(65536U, lanes), BalancedPolicy::most_log_share};
  while (teams.count << teams.log_share > BalancedPolicy::share_entries) {
    --teams.log_share;
  }
  return teams;
}

}  // namespace sparserepro
