// Path flat with more than one column: a warp takes equal shares of the entries, wherever rows
// begin.
//
//   1. the warp copies the columns and values of its task into shared memory, by whole lines
//   2. a team of lanes across the columns of X goes through its share, adds up a_e x[col_e] and
//      writes Y where a row ends, but for the first such row, which may have begun before
//   3. a segmented scan over the teams adds the sums that are open at their ends to those rows
//   4. what is open where a task begins or ends goes to memory; close_shares_kernel adds it up
//
// The lists are those of flat/lists.cuh: a bit for each entry that ends a row, and for each 32
// entries the number of rows that end before them.
//
// Source: this project; shares of entries as in merge-based SpMM (Yang, Buluc, Owens, Euro-Par
// 2018), with teams within a warp and the ends of rows as bits.
#pragma once

#include <cstdint>

#include "cuda/grid_dependency.cuh"
#include "formats/csr.hpp"
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "spmm/cuda_csr_balanced/rows/product.cuh"

namespace sparserepro::balanced {

/// Everything the two kernels read; passed by value.
template <class Offset, class Element>
struct SharesInput {
  using Sum = SumType<Element>;
  CsrView<Offset, Element> a;
  const Element* x;
  Element* y;
  Sum alpha, beta;
  unsigned k;
  ShareTeams teams;
  const uint2* words;    ///< as those of FlatInput
  const index_t* order;  ///< rows with entries, then those without, if there are such
  Sum* heads;            ///< [tasks * k] sums up to the first end of a row that began before
  Sum* tails;            ///< [tasks * k] sums behind the last end of a row
  unsigned tasks, task_blocks;
  index_t some_rows;  ///< with entries

  /// The rows that end before entry `e`.
  __device__ index_t rows_before(Offset e) const {
    const uint2 word = words[e / 32];
    return static_cast<index_t>(word.y + __popc(word.x & ~(~0U << e % 32)));
  }
  /// Whether a row ends before entry `e` > 0.
  __device__ bool begins_row(Offset e) const { return words[(e - 1) / 32].x >> (e - 1) % 32 & 1; }
  __device__ Offset entries_of_task() const {
    return static_cast<Offset>(teams.count << teams.log_share);
  }
};

/// Team and columns of a lane; the lanes that are left do as the first of team 0, and write
/// nothing.
template <int Width>
struct ShareLane {
  unsigned team;
  bool on;
  Columns columns;

