#include "harness/stream_kernels_impl.hpp"

#ifdef __AVX2__
#include <immintrin.h>

namespace sparserepro {
namespace {

struct Avx2Lanes {
  using Vector = Words4;
  static void stream(char* to, const Vector& v) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(v));
  }
  static void fence() { _mm_sfence(); }
};

}  // namespace

StreamKernels avx2_streams() {
  return kernels_of<Avx2Lanes>("avx2");
}

}  // namespace sparserepro
#endif
