#include "spmm/omp_csr_blocked/product/product.hpp"

#include "formats/processor.hpp"

namespace sparserepro::csr_blocks {

InstructionSets avx512(bool gathers);
InstructionSets avx2();
InstructionSets portable();

std::vector<InstructionSets> all_instruction_sets() {
  std::vector<InstructionSets> sets;
#ifdef __x86_64__
  const VectorExtension widest = widest_vector_extension();
  if (widest == VectorExtension::avx512) {
    sets = {avx512(has_fast_gathers()), avx512(!has_fast_gathers())};
  }
  if (widest >= VectorExtension::avx2) {
    sets.push_back(avx2());
  }
#endif
  sets.push_back(portable());
  return sets;
}

}  // namespace sparserepro::csr_blocks
