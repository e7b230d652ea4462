// Path streamed: rows as one stream of entries. A team of lanes takes a task, consecutive rows with
// about as many entries as every other task, or a segment of a long row. It stages `lanes` entries
// at a time in shared memory, gathers their rows of X in batches across the ends of rows, and
// writes a row of Y where a row ends. `lanes` is a multiple of the batch.
#pragma once

#include "spmm/cuda_csr_balanced/product.cuh"

namespace sparserepro::balanced {

/// An entry in shared memory; all lanes of a team read it at once.
template <class Sum>
struct alignas(16) StagedEntry {
  Sum value;
  index_t column;
  /// 1 + the row that ends after the entry, counted from the first of the task; 0: none does.
  unsigned ends;
};

/// Teams of the segments first, then those of the tasks; blockIdx.y counts column blocks.
template <int Width, int Loads, class Offset, class Element>
__global__ void __launch_bounds__(BalancedPolicy::threads, BalancedPolicy::stream_blocks)
    stream_kernel(const __grid_constant__ ProductInput<Offset, Element> in) {
  using Sum = SumType<Element>;
  constexpr int batch = BalancedPolicy::stream_batch(Loads);
  static_assert(BalancedPolicy::least_stream_lanes % batch == 0);
  __shared__ StagedEntry<Sum> all_staged[BalancedPolicy::threads];
  wait_for_previous_grid();
  let_next_grid_launch();
  const int lanes = 1 << in.log_lanes;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const Columns columns{
      (in.first_column_block + blockIdx.y) * in.column_block + static_cast<unsigned>(lane) * Width,
      static_cast<unsigned>(lanes) * Width, in.k};
  StagedEntry<Sum>* const staged = all_staged + (threadIdx.x & ~(lanes - 1U));
  const unsigned t = (blockIdx.x * blockDim.x + threadIdx.x) >> in.log_lanes;
  const Offset* row_ptr = in.a.row_ptr;
  Offset begin = 0;
  int rows = 0, length = 0;
  Element* y = in.y;
  if (t < in.segments) {
    const index_t row = in.segment_row[t];
    begin = row_ptr[row] +
            static_cast<Offset>(static_cast<index_t>(t) - in.first_segment[row]) * in.segment;
    const Offset left = row_ptr[row + 1] - begin;
    length = left < in.segment ? static_cast<int>(left) : in.segment;
  } else if (t - in.segments < in.tasks) {
    const index_t row = in.task_row[t - in.segments];
    rows = in.task_row[t - in.segments + 1] - row;
    row_ptr += row;
    begin = row_ptr[0];
    y += std::int64_t{row} * in.k;
    if (rows > 0) {
      // Only the last row can be long: the others end within the task, and a task has no more
      // entries than a segment.
      if (row_ptr[rows] - row_ptr[rows - 1] > in.segment) {
        --rows;
      }
      length = static_cast<int>(row_ptr[rows] - begin);
    }
  }
  const auto column_at = [&](int p) {
    return load_column<true, Width>(in.a.col_idx + (begin + p), p < length);
  };
  const auto value_at = [&](int p) {
    return load_value<true, Width>(in.a.values + (begin + p), p < length);
  };
  index_t next_column = column_at(lane);
  Raw<Element> next_value = value_at(lane);
  Sums<Width, Loads, 1, Sum> sums{};
  const unsigned shift = threadIdx.x % 32 & ~(lanes - 1U);
  const unsigned team = (lanes == 32 ? ~0U : (1U << lanes) - 1) << shift;
  for (int first = 0; first < rows; first += lanes) {
    const int r = first + lane;
    unsigned empty = __ballot_sync(team, r < rows && row_ptr[r + 1] == row_ptr[r]) >> shift;
    for (; empty != 0; empty &= empty - 1) {
      write_row<Width, Loads>(y + std::int64_t{first + __ffs(static_cast<int>(empty)) - 1} * in.k,
                              columns, in.alpha, in.beta, sums.of[0]);
    }
  }
  const int longest = __reduce_max_sync(~0U, length);
  for (int base = 0; base < longest; base += lanes) {
    const int p = base + lane;
    __syncwarp();
    // Beyond the end: products with a row of X that no sum takes.
    staged[lane].value = widen<Element>(next_value);
    staged[lane].column = next_column;
    staged[lane].ends = rows == 0 && p == length - 1 ? 1U : 0U;
    next_column = column_at(p + lanes);
    next_value = value_at(p + lanes);
    __syncwarp();
    for (int r = lane; r < rows; r += lanes) {
      const Offset end = row_ptr[r + 1];
      const int last = static_cast<int>(end - begin) - 1 - base;
      if (static_cast<unsigned>(last) < static_cast<unsigned>(lanes) && end > row_ptr[r]) {
        staged[last].ends = static_cast<unsigned>(r) + 1;
      }
    }
    __syncwarp();
    const int most = min(lanes, longest - base);
#pragma unroll 1
    for (int first = 0; first < most; first += batch) {
      Vector<Width, Element> gathered[batch][Loads];
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        const char* const x =
            reinterpret_cast<const char*>(in.x) +
            static_cast<std::uint64_t>(static_cast<unsigned>(staged[first + u].column)) *
                (in.k * static_cast<unsigned>(sizeof(Element)));
#pragma unroll
        for (int load = 0; load < Loads; ++load) {
          gathered[u][load] =
              load_vector<false, Width, Element>(x + columns.byte<Element>(load, Width), true);
        }
      }
#pragma unroll
      for (int u = 0; u < batch; ++u) {
        const Sum factor = staged[first + u].value;
        const unsigned ends = staged[first + u].ends;
#pragma unroll
        for (int e = 0; e < Loads * Width; ++e) {
          sums.of[0][e] = fma(factor, gathered[u][e / Width].get(e % Width), sums.of[0][e]);
        }
        if (ends != 0) {
          if (rows > 0) {
            write_row<Width, Loads>(y + std::int64_t{ends - 1} * in.k, columns, in.alpha, in.beta,
                                    sums.of[0]);
          } else {
            write_row<Width, Loads>(in.partial + std::int64_t{t} * in.k, columns, 1, 0, sums.of[0]);
          }
          sums = {};
        }
      }
    }
  }
}

}  // namespace sparserepro::balanced
