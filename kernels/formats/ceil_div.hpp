// The quotient rounded up, on the host and on a device.
#pragma once

#include <type_traits>

#ifdef __CUDACC__
#define SPARSEREPRO_HOST_DEVICE __host__ __device__
#else
#define SPARSEREPRO_HOST_DEVICE
#endif

namespace sparserepro {

/// a / b rounded up; a >= 0, b > 0, and a + b - 1 fits their common type.
template <class A, class B>
SPARSEREPRO_HOST_DEVICE constexpr std::common_type_t<A, B> ceil_div(A a, B b) {
  return (a + b - 1) / b;
}

}  // namespace sparserepro
