#ifdef __x86_64__

#include "spmm/omp_csr_blocked/product/impl.hpp"

namespace sparserepro::csr_blocks {
namespace {

/// AVX2 with FMA: 12 sums of three rows, their values and X take all 16 registers.
struct Avx2 {
  static constexpr int bytes = 32, tile_vectors = 4;
};

}  // namespace

InstructionSets avx2() {
  return instruction_sets_of<Avx2>("avx2");
}

}  // namespace sparserepro::csr_blocks

#endif
