// Inner loop of cuda_csr_balanced: sums of one thread over entries of a row, or of rows with the
// same columns.
#pragma once

#include <cstdint>

#include "formats/types.hpp"
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "spmm/cuda_csr_balanced/rows/elements.cuh"

namespace sparserepro::balanced {

/// Sums of a team's rows, for one thread: Loads times Width adjacent columns each.
template <int Width, int Loads, int Rows, class Sum>
struct Sums {
  Sum of[Rows][Loads * Width];
};

/// to += other.
template <int Width, class Sum>
__device__ __forceinline__ void add_sums(Sums<Width, 1, 1, Sum>& to,
                                         const Sums<Width, 1, 1, Sum>& other) {
#pragma unroll
  for (int e = 0; e < Width; ++e) {
    to.of[0][e] = other.of[0][e] + to.of[0][e];
  }
}

/// The columns of a thread: `Width` from first + load * step for each load, below k.
struct Columns {
  unsigned first, step, k;
  __device__ unsigned at(int load) const { return first + static_cast<unsigned>(load) * step; }
  __device__ bool active(int load) const { return at(load) < k; }
  /// Byte of a row at which a load reads; a load beyond k reads the last columns instead.
  template <class Element>
  __device__ unsigned byte(int load, unsigned width) const {
    return min(at(load), k - width) * static_cast<unsigned>(sizeof(Element));
  }
};

/// Adds entries p, p + slots, ..., `Unroll` of them, all of them below `length` unless `Guarded`.
/// With `Zeroed`, loads beyond give 0, which is added. `Hint` is the width whose loads of A these
/// are. `Step` is the number of columns from one load to the next where it is a constant, and all
/// of them are below k; else 0.
template <bool Guarded, int Unroll, bool Zeroed, int Hint, int Step = 0, int Width, int Loads,
          int Rows, class Element>
__device__ __forceinline__ void accumulate_batch(const index_t* cols,
                                                 const Element* const (&values)[Rows], int p,
                                                 int slots, int length,
                                                 const char* const (&x)[Loads], unsigned row_bytes,
                                                 Sums<Width, Loads, Rows, SumType<Element>>& sums) {
  index_t col[Unroll];
  Raw<Element> value[Unroll][Rows];
  Vector<Width, Element> gathered[Unroll][Loads];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const int q = p + u * slots;
    col[u] = load_column<Guarded, Hint, Zeroed>(cols + q, q < length);
  }
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const int q = p + u * slots;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      value[u][r] = load_value<Guarded, Hint, Zeroed>(values[r] + q, q < length);
    }
  }
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
#pragma unroll
    for (int load = 0; load < Loads; ++load) {
      gathered[u][load] = load_vector<Guarded, Width, Element, Zeroed>(
          x[Step > 0 ? 0 : load] +
              static_cast<std::uint64_t>(static_cast<unsigned>(col[u])) * row_bytes +
              load * Step * sizeof(Element),
          p + u * slots < length);
    }
  }
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    if (Guarded && !Zeroed && p + u * slots >= length) {
      continue;
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int e = 0; e < Loads * Width; ++e) {
        sums.of[r][e] =
            fma(widen<Element>(value[u][r]), gathered[u][e / Width].get(e % Width), sums.of[r][e]);
      }
    }
  }
}

/// Adds the entries slot, slot + slots, ... of rows of `length` entries that share the columns
/// `cols`, `Batch` at once; row r has the values values[r].
template <int Width, int Loads, int Rows, int Batch, int Step = 0, class Element>
__device__ __forceinline__ void accumulate(const index_t* cols,
                                           const Element* const (&values)[Rows], int length,
                                           int slot, int slots, const Element* x, Columns columns,
                                           Sums<Width, Loads, Rows, SumType<Element>>& sums) {
  // Two loads of one column each: few registers, many instructions.
  constexpr bool zeroed = Width > 1 || Loads == 1;
  const char* from[Loads];
#pragma unroll
  for (int load = 0; load < Loads; ++load) {
    from[load] = reinterpret_cast<const char*>(x) + columns.byte<Element>(load, Width);
    if constexpr (!zeroed) {
      keep_whole(from[load]);
    }
  }
  const unsigned row_bytes = columns.k * static_cast<unsigned>(sizeof(Element));
  int p = slot;
#pragma unroll 1
  for (; p + (Batch - 1) * slots < length; p += Batch * slots) {
    accumulate_batch<false, Batch, zeroed, Width, Step>(cols, values, p, slots, length, from,
                                                        row_bytes, sums);
  }
  if (p < length) {
    accumulate_batch<true, Batch, zeroed, Width, Step>(cols, values, p, slots, length, from,
                                                       row_bytes, sums);
  }
}

}  // namespace sparserepro::balanced
