#ifdef __x86_64__

#include "spmm/omp_csr_blocked/product/impl.hpp"

namespace sparserepro::csr_blocks {
namespace {

/// AVX-512 (F and VL). The last columns of a tile take a vector of 2, 4 or 8, so that no load
/// crosses a cache line for the sake of lanes that are masked out.
struct Avx512 {
  static constexpr int tile_vectors = 8;  ///< 24 sums of three rows, their values and X: 28 of 32
  template <int n>
  using Mask = __mmask8;

  template <int n>
  static __mmask8 mask(int count) {
    return static_cast<__mmask8>((1u << count) - 1);
  }
  template <int n>
  static auto load(const double* from, __mmask8 m) {
    if constexpr (n == 8) {
      return _mm512_maskz_loadu_pd(m, from);
    } else if constexpr (n == 4) {
      return _mm256_maskz_loadu_pd(m, from);
    } else {
      return _mm_maskz_loadu_pd(m, from);
    }
  }
  template <int n, class Vector>
  static void store(double* to, __mmask8 m, Vector v) {
    if constexpr (n == 8) {
      _mm512_mask_storeu_pd(to, m, v);
    } else if constexpr (n == 4) {
      _mm256_mask_storeu_pd(to, m, v);
    } else {
      _mm_mask_storeu_pd(to, m, v);
    }
  }
};
template <int n>
using Lanes = Vectors<Avx512, n>;

/// K = 1, lane by lane.
struct Loads : Lanes<8> {
  using Lanes<8>::gather;
  static constexpr bool gathers_part = true;
  static Vector gather(const double* x, const index_t* at, Mask m) {
    return _mm512_mask_i32gather_pd(zero(), m, _mm256_maskz_loadu_epi32(m, at), x, 8);
  }
};

/// Eight lanes from and to any places by one instruction: on a Xeon with L2 caches of 2 MiB 1 to
/// 1.3 times as fast as lane by lane at K = 1, on a Zen 5 0.6 to 0.8.
struct Gathers : Loads {
  using Loads::gather;
  static Vector gather(const double* x, const index_t* at) { return gather(x, at, 0xff); }
  static void scatter(double* to, const index_t* at, Vector v) {
    _mm512_i32scatter_pd(to, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), v, 8);
  }
};

Kernels tile(int columns, std::int64_t k) {
  if (k >= 2 && k <= 4 && columns == k) {
    return k == 2   ? kernels<Lanes<2>, NoTail, 1, 2>()
           : k == 3 ? kernels<Lanes<8>, Lanes<4>, 0, 3>()
                    : kernels<Lanes<4>, NoTail, 1, 4>();
  }
  const int rest = columns % 8;
  return rest == 0   ? with_tail<Lanes<8>, NoTail>(columns)
         : rest <= 2 ? with_tail<Lanes<8>, Lanes<2>>(columns)
         : rest <= 4 ? with_tail<Lanes<8>, Lanes<4>>(columns)
                     : with_tail<Lanes<8>, Lanes<8>>(columns);
}

}  // namespace

InstructionSet avx512() {
  return {"avx512", 8 * Avx512::tile_vectors, tile, one_column<Gathers>()};
}

InstructionSet avx512_loads() {
  return {"avx512, single loads at K = 1", 8 * Avx512::tile_vectors, tile, one_column<Loads>()};
}

}  // namespace sparserepro::csr_blocks

#endif
