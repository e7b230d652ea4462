#ifdef __x86_64__

#include "spmm/omp_csr_blocked/product/impl.hpp"

namespace sparserepro::csr_blocks {
namespace {

/// AVX2 with FMA: vectors of 4, and of 2 for the last columns of a tile.
struct Avx2 {
  static constexpr int tile_vectors = 4;  ///< 12 sums of three rows, their values and X: all 16
  struct Bits {
    __m256i of_four;
  };
  template <int n>
  using Mask = Bits;

  template <int n>
  static Bits mask(int count) {
    return {_mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_set_epi64x(3, 2, 1, 0))};
  }
  template <int n>
  static auto load(const double* from, Bits m) {
    if constexpr (n == 4) {
      return _mm256_maskload_pd(from, m.of_four);
    } else {
      return _mm_maskload_pd(from, _mm256_castsi256_si128(m.of_four));
    }
  }
  template <int n, class Vector>
  static void store(double* to, Bits m, Vector v) {
    if constexpr (n == 4) {
      _mm256_maskstore_pd(to, m.of_four, v);
    } else {
      _mm_maskstore_pd(to, _mm256_castsi256_si128(m.of_four), v);
    }
  }
};
template <int n>
using Lanes = Vectors<Avx2, n>;

Kernels tile(int columns, std::int64_t k) {
  if (k >= 2 && k <= 4 && columns == k) {
    return k == 2   ? kernels<Lanes<4>, Lanes<2>, 0, 2>()
           : k == 3 ? kernels<Lanes<4>, Lanes<4>, 0, 3>()
                    : kernels<Lanes<4>, NoTail, 1, 4>();
  }
  const int rest = columns % 4;
  return rest == 0   ? with_tail<Lanes<4>, NoTail>(columns)
         : rest == 3 ? with_tail<Lanes<4>, Lanes<4>>(columns)
                     : with_tail<Lanes<4>, Lanes<2>>(columns);
}

}  // namespace

InstructionSet avx2() {
  return {"avx2", 4 * Avx2::tile_vectors, tile, one_column<Lanes<4>>()};
}

}  // namespace sparserepro::csr_blocks

#endif
