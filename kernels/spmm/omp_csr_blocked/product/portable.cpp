#include "spmm/omp_csr_blocked/product/impl.hpp"

namespace sparserepro::csr_blocks {

/// What every processor has: 12 sums of three rows, their values and X take 16 registers.
InstructionSets portable() {
  return instruction_sets_of<Set<16, 4>>("portable");
}

}  // namespace sparserepro::csr_blocks
