// Vectors of sums in the compiler's vector extensions.
#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <cstdint>
#include <utility>

#include "spmm/omp_csr_blocked/product/product.hpp"

namespace sparserepro::csr_blocks {

/// An instruction set: bytes of its widest vector, and vectors of a tile. All code depends on this
/// type, so that translation units of different sets share none.
template <int widest, int most_vectors>
struct Set {
  static constexpr int bytes = widest, tile_vectors = most_vectors;
  static constexpr bool has_half_ends = widest == 64;
};

template <class T, int n>
struct VectorOf {
  typedef T Type __attribute__((vector_size(sizeof(T) * n)));
};

/// `n` sums of products of elements, by the compiler's operators; a * b + c is fused where the set
/// has it. Of four doubles three alone may be used, by AVX.
template <class Set, class Of, int n, int used = n>
struct Vectors {
  using Element = Of;
  using Sum = SumOf<Element>;
  using Vector = typename VectorOf<Sum, n>::Type;
  static constexpr int lanes = n;
  static constexpr int last_lanes = n;  ///< of the last vector of several that are used
  static constexpr int tile_vectors = Set::tile_vectors;

  /// As to_float() of each element.
  [[gnu::always_inline]] static Vector load(const Element* from) {
    if constexpr (used == 3) {
      return _mm256_maskload_pd(from, _mm256_set_epi64x(0, -1, -1, -1));
    } else if constexpr (std::is_same_v<Element, Sum>) {
      Vector v;
      __builtin_memcpy(&v, from, sizeof v);
      return v;
    } else {
      using Bits = typename VectorOf<std::uint32_t, n>::Type;
      typename VectorOf<std::uint16_t, n>::Type shorts;
      __builtin_memcpy(&shorts, from, sizeof shorts);
      const Bits bits = __builtin_convertvector(shorts, Bits);
      if constexpr (std::is_same_v<Element, Bfloat>) {
        return reinterpret_cast<Vector>(bits << 16);
      } else {
        const Bits magnitude = (bits & 0x7fffu) << 13;
        const Vector finite = reinterpret_cast<Vector>(magnitude) * 0x1p112f;
        const Bits special = reinterpret_cast<Bits>(magnitude >= 0x0f800000u);
        return reinterpret_cast<Vector>((special & (magnitude | 0x7f800000u)) |
                                        (~special & reinterpret_cast<Bits>(finite)) |
                                        (bits & 0x8000u) << 16);
      }
    }
  }
  static void store(Sum* to, Vector v) {
    if constexpr (used == 3) {
      _mm_storeu_pd(to, _mm256_castpd256_pd128(v));
      to[2] = v[2];
    } else {
      __builtin_memcpy(to, &v, sizeof v);
    }
  }

  static Vector load_last(const Element* from) { return load(from); }
  static void store_last(Sum* to, Vector v) { store(to, v); }

  /// Past the caches, to a place that is a multiple of the vector's size.
  static void stream(Sum* to, Vector v) {
#ifdef __x86_64__
    if constexpr (sizeof v == 64) {
      return _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(v));
    } else if constexpr (sizeof v == 32) {
      return _mm256_stream_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(v));
    } else if constexpr (sizeof v == 16) {
      return _mm_stream_si128(reinterpret_cast<__m128i*>(to), reinterpret_cast<__m128i>(v));
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
    if constexpr (sizeof v >= 16) {
      asm("" : "+v"(v));
    }
#endif
    static_cast<void>(v);
  }

  using Lanes = std::make_integer_sequence<int, n>;
  /// x[0], x[step], ..., x[(n - 1) step] by whole loads, of which the last ends there. `v` has what
  /// the loads before `part` have.
  template <int step, int part = 1, int... lane>
  [[gnu::always_inline]] static Vector load_every(const Element* x, Vector v,
                                                  std::integer_sequence<int, lane...> lanes) {
    if constexpr (part >= step) {
      return v;
    } else {
      constexpr int first = part * (n - 1);
      v = __builtin_shufflevector(
          v, load(x + first),
          (step * lane >= first && step * lane < first + n ? n + step * lane - first
           : part == 1                                     ? step * lane % n
                                                           : lane)...);
      return load_every<step, part + 1>(x, v, lanes);
    }
  }
  /// y[i step + r] = rows[r][i] for i < n, r < step; from vector `part` of y on.
  template <int step, int part = 0, int... lane>
  [[gnu::always_inline]] static void store_every(Sum* y, const Vector* rows,
                                                 std::integer_sequence<int, lane...> lanes) {
    Vector v = rows[0];
    if constexpr (step > 1) {
      v = __builtin_shufflevector(
          v, rows[1], (((part * n + lane) % step == 1) * n + (part * n + lane) / step)...);
    }
    if constexpr (step > 2) {
      v = __builtin_shufflevector(
          v, rows[2], ((part * n + lane) % step == 2 ? n + (part * n + lane) / step : lane)...);
    }
    store(y + part * n, v);
    if constexpr (part + 1 < step) {
      store_every<step, part + 1>(y, rows, lanes);
    }
  }

  /// x[at[0]], ..., x[at[n - 1]].
  static Vector gather(const Element* x, const index_t* at) {
    Vector v;
#pragma GCC unroll 16
    for (int lane = 0; lane < n; ++lane) {
      v[lane] = widened(x[at[lane]]);
    }
    return v;
  }
  static Sum sum_of_lanes(Vector v) {
    return sum_of_halves<n / 2>(v, std::make_integer_sequence<int, n / 2>());
  }

 private:
  template <int half, class V, int... lane>
  [[gnu::always_inline]] static Sum sum_of_halves(V v, std::integer_sequence<int, lane...>) {
    if constexpr (half == 1) {
      return v[0] + v[1];
    } else {
      return sum_of_halves<half / 2>(
          __builtin_shufflevector(v, v, lane...) + __builtin_shufflevector(v, v, (half + lane)...),
          std::make_integer_sequence<int, half / 2>());
    }
  }
};

/// Of the last vector of a row one half is used, which meets fewer cache lines: rows of X of 12 or
/// 20 doubles begin in the midst of one.
template <class Set, class Of, int n>
struct HalfEnd : Vectors<Set, Of, n> {
  using Vector = typename Vectors<Set, Of, n>::Vector;
  static constexpr int last_lanes = n / 2;

  [[gnu::always_inline]] static Vector load_last(const Of* from) {
    __m256d half;
    __builtin_memcpy(&half, from, sizeof half);
    // As _mm512_zextpd256_pd512, which leaves warnings behind (GCC 12).
    return reinterpret_cast<Vector>(_mm512_maskz_insertf64x4(0xff, _mm512_setzero_pd(), half, 0));
  }
  static void store_last(Of* to, Vector v) { __builtin_memcpy(to, &v, sizeof v / 2); }
};

}  // namespace sparserepro::csr_blocks
