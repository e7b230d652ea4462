// AVX-512 (F and VL): vectors of 8, 4 and 2 doubles, the narrower ones for the last columns of a
// tile, so that no load crosses a cache line for the sake of lanes that are masked out.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "core/types.hpp"

namespace sparserepro::csr_blocks {

struct Avx512Quarter {
  static constexpr int lanes = 2;
  using Vector = __m128d;
  using Mask = __mmask8;
  static Mask mask(int count) { return static_cast<Mask>((1u << count) - 1); }
  static Vector zero() { return _mm_setzero_pd(); }
  static Vector broadcast(double value) { return _mm_set1_pd(value); }
  static Vector load(const double* from, Mask m) { return _mm_maskz_loadu_pd(m, from); }
  static void store(double* to, Mask m, Vector v) { _mm_mask_storeu_pd(to, m, v); }
  static void stream(double* to, Vector v) { _mm_stream_pd(to, v); }
  static Vector add(Vector a, Vector b) { return _mm_add_pd(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm_fmadd_pd(a, b, c); }
};

struct Avx512Half {
  static constexpr int lanes = 4;
  using Vector = __m256d;
  using Mask = __mmask8;
  static Mask mask(int count) { return static_cast<Mask>((1u << count) - 1); }
  static Vector zero() { return _mm256_setzero_pd(); }
  static Vector broadcast(double value) { return _mm256_set1_pd(value); }
  static Vector load(const double* from, Mask m) { return _mm256_maskz_loadu_pd(m, from); }
  static void store(double* to, Mask m, Vector v) { _mm256_mask_storeu_pd(to, m, v); }
  static void stream(double* to, Vector v) { _mm256_stream_pd(to, v); }
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

  /// y[i] = row i of A x for eight rows, unless they are long. The products of all entries come
  /// first, into the cache; then lane i adds those of row i.
  template <class Offset>
  static bool eight_short_rows(const Offset* row_ptr, const index_t* col_idx, const double* values,
                               const double* x, double* y) {
    constexpr Offset most = 128;
    const Offset begin = row_ptr[0];
    const Offset count = row_ptr[8] - begin;
    if (count > most) {
      return false;
    }
    alignas(64) double product[most];
    for (Offset p = 0; p < count; p += 8) {
      const Mask m = count - p >= 8 ? Mask{0xff} : mask(static_cast<int>(count - p));
      const __m256i columns = _mm256_maskz_loadu_epi32(m, col_idx + begin + p);
      const Vector of_x = _mm512_mask_i32gather_pd(zero(), m, columns, x, 8);
      _mm512_store_pd(product + p, _mm512_mul_pd(load(values + begin + p, m), of_x));
    }
    const __m256i first = places(row_ptr, begin);
    const __m256i last = places(row_ptr + 1, begin);
    const __m256i one = _mm256_set1_epi32(1);
    Vector sum = zero();
    __m256i at = first;
    for (Mask m = _mm256_cmpgt_epi32_mask(last, at); m != 0;
         m = _mm256_cmpgt_epi32_mask(last, at)) {
      sum = add(sum, _mm512_mask_i32gather_pd(zero(), m, at, product, 8));
      at = _mm256_add_epi32(at, one);
    }
    store(y, sum);
    return true;
  }

  /// sum of values[p] x[col_idx[p]] for p < count.
  static double dot(const double* values, const index_t* col_idx, std::int64_t count,
                    const double* x) {
    Vector sum[4] = {zero(), zero(), zero(), zero()};
    std::int64_t p = 0;
    for (; p + 32 <= count; p += 32) {
#pragma GCC unroll 4
      for (int part = 0; part < 4; ++part) {
        sum[part] =
            gather_product(values + p + 8 * part, col_idx + p + 8 * part, 0xff, x, sum[part]);
      }
    }
    for (; p + 8 <= count; p += 8) {
      sum[0] = gather_product(values + p, col_idx + p, 0xff, x, sum[0]);
    }
    if (p < count) {
      sum[1] =
          gather_product(values + p, col_idx + p, mask(static_cast<int>(count - p)), x, sum[1]);
    }
    return sum_of_lanes(add(add(sum[0], sum[1]), add(sum[2], sum[3])));
  }

 private:
  /// row_ptr[0..7] - begin.
  static __m256i places(const std::int32_t* row_ptr, std::int32_t begin) {
    return _mm256_sub_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row_ptr)),
                            _mm256_set1_epi32(begin));
  }
  static __m256i places(const std::int64_t* row_ptr, std::int64_t begin) {
    return _mm512_maskz_cvtepi64_epi32(
        0xff, _mm512_sub_epi64(_mm512_loadu_si512(row_ptr), _mm512_set1_epi64(begin)));
  }
  static double sum_of_lanes(Vector v) {
    const __m256d four = _mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xff, v, 0),
                                       _mm512_maskz_extractf64x4_pd(0xff, v, 1));
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
  static Vector gather_product(const double* values, const index_t* col_idx, Mask m,
                               const double* x, Vector sum) {
    const __m256i columns = _mm256_maskz_loadu_epi32(m, col_idx);
    const Vector of_x = _mm512_mask_i32gather_pd(zero(), m, columns, x, 8);
    return multiply_add(load(values, m), of_x, sum);
  }
};

}  // namespace sparserepro::csr_blocks
