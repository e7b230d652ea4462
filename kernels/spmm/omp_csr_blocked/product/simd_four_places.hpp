// Vectors of four doubles from and to any four places, by single loads and stores.
#pragma once

#include <immintrin.h>

#include "formats/types.hpp"

namespace sparserepro::csr_blocks {

/// For `Simd` alone, so that instruction sets share no code.
template <class Simd>
struct FourPlaces {
  static __m256d load(const double* from, const index_t* at) {
    const __m128d low = _mm_loadh_pd(_mm_load_sd(from + at[0]), from + at[1]);
    const __m128d high = _mm_loadh_pd(_mm_load_sd(from + at[2]), from + at[3]);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
  }
  static void store(double* to, const index_t* at, __m256d v) {
    const __m128d low = _mm256_castpd256_pd128(v);
    const __m128d high = _mm256_extractf128_pd(v, 1);
    _mm_storel_pd(to + at[0], low);
    _mm_storeh_pd(to + at[1], low);
    _mm_storel_pd(to + at[2], high);
    _mm_storeh_pd(to + at[3], high);
  }
};

}  // namespace sparserepro::csr_blocks
