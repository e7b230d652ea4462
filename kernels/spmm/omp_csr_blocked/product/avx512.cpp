#ifdef __x86_64__

#include "spmm/omp_csr_blocked/product/impl.hpp"

namespace sparserepro::csr_blocks {
namespace {

/// AVX-512 (F and VL): 24 sums of three rows, their values and X take 28 of 32 registers.
struct Avx512 {
  static constexpr int bytes = 64, tile_vectors = 8;
};

/// Eight lanes from and to any places by one instruction: on a Xeon with L2 caches of 2 MiB 1 to
/// 1.3 times as fast as lane by lane at K = 1, on a Zen 5 0.6 to 0.8.
struct Gathers : Vectors<Avx512, double, 8> {
  static Vector gather(const double* x, const index_t* at) {
    const __m256i places = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    return _mm512_mask_i32gather_pd(Vector{}, 0xff, places, x, 8);
  }
  static void scatter(double* to, const index_t* at, Vector v) {
    _mm512_i32scatter_pd(to, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), v, 8);
  }
};

}  // namespace

InstructionSets avx512_loads() {
  return instruction_sets_of<Avx512>("avx512, single loads at K = 1");
}
InstructionSets avx512() {
  InstructionSets sets = instruction_sets_of<Avx512>("avx512");
  std::get<InstructionSet<double>>(sets).one_column = one_column<Gathers>();
  return sets;
}

}  // namespace sparserepro::csr_blocks

#endif
