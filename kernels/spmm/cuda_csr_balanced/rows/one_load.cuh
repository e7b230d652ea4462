// Natural order where one load takes a row of X: K is 1, 2 or, but for fp64, 4. A team of `Lanes`
// threads takes two rows, by batches of four entries a lane; the first batches of both are under
// way at once. Lane l takes the entries l, l + Lanes, ... of a row, and shuffles add up the lanes
// in a butterfly.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/l2_policy.cuh"
#include "cuda/launch.hpp"
#include "spmm/cuda_csr_balanced/rows/product.cuh"

namespace sparserepro::balanced {

/// What the kernel reads; passed by value.
template <class Offset, class Element>
struct OneLoadInput {
  CsrView<Offset, Element> a;
  const Element* x;
  Element* y;
  SumType<Element> alpha, beta;
};

#define SPARSEREPRO_LOAD_PASSING(SUFFIX, REGISTER)                                         \
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.L2::cache_hint." SUFFIX \
               " %0, [%1], %3; }"                                                          \
               : "+" REGISTER(out)                                                         \
               : "l"(from), "r"(static_cast<int>(on)), "l"(policy))

/// An element of A that stays in L2 by `policy`, or `out` unless `on`.
template <class T>
__device__ __forceinline__ T load_passing(const T* from, bool on, T out, std::uint64_t policy) {
  if constexpr (sizeof(T) == 8) {
    SPARSEREPRO_LOAD_PASSING("f64", "d");
  } else if constexpr (std::is_same_v<T, float>) {
    SPARSEREPRO_LOAD_PASSING("f32", "f");
  } else if constexpr (sizeof(T) == 4) {
    SPARSEREPRO_LOAD_PASSING("b32", "r");
  } else {
    SPARSEREPRO_LOAD_PASSING("b16", "h");
  }
  return out;
}
#undef SPARSEREPRO_LOAD_PASSING

/// Rows of a team at once.
constexpr int one_load_rows(int lanes) {
  return lanes > 1 && lanes < 32 ? 2 : 1;
}

/// Up to `size` entries of a row for one lane: at, at + Lanes, ..., `left` entries before the end
/// of the row; zeros beyond it. With `Passes` they leave L2 first, by `policy`.
template <int Width, int Lanes, bool Passes, class Element>
struct OneLoadBatch {
  static constexpr int size = BalancedPolicy::one_load_batch;
  index_t col[size];
  Raw<Element> value[size];
  Vector<Width, Element> x[size];

  template <class Offset>
  __device__ __forceinline__ void load(const CsrView<Offset, Element>& a, Offset at, int left,
                                       std::uint64_t policy) {
    const auto* const values = reinterpret_cast<const Raw<Element>*>(a.values);
#pragma unroll
    for (int u = 0; u < size; ++u) {
      const bool on = u * Lanes < left;
      if constexpr (Passes) {
        col[u] = load_passing(a.col_idx + at + u * Lanes, on, index_t{-1}, policy);
        value[u] = load_passing(values + at + u * Lanes, on, Raw<Element>{}, policy);
      } else if (on) {
        const Offset p = at + u * Lanes;
        col[u] = a.col_idx[p];
        value[u] = values[p];
      } else {
        col[u] = -1;
        value[u] = {};
      }
    }
  }

  __device__ __forceinline__ void gather(const Element* rows_of_x) {
#pragma unroll
    for (int u = 0; u < size; ++u) {
      x[u] = load_vector<true, Width, Element>(
          reinterpret_cast<const char*>(rows_of_x + std::int64_t{col[u]} * Width), col[u] >= 0);
    }
  }

  __device__ __forceinline__ void add_to(SumType<Element> (&sum)[Width]) const {
#pragma unroll
    for (int u = 0; u < size; ++u) {
#pragma unroll
      for (int e = 0; e < Width; ++e) {
        sum[e] = fma(widen<Element>(value[u]), x[u].get(e), sum[e]);
      }
    }
  }
};

template <int Width, int Lanes, bool Passes, class Offset, class Element>
__global__ void __launch_bounds__(BalancedPolicy::threads)
    one_load_kernel(const __grid_constant__ OneLoadInput<Offset, Element> in) {
  using Sum = SumType<Element>;
  using Batch = OneLoadBatch<Width, Lanes, Passes, Element>;
  constexpr int rows = one_load_rows(Lanes), teams = BalancedPolicy::threads / Lanes;
  wait_for_previous_grid();
  const std::uint64_t policy = Passes ? l2_policy(true) : 0;
  const int lane = static_cast<int>(threadIdx.x % Lanes);
  const std::int64_t first = std::int64_t{blockIdx.x} * (rows * teams) + threadIdx.x / Lanes;
  Offset at[rows];
  int left[rows];  // entries from `at` on
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const std::int64_t row = first + r * teams;
    const bool on = row < in.a.rows;
    at[r] = on ? in.a.row_ptr[row] + lane : 0;
    left[r] = on ? static_cast<int>(in.a.row_ptr[row + 1] - at[r]) : 0;
  }
  Batch batch[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    batch[r].load(in.a, at[r], left[r], policy);
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    batch[r].gather(in.x);
  }
  Sum sum[rows][Width]{};
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    batch[r].add_to(sum[r]);
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) {
#pragma unroll 1
    for (int next = Lanes * Batch::size; next < left[r]; next += Lanes * Batch::size) {
      Batch more;
      more.load(in.a, at[r] + next, left[r] - next, policy);
      more.gather(in.x);
      more.add_to(sum[r]);
    }
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) {
#pragma unroll
    for (int offset = Lanes / 2; offset > 0; offset /= 2) {
#pragma unroll
      for (int e = 0; e < Width; ++e) {
        sum[r][e] += __shfl_xor_sync(~0U, sum[r][e], offset);
      }
    }
    const std::int64_t row = first + r * teams;
    if (lane == 0 && row < in.a.rows) {
      write_row<Width, 1>(in.y + row * Width, {0, 0, Width}, in.alpha, in.beta, sum[r]);
    }
  }
}

/// Queues the product by teams of 1 << log_lanes threads. `passes`: A leaves L2 first.
template <int Width, class Offset, class Element>
void launch_one_load(const OneLoadInput<Offset, Element>& in, int log_lanes, bool passes,
                     cudaStream_t stream) {
  const auto launch = [&](auto lanes) {
    constexpr int of_row = decltype(lanes)::value;
    const std::int64_t rows = one_load_rows(of_row) * (BalancedPolicy::threads / of_row);
    queue_kernel(Begins::after_previous,
                 passes ? one_load_kernel<Width, of_row, true, Offset, Element>
                        : one_load_kernel<Width, of_row, false, Offset, Element>,
                 static_cast<unsigned>(ceil_div<std::int64_t>(in.a.rows, rows)),
                 BalancedPolicy::threads, stream, in);
  };
  switch (log_lanes) {
    case 0:
      return launch(std::integral_constant<int, 1>{});
    case 1:
      return launch(std::integral_constant<int, 2>{});
    case 2:
      return launch(std::integral_constant<int, 4>{});
    case 3:
      return launch(std::integral_constant<int, 8>{});
    case 4:
      return launch(std::integral_constant<int, 16>{});
    default:
      return launch(std::integral_constant<int, 32>{});
  }
}

}  // namespace sparserepro::balanced
