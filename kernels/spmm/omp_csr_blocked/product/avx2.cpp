#ifdef __x86_64__

#include "spmm/omp_csr_blocked/product/impl.hpp"
#include "spmm/omp_csr_blocked/product/simd_avx2.hpp"

namespace sparserepro::csr_blocks {
namespace {

Kernels tile(int columns, std::int64_t k) {
  if (k >= 2 && k <= 4 && columns == k) {
    return k == 2   ? kernels<Avx2, Avx2Half, 0, 2>()
           : k == 3 ? kernels<Avx2, Avx2, 0, 3>()
                    : kernels<Avx2, NoTail, 1, 4>();
  }
  switch (columns % Avx2::lanes) {
    case 0:
      return with_tail<Avx2, NoTail>(columns);
    case 3:
      return with_tail<Avx2, Avx2>(columns);
    default:
      return with_tail<Avx2, Avx2Half>(columns);
  }
}

}  // namespace

InstructionSet avx2() {
  return {"avx2", Avx2::tile_vectors * Avx2::lanes, tile, one_column<Avx2>()};
}

}  // namespace sparserepro::csr_blocks

#endif
