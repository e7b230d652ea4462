// Path short_rows: rows as they are, side by side like those of path packed, but with two loads a
// thread, and with one column per load two rows a thread. A row of one or two entries is a chain of
// loads, its row pointers, its columns, rows of X: what a thread holds at once, and how many
// threads fit, say how many chains are under way. There is no code for segments, which would take
// registers.
#pragma once

#include "cuda/launch.hpp"
#include "spmm/cuda_csr_balanced/rows/packed.cuh"

namespace sparserepro::balanced {

/// A thread takes columns of `Rows` rows, `all.rows` apart; blockIdx.y counts column blocks. Rows
/// are whole, whatever their length.
template <int Width, int Loads, int Rows, class Offset, class Element>
__global__ void __launch_bounds__(BalancedPolicy::threads)
    short_rows_kernel(const __grid_constant__ PackedInput<Offset, Element> all) {
  constexpr int batch = BalancedPolicy::short_batch;
  const ProductInput<Offset, Element>& in = all.product;
  wait_for_previous_grid();
  const unsigned of_block = threadIdx.x * all.inverse >> 16;
  const unsigned rows = static_cast<unsigned>(in.a.rows);
  const unsigned first = blockIdx.x * all.rows * Rows + of_block;
  if (of_block >= all.rows || first >= rows) {
    return;
  }
  Offset begin[Rows];
  int left[Rows], longest = 0;  // -1: no row
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const unsigned row = first + static_cast<unsigned>(r) * all.rows;
    begin[r] = row < rows ? in.a.row_ptr[row] : 0;
    left[r] = row < rows ? static_cast<int>(in.a.row_ptr[row + 1] - begin[r]) : -1;
    longest = max(longest, left[r]);
  }
  if (in.ahead.entries > 0 && threadIdx.x == 0) {
    fetch_ahead(in.a, in.ahead, static_cast<index_t>(first), begin[0]);
  }
  const Columns columns{(in.first_column_block + blockIdx.y) * in.column_block +
                            (threadIdx.x - of_block * all.lanes) * Width,
                        all.lanes * Width, in.k};
  const char* x[Loads];
#pragma unroll
  for (int load = 0; load < Loads; ++load) {
    x[load] = reinterpret_cast<const char*>(in.x) + columns.byte<Element>(load, Width);
  }
  const unsigned row_bytes = in.k * static_cast<unsigned>(sizeof(Element));
  Sums<Width, Loads, Rows, SumType<Element>> sums{};
#pragma unroll 1
  for (int p = 0; p < longest; p += batch) {
    index_t col[Rows][batch];
    Raw<Element> value[Rows][batch];
    Vector<Width, Element> gathered[Rows][batch][Loads];
    const auto for_entries = [&](const auto& take) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
#pragma unroll
        for (int u = 0; u < batch; ++u) {
          take(r, u, begin[r] + p + u, p + u < left[r]);
        }
      }
    };
    for_entries([&](int r, int u, Offset at, bool on) {
      col[r][u] = load_column<true, Width>(in.a.col_idx + at, on);
    });
    for_entries([&](int r, int u, Offset at, bool on) {
      value[r][u] = load_value<true, Width>(in.a.values + at, on);
    });
    for_entries([&](int r, int u, Offset, bool on) {
#pragma unroll
      for (int load = 0; load < Loads; ++load) {
        gathered[r][u][load] = load_vector<true, Width, Element>(
            x[load] + std::uint64_t{static_cast<unsigned>(col[r][u])} * row_bytes, on);
      }
    });
    for_entries([&](int r, int u, Offset, bool) {
#pragma unroll
      for (int e = 0; e < Loads * Width; ++e) {
        sums.of[r][e] = fma(widen<Element>(value[r][u]), gathered[r][u][e / Width].get(e % Width),
                            sums.of[r][e]);
      }
    });
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    if (left[r] >= 0) {
      const unsigned row = first + static_cast<unsigned>(r) * all.rows;
      write_row<Width, Loads>(in.y + std::int64_t{row} * in.k, columns, in.alpha, in.beta,
                              sums.of[r]);
    }
  }
}

/// Queues the product.
template <int Width, class Offset, class Element>
void launch_short_rows(const ProductInput<Offset, Element>& in, const ShortLanes& lanes,
                       cudaStream_t stream) {
  constexpr unsigned threads = BalancedPolicy::threads;
  PackedInput<Offset, Element> all{in, lanes.lanes, threads / lanes.lanes,
                                   ceil_div(65536U, lanes.lanes)};
  const auto blocks =
      static_cast<unsigned>(ceil_div<std::int64_t>(in.a.rows, std::int64_t{all.rows} * lanes.rows));
  const auto kernel = [&] {
    if constexpr (Width == 1) {
      return short_rows_kernel<1, 2, 2, Offset, Element>;
    } else {
      return lanes.loads == 2 ? short_rows_kernel<Width, 2, 1, Offset, Element>
                              : short_rows_kernel<Width, 1, 1, Offset, Element>;
    }
  }();
  for_column_blocks(all.product, in.column_block, [&](unsigned column_blocks) {
    queue_kernel(all.product.first_column_block == 0 ? Begins::after_previous : Begins::early,
                 kernel, dim3(blocks, column_blocks), threads, stream, all);
  });
}

}  // namespace sparserepro::balanced
