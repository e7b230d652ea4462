#ifdef __x86_64__

#include "spmm/csr_blocks_impl.hpp"
#include "spmm/simd_avx512.hpp"

namespace sparserepro::csr_blocks {
namespace {

template <class Offset>
Kernels<Offset> tile(int columns) {
  const int rest = columns % Avx512::lanes;
  if (rest == 0) {
    return with_tail<Avx512, NoTail, Offset>(columns);
  }
  if (rest <= Avx512Quarter::lanes) {
    return with_tail<Avx512, Avx512Quarter, Offset>(columns);
  }
  if (rest <= Avx512Half::lanes) {
    return with_tail<Avx512, Avx512Half, Offset>(columns);
  }
  return with_tail<Avx512, Avx512, Offset>(columns);
}

}  // namespace

template <class Offset>
InstructionSet<Offset> avx512() {
  return {"avx512", Avx512::tile_vectors * Avx512::lanes, tile<Offset>,
          one_column<Avx512, Offset>()};
}
template InstructionSet<std::int32_t> avx512();
template InstructionSet<std::int64_t> avx512();

}  // namespace sparserepro::csr_blocks

#endif
