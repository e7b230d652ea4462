// Variants of a count by the width of their vectors.
#pragma once

#include <vector>

namespace sparserepro {

#if defined(__x86_64__)
/// Those of the variants that this processor can run, the widest vectors first.
template <class Count>
std::vector<Count> runnable(Count avx512, Count avx2, Count plain) {
  std::vector<Count> variants;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("bmi2")) {
    variants.push_back(avx512);
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
    variants.push_back(avx2);
  }
  variants.push_back(plain);
  return variants;
}
#endif

}  // namespace sparserepro
