// Vectors of doubles in the compiler's vector extensions, and eight doubles in as many vectors as
// they take. `Set` is an instruction set: it names the lanes of its widest vector and the vectors
// of a tile, and gives loads and stores under a mask.
#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <cstdint>

#include "formats/types.hpp"

namespace sparserepro::csr_blocks {

template <int n>
struct VectorOf {
  typedef double Type __attribute__((vector_size(8 * n)));
};

/// `n` doubles. A type for each `Set`, so that translation units of different sets share no code.
template <class Set, int n>
struct Vectors {
  static constexpr int lanes = n;
  static constexpr int tile_vectors = Set::tile_vectors;
  using Vector = typename VectorOf<n>::Type;
  using Mask = typename Set::template Mask<n>;
  static constexpr bool gathers_part = false;  ///< `gather` takes a mask

  static Mask mask(int count) { return Set::template mask<n>(count); }
  static Vector zero() { return Vector{}; }
  static Vector broadcast(double value) { return value - Vector{}; }
  static Vector load(const double* from) {
    Vector v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
  static Vector load(const double* from, Mask m) { return Set::template load<n>(from, m); }
  static void store(double* to, Vector v) { __builtin_memcpy(to, &v, sizeof v); }
  static void store(double* to, Mask m, Vector v) { Set::template store<n>(to, m, v); }
  static Vector add(Vector a, Vector b) { return a + b; }
  /// Fused where the set has it: the compiler contracts.
  static Vector multiply_add(Vector a, Vector b, Vector c) { return a * b + c; }

  /// Past the caches, to a place that is a multiple of the vector's size.
  static void stream(double* to, Vector v) {
#ifdef __x86_64__
    if constexpr (n == 8) {
      return _mm512_stream_pd(to, v);
    } else if constexpr (n == 4) {
      return _mm256_stream_pd(to, v);
    } else if constexpr (n == 2) {
      return _mm_stream_pd(to, v);
    }
#endif
    store(to, v);
  }
  static void fence() {
#ifdef __x86_64__
    _mm_sfence();
#endif
  }
  /// Holds v in a register, where the compiler would read it again at every use.
  static void keep(Vector& v) {
#ifdef __x86_64__
    asm("" : "+v"(v));
#else
    static_cast<void>(v);
#endif
  }

  /// x[at[0]], ..., x[at[n - 1]].
  static Vector gather(const double* x, const index_t* at) {
    if constexpr (n == 8) {
      return Vector{x[at[0]], x[at[1]], x[at[2]], x[at[3]], x[at[4]], x[at[5]], x[at[6]], x[at[7]]};
    } else if constexpr (n == 4) {
      return Vector{x[at[0]], x[at[1]], x[at[2]], x[at[3]]};
    } else {
      return Vector{x[at[0]], x[at[1]]};
    }
  }
  static void scatter(double* to, const index_t* at, Vector v) {
#pragma GCC unroll 8
    for (int lane = 0; lane < n; ++lane) {
      to[at[lane]] = v[lane];
    }
  }
  static double sum_of_lanes(Vector v) {
    if constexpr (n == 8) {
      return Vectors<Set, 4>::sum_of_lanes(__builtin_shufflevector(v, v, 0, 1, 2, 3) +
                                           __builtin_shufflevector(v, v, 4, 5, 6, 7));
    } else if constexpr (n == 4) {
      return Vectors<Set, 2>::sum_of_lanes(__builtin_shufflevector(v, v, 0, 1) +
                                           __builtin_shufflevector(v, v, 2, 3));
    } else {
      return v[0] + v[1];
    }
  }
};

/// Eight doubles.
template <class V>
struct Eight {
  static constexpr int vectors = 8 / V::lanes;
  typename V::Vector part[vectors];

  /// Part by part, of what begins at lane V::lanes * part.
  template <class Of>
  [[gnu::always_inline]] static Eight each(Of of) {
    Eight all;
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      all.part[i] = of(i);
    }
    return all;
  }
  template <class Do>
  [[gnu::always_inline]] void for_each(Do visit) const {
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      visit(i * V::lanes, part[i]);
    }
  }

  static Eight zero() {
    return each([](int) { return V::zero(); });
  }
  static Eight load(const double* from) {
    return each([=](int i) { return V::load(from + i * V::lanes); });
  }
  /// x[at[0]], ..., x[at[7]].
  static Eight gather(const double* x, const index_t* at) {
    return each([=](int i) { return V::gather(x, at + i * V::lanes); });
  }
  static Eight multiply_add(const Eight& a, const Eight& b, const Eight& c) {
    return each([&](int i) { return V::multiply_add(a.part[i], b.part[i], c.part[i]); });
  }
  void store(double* to) const {
    for_each([=](int lane, auto v) { V::store(to + lane, v); });
  }
  void stream(double* to) const {
    for_each([=](int lane, auto v) { V::stream(to + lane, v); });
  }
  void scatter(double* to, const index_t* at) const {
    for_each([=](int lane, auto v) { V::scatter(to, at + lane, v); });
  }
};

}  // namespace sparserepro::csr_blocks
