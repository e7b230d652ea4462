#include "spmm/omp_csr_blocked/narrow/kernels.hpp"

#include "formats/processor.hpp"

namespace sparserepro::csr_narrow {

template <class Offset, class Element>
Kernels<Offset, Element> avx512();
template <class Offset, class Element>
Kernels<Offset, Element> avx2();
template <class Offset, class Element>
Kernels<Offset, Element> portable();

template <class Offset, class Element>
Kernels<Offset, Element> kernels() {
#ifdef __x86_64__
  const VectorExtension widest = widest_vector_extension();
  if (widest == VectorExtension::avx512) {
    return avx512<Offset, Element>();
  }
  if (widest == VectorExtension::avx2) {
    return avx2<Offset, Element>();
  }
#endif
  return portable<Offset, Element>();
}

template Kernels<std::int32_t, float> kernels();
template Kernels<std::int64_t, float> kernels();
template Kernels<std::int32_t, Half> kernels();
template Kernels<std::int64_t, Half> kernels();
template Kernels<std::int32_t, Bfloat> kernels();
template Kernels<std::int64_t, Bfloat> kernels();

}  // namespace sparserepro::csr_narrow
