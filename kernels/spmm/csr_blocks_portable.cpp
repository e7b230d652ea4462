#include "spmm/csr_blocks_impl.hpp"
#include "spmm/simd_portable.hpp"

namespace sparserepro::csr_blocks {
namespace {

template <class Offset>
Kernels<Offset> tile(int columns) {
  return columns % Portable::lanes == 0 ? with_tail<Portable, NoTail, Offset>(columns)
                                        : with_tail<Portable, PortableHalf, Offset>(columns);
}

}  // namespace

template <class Offset>
InstructionSet<Offset> portable() {
  return {"portable", Portable::tile_vectors * Portable::lanes, tile<Offset>,
          one_column<Portable, Offset>()};
}
template InstructionSet<std::int32_t> portable();
template InstructionSet<std::int64_t> portable();

}  // namespace sparserepro::csr_blocks
