#include "spmm/csr_blocks.hpp"

namespace sparserepro::csr_blocks {

InstructionSet avx512();
InstructionSet avx2();
InstructionSet portable();

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
#ifdef __x86_64__
  const bool fused = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  if (fused && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) {
    sets.push_back(avx512());
  }
  if (fused) {
    sets.push_back(avx2());
  }
#endif
  sets.push_back(portable());
  return sets;
}

}  // namespace sparserepro::csr_blocks
