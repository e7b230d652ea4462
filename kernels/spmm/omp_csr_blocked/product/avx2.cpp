#ifdef __x86_64__

#include "spmm/omp_csr_blocked/product/impl.hpp"

namespace sparserepro::csr_blocks {

/// With FMA. 12 sums of three rows, their values and X take all 16 registers.
InstructionSets avx2() {
  return instruction_sets_of<Set<32, 4>>("avx2");
}

}  // namespace sparserepro::csr_blocks

#endif
