#include "harness/stream_kernels_impl.hpp"

#ifdef __AVX512F__
#include <immintrin.h>

namespace sparserepro {
namespace {

struct Avx512Lanes {
  using Vector = Words8;
  static void stream(char* to, const Vector& v) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(v));
  }
  static void fence() { _mm_sfence(); }
};

}  // namespace

StreamKernels avx512_streams() {
  return kernels_of<Avx512Lanes>("avx512");
}

}  // namespace sparserepro
#endif
