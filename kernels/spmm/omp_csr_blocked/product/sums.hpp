// Sums of a few rows over a tile of columns, all in registers.
#pragma once

#include <cstdint>

namespace sparserepro::csr_blocks {

/// Asks for the values or columns that a loop comes to half a page later: the processor, left to
/// itself, falls behind loops that take rows of X as well. 1.2 to 1.35 on FEM and band at K = 3 to
/// 16, 1.05 to 1.2 on them at K = 1 and on the stencil; 512 bytes ahead: 0.84 to 0.97 of that; 4096
/// and 8192: 0.98 to 1.07.
[[gnu::always_inline]] static inline void prefetch_later(const void* place) {
  constexpr std::uintptr_t ahead = 2048;
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(place) + ahead));
}

/// No columns behind the full vectors.
struct NoTail {
  static constexpr int lanes = 0;
  struct Vector {};
  struct Mask {};
  static Mask mask(int) { return {}; }
  static Vector zero() { return {}; }
  static Vector broadcast(double) { return {}; }
  static Vector load(const double*, Mask) { return {}; }
  static void store(double*, Mask, Vector) {}
  static void stream(double*, Vector) {}
  static Vector add(Vector, Vector) { return {}; }
  static Vector multiply_add(Vector, Vector, Vector) { return {}; }
};

/// Of `rows` rows (at most 4) over `full` vectors and a tail.
template <class Simd, class Tail, int full, int rows>
struct Sums {
  typename Simd::Vector v[rows][full == 0 ? 1 : full];
  typename Tail::Vector tail[rows];

  [[gnu::always_inline]] void clear() {
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 8
      for (int q = 0; q < full; ++q) {
        v[r][q] = Simd::zero();
      }
      tail[r] = Tail::zero();
    }
  }

  /// Row r += values[r][p] * x.
  [[gnu::always_inline]] void add_product(const double* const (&values)[rows], std::int64_t p,
                                          const double* x, typename Tail::Mask mask) {
    typename Simd::Vector value[rows];
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      value[r] = Simd::broadcast(values[r][p]);
    }
#pragma GCC unroll 8
    for (int q = 0; q < full; ++q) {
      typename Simd::Vector x_q = Simd::load(x + q * Simd::lanes);
      if (rows > 1) {
        Simd::keep(x_q);
      }
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        v[r][q] = Simd::multiply_add(value[r], x_q, v[r][q]);
      }
    }
    const typename Tail::Vector x_tail = Tail::load(x + full * Simd::lanes, mask);
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      tail[r] = Tail::multiply_add(Tail::broadcast(values[r][p]), x_tail, tail[r]);
    }
  }

  /// Row r += value * x.
  [[gnu::always_inline]] void add_product_to(int r, double value, const double* x,
                                             typename Tail::Mask mask) {
    const typename Simd::Vector factor = Simd::broadcast(value);
#pragma GCC unroll 8
    for (int q = 0; q < full; ++q) {
      v[r][q] = Simd::multiply_add(factor, Simd::load(x + q * Simd::lanes), v[r][q]);
    }
    tail[r] = Tail::multiply_add(Tail::broadcast(value), Tail::load(x + full * Simd::lanes, mask),
                                 tail[r]);
  }

  [[gnu::always_inline]] void add(const Sums& other) {
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 8
      for (int q = 0; q < full; ++q) {
        v[r][q] = Simd::add(v[r][q], other.v[r][q]);
      }
      tail[r] = Tail::add(tail[r], other.tail[r]);
    }
  }

  [[gnu::always_inline]] void store(int r, double* to, typename Tail::Mask mask) const {
#pragma GCC unroll 8
    for (int q = 0; q < full; ++q) {
      Simd::store(to + q * Simd::lanes, v[r][q]);
    }
    Tail::store(to + full * Simd::lanes, mask, tail[r]);
  }

  /// Past the caches: whole vectors alone.
  [[gnu::always_inline]] void stream(int r, double* to) const {
#pragma GCC unroll 8
    for (int q = 0; q < full; ++q) {
      Simd::stream(to + q * Simd::lanes, v[r][q]);
    }
    Tail::stream(to + full * Simd::lanes, tail[r]);
  }

  /// Rows of Y are k apart.
  [[gnu::always_inline]] void put(double* y, std::int64_t k, typename Tail::Mask mask,
                                  bool past_caches) const {
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      if (past_caches) {
        stream(r, y + r * k);
      } else {
        store(r, y + r * k, mask);
      }
    }
  }
};

/// Puts four rows of three columns each, the lanes of `row` but the last, into the twelve places
/// from y on: three whole vectors in place of four parts of vectors, which can be streamed.
template <class Simd, class Vector>
[[gnu::always_inline]] inline void put_rows_of_three(const Vector (&row)[4], double* y,
                                                     bool past_caches) {
  const Vector whole[3] = {__builtin_shufflevector(row[0], row[1], 0, 1, 2, 4),
                           __builtin_shufflevector(row[1], row[2], 1, 2, 4, 5),
                           __builtin_shufflevector(row[2], row[3], 2, 4, 5, 6)};
  const bool aligned = reinterpret_cast<std::uintptr_t>(y) % sizeof(Vector) == 0;
#pragma GCC unroll 3
  for (int q = 0; q < 3; ++q) {
    double* const at = y + q * 4;
    if (past_caches && aligned) {
      Simd::stream(at, whole[q]);
    } else {
      Simd::store(at, whole[q]);
    }
  }
}

}  // namespace sparserepro::csr_blocks
