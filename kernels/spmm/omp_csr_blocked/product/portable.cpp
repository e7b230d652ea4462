#include "spmm/omp_csr_blocked/product/impl.hpp"
#include "spmm/omp_csr_blocked/product/simd_portable.hpp"

namespace sparserepro::csr_blocks {
namespace {

Kernels tile(int columns, std::int64_t) {
  return columns % Portable::lanes == 0 ? with_tail<Portable, NoTail>(columns)
                                        : with_tail<Portable, PortableHalf>(columns);
}

}  // namespace

InstructionSet portable() {
  return {"portable", Portable::tile_vectors * Portable::lanes, tile, one_column<Portable>()};
}

}  // namespace sparserepro::csr_blocks
