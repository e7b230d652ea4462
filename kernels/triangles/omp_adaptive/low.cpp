// For u and each lower neighbour v of u but the smallest: the lower neighbours w < v of u that are
// in row v. Rows ascend, so both are prefixes. The first 16 numbers of row v (8 with AVX2) are
// loaded once and compared with each w; the numbers beyond them are merged with row u.
#include "triangles/omp_adaptive/low.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>

#include "triangles/omp_adaptive/runnable.hpp"

namespace sparserepro {
namespace {

/// Common numbers of two ascending ranges, without branches that depend on the numbers compared.
std::uint64_t merge(const index_t* a, const index_t* a_end, const index_t* b,
                    const index_t* b_end) {
  std::uint64_t matches = 0;
  while (a != a_end && b != b_end) {
    const index_t from_a = *a, from_b = *b;
    matches += from_a == from_b;
    a += from_a <= from_b;
    b += from_b <= from_a;
  }
  return matches;
}

/// Triangles with the largest vertex u, whatever the degrees.
std::uint64_t count_merging(const GraphView& graph, index_t u) {
  const index_t* const row = graph.begin(u);
  const index_t* const end = std::lower_bound(row, graph.end(u), u);
  std::uint64_t found = 0;
  for (const index_t* v = row + 1; v < end; ++v) {
    found += merge(row, v, graph.begin(*v), graph.end(*v));
  }
  return found;
}

std::uint64_t count_plain(const GraphView& graph, index_t first, index_t last) {
  std::uint64_t found = 0;
  for (index_t u = first; u < last; ++u) {
    found += count_merging(graph, u);
  }
  return found;
}

#if defined(__x86_64__)

/// The first `count` of up to 16 lanes; `count` may be anything.
__attribute__((target("bmi2"))) inline __mmask16 lanes(std::int64_t count) {
  return static_cast<__mmask16>(
      _bzhi_u32(0xffff, static_cast<unsigned>(std::clamp<std::int64_t>(count, 0, 16))));
}

__attribute__((target("avx512f,bmi2,popcnt"))) std::uint64_t count_avx512(const GraphView& graph,
                                                                          index_t first,
                                                                          index_t last) {
  const std::int64_t* const row_ptr = graph.row_ptr;
  const index_t* const col_idx = graph.col_idx;
  const __m512i none = _mm512_set1_epi32(-1);
  std::uint64_t found = 0;
  for (index_t u = first; u < last; ++u) {
    const index_t* const row = col_idx + row_ptr[u];
    const std::int64_t degree = row_ptr[u + 1] - row_ptr[u];
    if (degree < 2 || row[1] >= u) {
      continue;
    }
    if (degree > 32 && row[32] < u) {
      found += count_merging(graph, u);
      continue;
    }
    for (std::int64_t j = 1; j < degree && row[j] < u; ++j) {
      const index_t v = row[j];
      const index_t* const other = col_idx + row_ptr[v];
      const std::int64_t length = row_ptr[v + 1] - row_ptr[v];
      const __m512i near = _mm512_mask_loadu_epi32(none, lanes(length), other);
      __mmask16 common = 0;
      for (std::int64_t i = 0; i < j; ++i) {
        common |= _mm512_cmpeq_epi32_mask(near, _mm512_set1_epi32(row[i]));
      }
      found += static_cast<unsigned>(std::popcount(static_cast<unsigned>(common)));
      if (length > 16 && other[16] <= row[j - 1]) {
        found += merge(row, row + j, other + 16, other + length);
      }
    }
  }
  return found;
}

/// As count_avx512, with 8 numbers of row v in a register; lists of up to 16.
__attribute__((target("avx2,bmi2,popcnt"))) std::uint64_t count_avx2(const GraphView& graph,
                                                                     index_t first, index_t last) {
  const std::int64_t* const row_ptr = graph.row_ptr;
  const index_t* const col_idx = graph.col_idx;
  const __m256i none = _mm256_set1_epi32(-1);
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  std::uint64_t found = 0;
  for (index_t u = first; u < last; ++u) {
    const index_t* const row = col_idx + row_ptr[u];
    const std::int64_t degree = row_ptr[u + 1] - row_ptr[u];
    if (degree < 2 || row[1] >= u) {
      continue;
    }
    if (degree > 16 && row[16] < u) {
      found += count_merging(graph, u);
      continue;
    }
    for (std::int64_t j = 1; j < degree && row[j] < u; ++j) {
      const index_t v = row[j];
      const index_t* const other = col_idx + row_ptr[v];
      const std::int64_t length = row_ptr[v + 1] - row_ptr[v];
      const __m256i held = _mm256_cmpgt_epi32(
          _mm256_set1_epi32(static_cast<int>(std::min<std::int64_t>(length, 8))), lane);
      const __m256i near = _mm256_blendv_epi8(none, _mm256_maskload_epi32(other, held), held);
      __m256i common = _mm256_setzero_si256();
      for (std::int64_t i = 0; i < j; ++i) {
        common = _mm256_or_si256(common, _mm256_cmpeq_epi32(near, _mm256_set1_epi32(row[i])));
      }
      found += static_cast<unsigned>(
          std::popcount(static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(common)))));
      if (length > 8 && other[8] <= row[j - 1]) {
        found += merge(row, row + j, other + 8, other + length);
      }
    }
  }
  return found;
}

#endif

}  // namespace

std::vector<CountLow> count_low_variants() {
#if defined(__x86_64__)
  return runnable(count_avx512, count_avx2, count_plain);
#else
  return {count_plain};
#endif
}

}  // namespace sparserepro
