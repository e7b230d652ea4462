#include "spmm/omp_csr_blocked/product/product.hpp"

#include "formats/processor.hpp"

namespace sparserepro::csr_blocks {

InstructionSets avx512();
InstructionSets avx512_loads();
InstructionSets avx2();
InstructionSets portable();

std::vector<InstructionSets> all_instruction_sets() {
  std::vector<InstructionSets> sets;
#ifdef __x86_64__
  const VectorExtension widest = widest_vector_extension();
  if (widest == VectorExtension::avx512) {
    sets = {avx512(), avx512_loads()};
    if (!has_fast_gathers()) {
      std::swap(sets[0], sets[1]);
    }
  }
  if (widest >= VectorExtension::avx2) {
    sets.push_back(avx2());
  }
#endif
  sets.push_back(portable());
  return sets;
}

}  // namespace sparserepro::csr_blocks
