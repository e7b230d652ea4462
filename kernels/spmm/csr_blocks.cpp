#include "spmm/csr_blocks.hpp"

namespace sparserepro::csr_blocks {

template <class Offset>
InstructionSet<Offset> avx512();
template <class Offset>
InstructionSet<Offset> avx2();
template <class Offset>
InstructionSet<Offset> portable();

template <class Offset>
std::vector<InstructionSet<Offset>> instruction_sets() {
  std::vector<InstructionSet<Offset>> sets;
#ifdef __x86_64__
  const bool fused = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  if (fused && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) {
    sets.push_back(avx512<Offset>());
  }
  if (fused) {
    sets.push_back(avx2<Offset>());
  }
#endif
  sets.push_back(portable<Offset>());
  return sets;
}
template std::vector<InstructionSet<std::int32_t>> instruction_sets();
template std::vector<InstructionSet<std::int64_t>> instruction_sets();

}  // namespace sparserepro::csr_blocks
