// Inner loop of cuda_csr_balanced: sums of one thread over entries of a row, or of rows with the
// same columns.
#pragma once

#include <cstdint>

#include "formats/types.hpp"
#include "spmm/cuda_csr_balanced/plan.hpp"

namespace sparserepro::balanced {

/// Sums of a team's rows, for one thread: Loads times Width adjacent columns each.
template <int Width, int Loads, int Rows>
struct Sums {
  double of[Rows][Loads * Width];
};

template <int Width>
struct Vector {
  double at[Width];
};

// Loads are volatile assembly: the compiler keeps their order, so that a batch is in flight at
// once. They are no read-only loads (ld.global.nc): the kernel may begin before the one that writes
// X has ended. With one column per load (odd K), A leaves L2 first and X stays. With `Guarded`, a
// load gives 0 unless `on`.
template <bool Guarded, int Width>
__device__ __forceinline__ index_t load_column(const index_t* from, bool on) {
  index_t out = 0;
  if constexpr (Width == 2) {
    if constexpr (Guarded) {
      asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.b32 %0, [%1]; }"
                   : "+r"(out)
                   : "l"(from), "r"(static_cast<int>(on)));
    } else {
      asm volatile("ld.global.b32 %0, [%1];" : "=r"(out) : "l"(from));
    }
  } else {
    asm volatile(
        "{ .reg .pred p; .reg .b64 q; createpolicy.fractional.L2::evict_first.b64 q, 1.0;"
        " setp.ne.s32 p, %2, 0; @p ld.global.L2::cache_hint.b32 %0, [%1], q; }"
        : "+r"(out)
        : "l"(from), "r"(Guarded ? static_cast<int>(on) : 1));
  }
  return out;
}

template <bool Guarded, int Width>
__device__ __forceinline__ double load_value(const double* from, bool on) {
  double out = 0.0;
  if constexpr (Width == 2) {
    if constexpr (Guarded) {
      asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.f64 %0, [%1]; }"
                   : "+d"(out)
                   : "l"(from), "r"(static_cast<int>(on)));
    } else {
      asm volatile("ld.global.f64 %0, [%1];" : "=d"(out) : "l"(from));
    }
  } else {
    asm volatile(
        "{ .reg .pred p; .reg .b64 q; createpolicy.fractional.L2::evict_first.b64 q, 1.0;"
        " setp.ne.s32 p, %2, 0; @p ld.global.L2::cache_hint.f64 %0, [%1], q; }"
        : "+d"(out)
        : "l"(from), "r"(Guarded ? static_cast<int>(on) : 1));
  }
  return out;
}

template <bool Guarded, int Width>
__device__ __forceinline__ Vector<Width> load_vector(const char* from, bool on) {
  Vector<Width> out{};
  if constexpr (Width == 1) {
    if constexpr (Guarded) {
      asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.f64 %0, [%1]; }"
                   : "+d"(out.at[0])
                   : "l"(from), "r"(static_cast<int>(on)));
    } else {
      asm volatile("ld.global.f64 %0, [%1];" : "=d"(out.at[0]) : "l"(from));
    }
  } else {
    if constexpr (Guarded) {
      asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.v2.f64 {%0, %1}, [%2]; }"
                   : "+d"(out.at[0]), "+d"(out.at[1])
                   : "l"(from), "r"(static_cast<int>(on)));
    } else {
      asm volatile("ld.global.v2.f64 {%0, %1}, [%2];"
                   : "=d"(out.at[0]), "=d"(out.at[1])
                   : "l"(from));
    }
  }
  return out;
}

/// The columns of a thread: `Width` from first + load * step for each load, below k.
struct Columns {
  unsigned first, step, k;
  __device__ unsigned at(int load) const { return first + static_cast<unsigned>(load) * step; }
  __device__ bool active(int load) const { return at(load) < k; }
  /// Byte of a row at which a load reads; a load beyond k reads the last columns instead.
  __device__ unsigned byte(int load, unsigned width) const {
    return min(at(load), k - width) * static_cast<unsigned>(sizeof(double));
  }
};

/// Adds entries p, p + slots, ..., `Unroll` of them, all of them below `length` unless `Guarded`.
template <bool Guarded, int Unroll, int Width, int Loads, int Rows>
__device__ __forceinline__ void accumulate_batch(const index_t* cols,
                                                 const double* const (&values)[Rows], int p,
                                                 int slots, int length,
                                                 const char* const (&x)[Loads], unsigned row_bytes,
                                                 Sums<Width, Loads, Rows>& sums) {
  index_t col[Unroll];
  double value[Unroll][Rows];
  Vector<Width> gathered[Unroll][Loads];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const int q = p + u * slots;
    col[u] = load_column<Guarded, Width>(cols + q, q < length);
  }
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const int q = p + u * slots;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      value[u][r] = load_value<Guarded, Width>(values[r] + q, q < length);
    }
  }
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
#pragma unroll
    for (int load = 0; load < Loads; ++load) {
      gathered[u][load] = load_vector<Guarded, Width>(
          x[load] + static_cast<std::uint64_t>(static_cast<unsigned>(col[u])) * row_bytes,
          p + u * slots < length);
    }
  }
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int e = 0; e < Loads * Width; ++e) {
        sums.of[r][e] = fma(value[u][r], gathered[u][e / Width].at[e % Width], sums.of[r][e]);
      }
    }
  }
}

/// Adds the entries slot, slot + slots, ... of rows of `length` entries that share the columns
/// `cols`; row r has the values values[r].
template <int Width, int Loads, int Rows>
__device__ __forceinline__ void accumulate(const index_t* cols, const double* const (&values)[Rows],
                                           int length, int slot, int slots, const double* x,
                                           Columns columns, Sums<Width, Loads, Rows>& sums) {
  constexpr int unroll = BalancedPolicy::unroll(Rows, Loads);
  const char* from[Loads];
#pragma unroll
  for (int load = 0; load < Loads; ++load) {
    from[load] = reinterpret_cast<const char*>(x) + columns.byte(load, Width);
  }
  const unsigned row_bytes = columns.k * static_cast<unsigned>(sizeof(double));
  int p = slot;
#pragma unroll 1
  for (; p + (unroll - 1) * slots < length; p += unroll * slots) {
    accumulate_batch<false, unroll>(cols, values, p, slots, length, from, row_bytes, sums);
  }
  if (p < length) {
    accumulate_batch<true, unroll>(cols, values, p, slots, length, from, row_bytes, sums);
  }
}

}  // namespace sparserepro::balanced
