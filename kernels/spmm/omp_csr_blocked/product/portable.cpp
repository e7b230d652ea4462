#include "spmm/omp_csr_blocked/product/impl.hpp"

namespace sparserepro::csr_blocks {
namespace {

/// What every processor has: 12 sums of three rows, their values and X take 16 registers.
struct Portable {
  static constexpr int bytes = 16, tile_vectors = 4;
};

}  // namespace

InstructionSets portable() {
  return instruction_sets_of<Portable>("portable");
}

}  // namespace sparserepro::csr_blocks
