// AVX2 with FMA: vectors of 4 doubles, and of 2 for the last columns of a tile.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "formats/types.hpp"
#include "spmm/omp_csr_blocked/product/simd_four_places.hpp"

namespace sparserepro::csr_blocks {

struct Avx2Half {
  static constexpr int lanes = 2;
  using Vector = __m128d;
  using Mask = __m128i;
  static Mask mask(int count) { return _mm_set_epi64x(count > 1 ? -1 : 0, count > 0 ? -1 : 0); }
  static Vector zero() { return _mm_setzero_pd(); }
  static Vector broadcast(double value) { return _mm_set1_pd(value); }
  static Vector load(const double* from, Mask m) { return _mm_maskload_pd(from, m); }
  static void store(double* to, Mask m, Vector v) { _mm_maskstore_pd(to, m, v); }
  static void stream(double* to, Vector v) { _mm_stream_pd(to, v); }
  static Vector add(Vector a, Vector b) { return _mm_add_pd(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm_fmadd_pd(a, b, c); }
};

struct Avx2 {
  static constexpr int lanes = 4;
  static constexpr int tile_vectors = 4;  ///< 12 sums of three rows, their values and X: all 16
  using Vector = __m256d;
  using Mask = __m256i;
  static Mask mask(int count) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_set_epi64x(3, 2, 1, 0));
  }
  static Vector zero() { return _mm256_setzero_pd(); }
  static Vector broadcast(double value) { return _mm256_set1_pd(value); }
  static Vector load(const double* from) { return _mm256_loadu_pd(from); }
  static Vector load(const double* from, Mask m) { return _mm256_maskload_pd(from, m); }
  static void store(double* to, Vector v) { _mm256_storeu_pd(to, v); }
  static void store(double* to, Mask m, Vector v) { _mm256_maskstore_pd(to, m, v); }
  static void stream(double* to, Vector v) { _mm256_stream_pd(to, v); }
  static void fence() { _mm_sfence(); }
  static void keep(Vector& v) { asm("" : "+x"(v)); }
  static Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }

  struct Eight {
    Vector low, high;
  };
  static Eight eight_zero() { return {zero(), zero()}; }
  static Eight eight_load(const double* from) { return {load(from), load(from + 4)}; }
  static Eight eight_load(const double* from, int count) {
    return {load(from, mask(count)), count > 4 ? load(from + 4, mask(count - 4)) : zero()};
  }
  static void eight_store(double* to, Eight v) {
    store(to, v.low);
    store(to + 4, v.high);
  }
  static void eight_stream(double* to, Eight v) {
    stream(to, v.low);
    stream(to + 4, v.high);
  }
  static Eight eight_add(Eight a, Eight b) { return {add(a.low, b.low), add(a.high, b.high)}; }
  static Eight eight_multiply_add(Eight a, Eight b, Eight c) {
    return {multiply_add(a.low, b.low, c.low), multiply_add(a.high, b.high, c.high)};
  }
  static Eight eight_gather(const double* x, const index_t* at) {
    return {FourPlaces<Avx2>::load(x, at), FourPlaces<Avx2>::load(x, at + 4)};
  }
  static Eight eight_gather(const double* x, const index_t* at, int count) {
    double v[8] = {};
    for (int lane = 0; lane < count; ++lane) {
      v[lane] = x[at[lane]];
    }
    return eight_load(v);
  }
  static void eight_scatter(double* to, const index_t* at, Eight v) {
    FourPlaces<Avx2>::store(to, at, v.low);
    FourPlaces<Avx2>::store(to, at + 4, v.high);
  }

  /// sum of values[p] x[col_idx[p]] for p < count.
  static double dot(const double* values, const index_t* col_idx, std::int64_t count,
                    const double* x) {
    Vector sum[4] = {zero(), zero(), zero(), zero()};
    std::int64_t p = 0;
    for (; p + 16 <= count; p += 16) {
#pragma GCC unroll 4
      for (int part = 0; part < 4; ++part) {
        sum[part] = gather_product(values + p + 4 * part, col_idx + p + 4 * part, x, sum[part]);
      }
    }
    for (; p + 4 <= count; p += 4) {
      sum[0] = gather_product(values + p, col_idx + p, x, sum[0]);
    }
    const Vector four = add(add(sum[0], sum[1]), add(sum[2], sum[3]));
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    double total = _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
    for (; p < count; ++p) {
      total = __builtin_fma(values[p], x[col_idx[p]], total);
    }
    return total;
  }

 private:
  static Vector gather_product(const double* values, const index_t* col_idx, const double* x,
                               Vector sum) {
    return multiply_add(load(values), FourPlaces<Avx2>::load(x, col_idx), sum);
  }
};

}  // namespace sparserepro::csr_blocks
