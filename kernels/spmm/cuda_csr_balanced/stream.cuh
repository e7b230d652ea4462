// Path streamed: rows as one stream of entries. A team of lanes takes consecutive rows, a task,
// with about as many entries as every other task. The team gathers rows of X in batches across the
// ends of rows, and writes a row of Y where a row ends. `lanes` is a multiple of the batch.
#pragma once

#include "spmm/cuda_csr_balanced/product.cuh"

namespace sparserepro::balanced {

/// Blocks of segments first, then a team of lanes per task.
template <int Width, int Loads, class Offset, class Element>
__global__ void __launch_bounds__(BalancedPolicy::threads, BalancedPolicy::stream_blocks)
    stream_kernel(const __grid_constant__ ProductInput<Offset, Element> in) {
  wait_for_previous_grid();
  let_next_grid_launch();
  constexpr int unroll = BalancedPolicy::unroll(1, Loads);
  static_assert(BalancedPolicy::least_stream_lanes % unroll == 0);
  const int lanes = 1 << in.log_lanes;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const Columns columns{
      (in.first_column_block + blockIdx.y) * in.column_block + static_cast<unsigned>(lane) * Width,
      static_cast<unsigned>(lanes) * Width, in.k};
  if (blockIdx.x < in.segment_blocks) {
    segment_product<Width, Loads>(in, columns);
    return;
  }
  const unsigned t = ((blockIdx.x - in.segment_blocks) * blockDim.x + threadIdx.x) >> in.log_lanes;
  const bool some = t < in.tasks;
  index_t row = some ? in.task_row[t] : 0;
  index_t stop = some ? in.task_row[t + 1] : 0;
  const Offset* const row_ptr = in.a.row_ptr;
  const Offset begin = row_ptr[row];
  int length = 0;
  if (row < stop) {
    // Only the last row can be long: the others end within the task, and a task has no more entries
    // than a segment.
    if (row_ptr[stop] - row_ptr[stop - 1] > in.segment) {
      --stop;
    }
    length = static_cast<int>(row_ptr[stop] - begin);
  }
  Sums<Width, Loads, 1, SumType<Element>> sums{};
  int row_end = row < stop ? static_cast<int>(row_ptr[row + 1] - begin) : -1;
  const auto close_rows = [&](int position) {
    do {
      write_row<Width, Loads>(in.y + std::int64_t{row} * in.k, columns, in.alpha, in.beta,
                              sums.of[0]);
      sums = {};
      ++row;
      row_end = row < stop ? static_cast<int>(row_ptr[row + 1] - begin) : -1;
    } while (row_end == position);
  };
  if (row_end == 0) {
    close_rows(0);
  }
  const char* from[Loads];
#pragma unroll
  for (int load = 0; load < Loads; ++load) {
    from[load] = reinterpret_cast<const char*>(in.x) + columns.byte<Element>(load, Width);
  }
  const unsigned row_bytes = in.k * static_cast<unsigned>(sizeof(Element));
  const index_t* const cols = in.a.col_idx + begin;
  const Element* const values = in.a.values + begin;
  const int longest = __reduce_max_sync(~0U, length);
  index_t next_col = load_column<true, Width>(cols + lane, lane < length);
  Raw<Element> next_value = load_value<true, Width>(values + lane, lane < length);
  for (int base = 0; base < longest; base += lanes) {
    const index_t my_col = next_col;
    const SumType<Element> my_value = widen<Element>(next_value);
    const int ahead = base + lanes + lane;
    next_col = load_column<true, Width>(cols + ahead, ahead < length);
    next_value = load_value<true, Width>(values + ahead, ahead < length);
    const int most = min(lanes, longest - base);
#pragma unroll 1
    for (int first = 0; first < most; first += unroll) {
      Vector<Width, Element> gathered[unroll][Loads];
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        const index_t col = __shfl_sync(~0U, my_col, first + u, lanes);
#pragma unroll
        for (int load = 0; load < Loads; ++load) {
          gathered[u][load] = load_vector<true, Width, Element>(
              from[load] + static_cast<std::uint64_t>(static_cast<unsigned>(col)) * row_bytes,
              base + first + u < length);
        }
      }
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        const SumType<Element> value = __shfl_sync(~0U, my_value, first + u, lanes);
#pragma unroll
        for (int e = 0; e < Loads * Width; ++e) {
          sums.of[0][e] = fma(value, gathered[u][e / Width].get(e % Width), sums.of[0][e]);
        }
        if (base + first + u + 1 == row_end) {
          close_rows(row_end);
        }
      }
    }
  }
}

}  // namespace sparserepro::balanced
