#ifdef __x86_64__

#include "spmm/csr_blocks_impl.hpp"
#include "spmm/simd_avx2.hpp"

namespace sparserepro::csr_blocks {
namespace {

template <class Offset>
Kernels<Offset> tile(int columns) {
  switch (columns % Avx2::lanes) {
    case 0:
      return with_tail<Avx2, NoTail, Offset>(columns);
    case 3:
      return with_tail<Avx2, Avx2, Offset>(columns);
    default:
      return with_tail<Avx2, Avx2Half, Offset>(columns);
  }
}

}  // namespace

template <class Offset>
InstructionSet<Offset> avx2() {
  return {"avx2", Avx2::tile_vectors * Avx2::lanes, tile<Offset>, one_column<Avx2, Offset>()};
}
template InstructionSet<std::int32_t> avx2();
template InstructionSet<std::int64_t> avx2();

}  // namespace sparserepro::csr_blocks

#endif
