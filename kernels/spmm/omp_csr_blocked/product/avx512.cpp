#ifdef __x86_64__

#include "spmm/omp_csr_blocked/product/impl.hpp"
#include "spmm/omp_csr_blocked/product/simd_avx512.hpp"

namespace sparserepro::csr_blocks {
namespace {

Kernels tile(int columns, std::int64_t k) {
  if (k >= 2 && k <= 4 && columns == k) {
    return k == 2   ? kernels<Avx512Quarter, NoTail, 1, 2>()
           : k == 3 ? kernels<Avx512, Avx512Half, 0, 3>()
                    : kernels<Avx512Half, NoTail, 1, 4>();
  }
  const int rest = columns % Avx512::lanes;
  if (rest == 0) {
    return with_tail<Avx512, NoTail>(columns);
  }
  if (rest <= Avx512Quarter::lanes) {
    return with_tail<Avx512, Avx512Quarter>(columns);
  }
  if (rest <= Avx512Half::lanes) {
    return with_tail<Avx512, Avx512Half>(columns);
  }
  return with_tail<Avx512, Avx512>(columns);
}

}  // namespace

InstructionSet avx512() {
  return {"avx512", Avx512::tile_vectors * Avx512::lanes, tile,
          one_column<Avx512Eight<Avx512Gathers>>()};
}

InstructionSet avx512_loads() {
  return {"avx512, single loads at K = 1", Avx512::tile_vectors * Avx512::lanes, tile,
          one_column<Avx512Eight<Avx512Loads>>()};
}

}  // namespace sparserepro::csr_blocks

#endif
