// Properties of the processor that kernels on the host depend on.
#pragma once

namespace sparserepro {

/// Whether a few cores share a last-level cache that is nearly as fast as the L2 cache, as on AMD's
/// processors. On Intel's, one cache is distributed over the whole processor.
inline bool has_near_last_level_cache() {
#ifdef __x86_64__
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

/// Whether a gather or scatter instruction is about as fast as the single loads or stores that it
/// replaces. It is slower on AMD's processors.
inline bool has_fast_gathers() {
#ifdef __x86_64__
  return !__builtin_cpu_is("amd");
#else
  return false;
#endif
}

/// Vector extensions in order of increasing width.
enum class VectorExtension { other, neon, sse2, avx2, avx512 };

/// The widest vector extension that the project's algorithms choose on this processor at run time.
/// avx2 and avx512 include fused multiply-add; avx512 includes AVX-512VL.
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
