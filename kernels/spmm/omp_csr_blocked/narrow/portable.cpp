#include "spmm/omp_csr_blocked/narrow/impl.hpp"

namespace sparserepro::csr_narrow {
namespace {

/// what every processor has: vectors of 4 sums.
struct Portable {
  static constexpr int lanes = 4;
};

}  // namespace

SPARSEREPRO_NARROW_KERNELS(portable, Portable)

}  // namespace sparserepro::csr_narrow
