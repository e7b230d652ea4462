// What the design of a kernel wants to know of the processor that it runs on.
#pragma once

namespace sparserepro {

/// Whether the last-level cache lies beside a few cores, as on AMD's processors, and answers nearly
/// as fast as the L2 cache; on Intel's it is spread over the whole processor.
inline bool has_near_last_level_cache() {
#ifdef __x86_64__
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

/// Whether an instruction that loads or stores the lanes of a vector at any places is about as fast
/// as single loads and stores; not on AMD's processors.
inline bool has_fast_gathers() {
#ifdef __x86_64__
  return !__builtin_cpu_is("amd");
#else
  return false;
#endif
}

}  // namespace sparserepro
