#include "spmm/csr_blocks.hpp"

#include <algorithm>

#include "core/processor.hpp"

namespace sparserepro::csr_blocks {

InstructionSet avx512();
InstructionSet avx512_loads();
InstructionSet avx2();
InstructionSet portable();

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
#ifdef __x86_64__
  const bool fused = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  if (fused && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) {
    sets = {avx512(), avx512_loads()};
    if (!has_fast_gathers()) {
      std::swap(sets[0], sets[1]);
    }
  }
  if (fused) {
    sets.push_back(avx2());
  }
#endif
  sets.push_back(portable());
  return sets;
}

}  // namespace sparserepro::csr_blocks