  template <class Offset, class Element>
  __device__ explicit ShareLane(const SharesInput<Offset, Element>& in) {
    const unsigned lane = threadIdx.x % 32;
    team = lane * in.teams.inverse >> 16;
    on = team < in.teams.count;
    columns = {on ? (lane - team * in.teams.lanes) * Width : 0, in.teams.lanes * Width, in.k};
  }
};

/// `sums` of the lane `lane` lanes before, or behind.
template <bool Behind, int Width, class Sum>
__device__ __forceinline__ Sums<Width, 1, 1, Sum> neighbour(const Sums<Width, 1, 1, Sum>& sums,
                                                            unsigned lane) {
  Sums<Width, 1, 1, Sum> out;
#pragma unroll
  for (int e = 0; e < Width; ++e) {
    out.of[0][e] = Behind ? __shfl_down_sync(~0U, sums.of[0][e], lane)
                          : __shfl_up_sync(~0U, sums.of[0][e], lane);
  }
  return out;
}

/// Columns and values of a task in shared memory: those of each share behind those of the one
/// before, with one place between, so that teams read from different banks.
template <class Element>
struct StagedTask {
  const Raw<Element>* values;
  const index_t* cols;
};

/// The task that begins with entry `base`, by warp `warp` of `warps`, which synchronises before it
/// reads.
template <class Offset, class Element>
__device__ __forceinline__ StagedTask<Element> stage_task(const SharesInput<Offset, Element>& in,
                                                          Offset base, unsigned warp, int warps) {
  extern __shared__ double shared[];
  const int log_share = in.teams.log_share, share = 1 << log_share, pitch = share + 1;
  const int entries = static_cast<int>(in.entries_of_task());
  const int places = static_cast<int>(in.teams.count) * pitch;
  auto* const all_values = reinterpret_cast<Raw<Element>*>(shared);
  Raw<Element>* const values = all_values + warp * places;
  index_t* const cols = reinterpret_cast<index_t*>(all_values + warps * places) + warp * places;
  constexpr int loads = BalancedPolicy::share_entries / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  index_t col[loads];
  Raw<Element> value[loads];
#pragma unroll
  for (int j = 0; j < loads; ++j) {
    const int e = j * 32 + lane;
    const bool is_one = e < entries && e < in.a.nnz - base;
    col[j] = load_once(in.a.col_idx + base + e, is_one);
    value[j] = load_once(reinterpret_cast<const Raw<Element>*>(in.a.values) + base + e, is_one);
  }
#pragma unroll
  for (int j = 0; j < loads; ++j) {
    const int e = j * 32 + lane;
    if (e < entries) {
      const int to = (e >> log_share) * pitch + (e & (share - 1));
      cols[to] = col[j];
      values[to] = value[j];
    }
  }
  return {values, cols};
}

/// What the teams before leave open: sums, and whether a row ended there.
template <int Width, class Sum>
struct OpenSums {
  Sums<Width, 1, 1, Sum> sums;
  bool ended;
};

/// Adds to `sums` of each team in which no row ended those of the teams before, back to the last
/// one in which a row ended, by a segmented scan.
template <int Width, class Offset, class Element>
__device__ __forceinline__ OpenSums<Width, SumType<Element>> join_teams(
    const SharesInput<Offset, Element>& in, const ShareLane<Width>& place,
    Sums<Width, 1, 1, SumType<Element>>& sums, bool ended) {
  for (unsigned step = 1; step < in.teams.count; step *= 2) {
    const auto before = neighbour<false>(sums, step * in.teams.lanes);
    const bool ended_before = __shfl_up_sync(~0U, ended, step * in.teams.lanes);
    if (place.team >= step && !ended) {
      add_sums(sums, before);
      ended = ended_before;
    }
  }
  const auto open = neighbour<false>(sums, in.teams.lanes);
  const bool ended_before = __shfl_up_sync(~0U, ended, in.teams.lanes);
  if (place.team == 0) {
    return {{}, false};
  }
  return {open, ended_before};
}

/// Blocks of tasks, a warp each, then those of the rows without entries, a team each, if `Listed`.
template <int Width, bool Listed, class Offset, class Element>
__global__ void __launch_bounds__(BalancedPolicy::threads, BalancedPolicy::share_blocks)
    shares_kernel(const __grid_constant__ SharesInput<Offset, Element> in) {
  using Sum = SumType<Element>;
  constexpr int batch = BalancedPolicy::share_batch, warps = BalancedPolicy::threads / 32;
  wait_for_previous_grid();
  let_next_grid_launch(in.tasks > 1);
  const unsigned warp = threadIdx.x / 32;
  const ShareLane<Width> place(in);
  const auto write = [&](index_t row, const Sums<Width, 1, 1, Sum>& sums) {
    write_row<Width, 1>(in.y + std::int64_t{row} * in.k, place.columns, in.alpha, in.beta,
                        sums.of[0]);
  };
  if (Listed && blockIdx.x >= in.task_blocks) {
    const std::int64_t at =
        in.some_rows + (std::int64_t{blockIdx.x - in.task_blocks} * warps + warp) * in.teams.count +
        place.team;
    if (place.on && at < in.a.rows) {
      write(in.order[at], {});
    }
    return;
  }
  const unsigned task = blockIdx.x * warps + warp;
  if (task >= in.tasks) {
    return;
  }
  const int share = 1 << in.teams.log_share, pitch = share + 1;
  const Offset base = static_cast<Offset>(task) * in.entries_of_task();
  const StagedTask<Element> staged = stage_task(in, base, warp, warps);
  const unsigned team = place.on ? place.team : 0;
  const Offset first = base + static_cast<Offset>(team << in.teams.log_share);
  const bool has_entries = place.on && first < in.a.nnz;
  const index_t* const order = in.order;
  index_t rank = has_entries ? in.rows_before(first) : 0;
  bool continues = has_entries && first > 0 && !in.begins_row(first);
  const bool task_continues = __shfl_sync(~0U, continues, 0);
  // Of up to 32 entries of the share, and of 32 more; none is set behind the last entry of A.
  unsigned ends = has_entries ? in.words[first / 32].x >> first % 32 : 0;
  ends &= ~0U >> (share < 32 ? 32 - share : 0);
  const unsigned later_ends =
      share > 32 && has_entries && first + 32 < in.a.nnz ? in.words[first / 32 + 1].x : 0;
  index_t row = Listed && has_entries ? order[rank] : rank;
  const char* const x =
      reinterpret_cast<const char*>(in.x) + place.columns.template byte<Element>(0, Width);
  const unsigned row_bytes = in.k * static_cast<unsigned>(sizeof(Element));
  __syncwarp();
  Sums<Width, 1, 1, Sum> sums{}, head{};
  index_t head_row = -1;
  bool ended = false;
  const index_t* own_cols = staged.cols + team * pitch;
  const Raw<Element>* own_values = staged.values + team * pitch;
#pragma unroll 1
  for (int q = 0; q < share; q += batch, own_cols += batch, own_values += batch) {
    ends = q == 32 ? later_ends : ends;
    Vector<Width, Element> gathered[batch];
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      gathered[u] = load_vector<false, Width, Element>(
          x + std::uint64_t{static_cast<unsigned>(own_cols[u])} * row_bytes, true);
    }
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      const Sum value = widen<Element>(own_values[u]);
#pragma unroll
      for (int e = 0; e < Width; ++e) {
        sums.of[0][e] = fma(value, gathered[u].get(e), sums.of[0][e]);
      }
      if ((ends >> u & 1) != 0) {
        if (continues) {
          head = sums;
          head_row = row;
          continues = false;
        } else {
          write(row, sums);
        }
        ++rank;
        row = Listed ? order[rank] : rank;
        sums = {};
        ended = true;
      }
    }
    ends >>= batch;
  }
  const auto [open, ended_before] = join_teams(in, place, sums, ended);
  const std::int64_t at = std::int64_t{task} * in.k;
  if (place.on && head_row >= 0) {
    add_sums(head, open);
    if (task_continues && !ended_before) {
      write_row<Width, 1>(in.heads + at, place.columns, 1, 0, head.of[0]);
    } else {
      write(head_row, head);
    }
  }
  if (place.team + 1 == in.teams.count) {
    write_row<Width, 1>(in.tails + at, place.columns, 1, 0, sums.of[0]);
  }
}

