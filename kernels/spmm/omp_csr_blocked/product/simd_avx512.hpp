// AVX-512 (F and VL): vectors of 8, 4 and 2 doubles, the narrower ones for the last columns of a
// tile, so that no load crosses a cache line for the sake of lanes that are masked out.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "formats/types.hpp"
#include "spmm/omp_csr_blocked/product/simd_four_places.hpp"

namespace sparserepro::csr_blocks {

struct Avx512Quarter {
  static constexpr int lanes = 2;
  static constexpr int tile_vectors = 8;
  using Vector = __m128d;
  using Mask = __mmask8;
  static Mask mask(int count) { return static_cast<Mask>((1u << count) - 1); }
  static Vector zero() { return _mm_setzero_pd(); }
  static Vector broadcast(double value) { return _mm_set1_pd(value); }
  static Vector load(const double* from) { return _mm_loadu_pd(from); }
  static Vector load(const double* from, Mask m) { return _mm_maskz_loadu_pd(m, from); }
  static void store(double* to, Vector v) { _mm_storeu_pd(to, v); }
  static void store(double* to, Mask m, Vector v) { _mm_mask_storeu_pd(to, m, v); }
  static void stream(double* to, Vector v) { _mm_stream_pd(to, v); }
  static void keep(Vector& v) { asm("" : "+v"(v)); }
  static void fence() { _mm_sfence(); }
  static Vector add(Vector a, Vector b) { return _mm_add_pd(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm_fmadd_pd(a, b, c); }
};

struct Avx512Half {
  static constexpr int lanes = 4;
  static constexpr int tile_vectors = 8;
  using Vector = __m256d;
  using Mask = __mmask8;
  static Mask mask(int count) { return static_cast<Mask>((1u << count) - 1); }
  static Vector zero() { return _mm256_setzero_pd(); }
  static Vector broadcast(double value) { return _mm256_set1_pd(value); }
  static Vector load(const double* from) { return _mm256_loadu_pd(from); }
  static Vector load(const double* from, Mask m) { return _mm256_maskz_loadu_pd(m, from); }
  static void store(double* to, Vector v) { _mm256_storeu_pd(to, v); }
  static void store(double* to, Mask m, Vector v) { _mm256_mask_storeu_pd(to, m, v); }
  static void stream(double* to, Vector v) { _mm256_stream_pd(to, v); }
  static void keep(Vector& v) { asm("" : "+v"(v)); }
  static void fence() { _mm_sfence(); }
  static Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
};

struct Avx512 {
  static constexpr int lanes = 8;
  static constexpr int tile_vectors = 8;  ///< 24 sums of three rows, their values and X: 28 of 32
  using Vector = __m512d;
  using Mask = __mmask8;
  static Mask mask(int count) { return static_cast<Mask>((1u << count) - 1); }
  static Vector zero() { return _mm512_setzero_pd(); }
  static Vector broadcast(double value) { return _mm512_set1_pd(value); }
  static Vector load(const double* from) { return _mm512_loadu_pd(from); }
  static Vector load(const double* from, Mask m) { return _mm512_maskz_loadu_pd(m, from); }
  static void store(double* to, Vector v) { _mm512_storeu_pd(to, v); }
  static void store(double* to, Mask m, Vector v) { _mm512_mask_storeu_pd(to, m, v); }
  static void stream(double* to, Vector v) { _mm512_stream_pd(to, v); }
  /// Holds v in a register, where the compiler would read it again at every use.
  static void keep(Vector& v) { asm("" : "+v"(v)); }
  static void fence() { _mm_sfence(); }
  static Vector add(Vector a, Vector b) { return _mm512_add_pd(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
};

/// Eight lanes from and to any places by one instruction.
struct Avx512Gathers {
  static __m512d load(const double* from, const index_t* at) {
    return _mm512_mask_i32gather_pd(Avx512::zero(), 0xff, _mm256_maskz_loadu_epi32(0xff, at), from,
                                    8);
  }
  static void store(double* to, const index_t* at, __m512d v) {
    _mm512_i32scatter_pd(to, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), v, 8);
  }
};

/// The same lane by lane. K = 1: 1.2 to 1.7 of the speed on a Zen 5 (graphs, circuits, uniform), on
/// a Xeon with L2 caches of 2 MiB 0.75 to 1.04.
struct Avx512Loads {
  using Four = FourPlaces<Avx512>;
  static __m512d load(const double* from, const index_t* at) {
    return _mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512(Four::load(from, at)),
                                    Four::load(from, at + 4), 1);
  }
  static void store(double* to, const index_t* at, __m512d v) {
    Four::store(to, at, _mm512_maskz_extractf64x4_pd(0xff, v, 0));
    Four::store(to, at + 4, _mm512_maskz_extractf64x4_pd(0xff, v, 1));
  }
};

/// What one column of X takes; `Places` is one of the two above.
template <class Places>
struct Avx512Eight {
  using Eight = __m512d;
  using Mask = Avx512::Mask;
  static Mask mask(int count) { return Avx512::mask(count); }
  static void fence() { Avx512::fence(); }
  static Eight eight_zero() { return Avx512::zero(); }
  static Eight eight_load(const double* from) { return Avx512::load(from); }
  static Eight eight_load(const double* from, int count) { return Avx512::load(from, mask(count)); }
  static void eight_store(double* to, Eight v) { Avx512::store(to, v); }
  static void eight_stream(double* to, Eight v) { Avx512::stream(to, v); }
  static Eight eight_add(Eight a, Eight b) { return Avx512::add(a, b); }
  static Eight eight_multiply_add(Eight a, Eight b, Eight c) {
    return Avx512::multiply_add(a, b, c);
  }
  static Eight eight_gather(const double* x, const index_t* at) { return Places::load(x, at); }
  static Eight eight_gather(const double* x, const index_t* at, int count) {
    const Mask m = mask(count);
    return _mm512_mask_i32gather_pd(eight_zero(), m, _mm256_maskz_loadu_epi32(m, at), x, 8);
  }
  static void eight_scatter(double* to, const index_t* at, Eight v) { Places::store(to, at, v); }

  /// sum of values[p] x[col_idx[p]] for p < count.
  static double dot(const double* values, const index_t* col_idx, std::int64_t count,
                    const double* x) {
    Eight sum[4] = {eight_zero(), eight_zero(), eight_zero(), eight_zero()};
    const auto add_products = [&](int part, std::int64_t p) {
      sum[part] =
          eight_multiply_add(eight_load(values + p), eight_gather(x, col_idx + p), sum[part]);
    };
    std::int64_t p = 0;
    for (; p + 32 <= count; p += 32) {
#pragma GCC unroll 4
      for (int part = 0; part < 4; ++part) {
        add_products(part, p + 8 * part);
      }
    }
    for (; p + 8 <= count; p += 8) {
      add_products(0, p);
    }
    if (p < count) {
      const auto rest = static_cast<int>(count - p);
      sum[1] = eight_multiply_add(eight_load(values + p, rest), eight_gather(x, col_idx + p, rest),
                                  sum[1]);
    }
    return sum_of_lanes(eight_add(eight_add(sum[0], sum[1]), eight_add(sum[2], sum[3])));
  }

 private:
  static double sum_of_lanes(Eight v) {
    const __m256d four = _mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xff, v, 0),
                                       _mm512_maskz_extractf64x4_pd(0xff, v, 1));
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
};

}  // namespace sparserepro::csr_blocks
