#ifdef __x86_64__

#include "spmm/omp_csr_blocked/narrow/impl.hpp"

namespace sparserepro::csr_narrow {
namespace {

/// AVX-512 (F and VL): vectors of 16 sums.
struct Avx512 {
  static constexpr int lanes = 16;
};

}  // namespace

SPARSEREPRO_NARROW_KERNELS(avx512, Avx512)

}  // namespace sparserepro::csr_narrow

#endif
