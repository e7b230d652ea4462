// Without branches on the data: words are gathered, 16 or 8 at a time where the processor can.
// Masked forms throughout: of the others GCC 12 says that they read what was never set (bug
// 105593).
#include "triangles/omp_adaptive/marked.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>

#include "triangles/omp_adaptive/runnable.hpp"

namespace sparserepro {
namespace {

std::uint64_t count_plain(const std::uint32_t* bitmap, const index_t* list, index_t length) {
  std::uint64_t found = 0;
  for (index_t p = 0; p < length; ++p) {
    found += bitmap[list[p] >> 5] >> (list[p] & 31) & 1;
  }
  return found;
}

#if defined(__x86_64__)

__attribute__((target("avx2,bmi2,popcnt"))) std::uint64_t count_avx2(const std::uint32_t* bitmap,
                                                                     const index_t* list,
                                                                     index_t length) {
  std::uint64_t found = 0;
  index_t p = 0;
  for (; p + 8 <= length; p += 8) {
    const __m256i ids = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + p));
    const __m256i words =
        _mm256_i32gather_epi32(reinterpret_cast<const int*>(bitmap), _mm256_srli_epi32(ids, 5), 4);
    // The bit becomes the sign: shift left by 31 - i % 32.
    const __m256i signs = _mm256_sllv_epi32(words, _mm256_andnot_si256(ids, _mm256_set1_epi32(31)));
    found += static_cast<unsigned>(
        std::popcount(static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(signs)))));
  }
  for (; p < length; ++p) {
    found += bitmap[list[p] >> 5] >> (list[p] & 31) & 1;
  }
  return found;
}

__attribute__((target("avx512f,bmi2,popcnt"))) std::uint64_t count_avx512(
    const std::uint32_t* bitmap, const index_t* list, index_t length) {
  const __m512i one = _mm512_set1_epi32(1), low = _mm512_set1_epi32(31);
  std::uint64_t found = 0;
  for (index_t p = 0; p < length; p += 16) {
    const unsigned left = static_cast<unsigned>(std::min(length - p, 16));
    const auto present = static_cast<__mmask16>(_bzhi_u32(0xffff, left));
    const __m512i ids = _mm512_maskz_loadu_epi32(present, list + p);
    const __m512i words = _mm512_mask_i32gather_epi32(
        _mm512_setzero_si512(), present, _mm512_maskz_srli_epi32(present, ids, 5), bitmap, 4);
    const __m512i bits = _mm512_maskz_sllv_epi32(present, one, _mm512_and_epi32(ids, low));
    found += static_cast<unsigned>(
        std::popcount(static_cast<unsigned>(_mm512_test_epi32_mask(words, bits))));
  }
  return found;
}

#endif

}  // namespace

std::vector<CountMarked> count_marked_variants() {
#if defined(__x86_64__)
  return runnable(count_avx512, count_avx2, count_plain);
#else
  return {count_plain};
#endif
}

}  // namespace sparserepro