/// A warp for each task in which a row ends that began before: that row, from the tails of the
/// tasks where it began and went on, and the head of this one. Reads the lists of the analysis
/// before it waits.
template <int Width, bool Listed, class Offset, class Element>
__global__ void close_shares_kernel(const __grid_constant__ SharesInput<Offset, Element> in) {
  using Sum = SumType<Element>;
  const unsigned task = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (task == 0 || task >= in.tasks) {
    return;
  }
  const ShareLane<Width> place(in);
  const Offset entries = in.entries_of_task(), base = static_cast<Offset>(task) * entries;
  const index_t rank = in.rows_before(base);
  if (in.begins_row(base) || rank == in.rows_before(min(base + entries, in.a.nnz))) {
    return;
  }
  const index_t row = Listed ? in.order[rank] : rank;
  const auto begin = static_cast<unsigned>(in.a.row_ptr[row] / entries);
  wait_for_previous_grid();
  Sums<Width, 1, 1, Sum> sums{};
#pragma unroll 4
  for (unsigned t = begin + place.team; t < task; t += in.teams.count) {
#pragma unroll
    for (int e = 0; e < Width; ++e) {
      sums.of[0][e] += __ldcg(in.tails + std::int64_t{t} * in.k + place.columns.at(0) + e);
    }
  }
  for (unsigned step = 1; step < in.teams.count; step *= 2) {
    const auto behind = neighbour<true>(sums, step * in.teams.lanes);
    if (place.team + step < in.teams.count) {
      add_sums(sums, behind);
    }
  }
  if (place.team == 0) {
#pragma unroll
    for (int e = 0; e < Width; ++e) {
      sums.of[0][e] += in.heads[std::int64_t{task} * in.k + place.columns.at(0) + e];
    }
    write_row<Width, 1>(in.y + std::int64_t{row} * in.k, place.columns, in.alpha, in.beta,
                        sums.of[0]);
  }
}

}  // namespace sparserepro::balanced
