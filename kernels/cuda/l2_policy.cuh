// How long L2 keeps what a load brings: operand of ld with .L2::cache_hint.
#pragma once

#include <cstdint>

namespace sparserepro {

/// The policy of what is read once: it leaves L2 first if `passes`, else as everything else does.
__device__ __forceinline__ std::uint64_t l2_policy(bool passes) {
  std::uint64_t policy;
  if (passes) {
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  } else {
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
  }
  return policy;
}

}  // namespace sparserepro
