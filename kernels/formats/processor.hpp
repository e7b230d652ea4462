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

/// Vector extensions, the narrowest first.
enum class VectorExtension { other, neon, sse2, avx2, avx512 };

/// The widest that own code picks at run time on this processor; AVX2 and AVX-512 with fused
/// multiply-add, AVX-512 with its operations on short vectors.
inline VectorExtension widest_vector_extension() {
#ifdef __x86_64__
  const bool fused = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  if (fused && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) {
    return VectorExtension::avx512;
  }
  return fused ? VectorExtension::avx2 : VectorExtension::sse2;
#elif defined(__aarch64__)
  return VectorExtension::neon;
#else
  return VectorExtension::other;
#endif
}

/// "avx512", "avx2", "sse2", "neon" or "other".
inline const char* to_string(VectorExtension extension) {
  switch (extension) {
    case VectorExtension::avx512:
      return "avx512";
    case VectorExtension::avx2:
      return "avx2";
    case VectorExtension::sse2:
      return "sse2";
    case VectorExtension::neon:
      return "neon";
    case VectorExtension::other:
      break;
  }
  return "other";
}

}  // namespace sparserepro
