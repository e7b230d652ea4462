#ifdef __x86_64__

#include "spmm/omp_csr_blocked/narrow/impl.hpp"

namespace sparserepro::csr_narrow {
namespace {

/// AVX2 with FMA: vectors of 8 sums.
struct Avx2 {
  static constexpr int lanes = 8;
};

}  // namespace

SPARSEREPRO_NARROW_KERNELS(avx2, Avx2)

}  // namespace sparserepro::csr_narrow

#endif
