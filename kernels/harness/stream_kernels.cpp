#include "harness/stream_kernels.hpp"

#include "formats/streaming.hpp"
#include "harness/stream_kernels_impl.hpp"

namespace sparserepro {
namespace {

/// Vectors of 16 bytes. Stores bypass the caches where the base instruction set allows it.
struct PortableLanes {
  using Vector = Words2;
  static void stream(char* to, const Vector& v) { stream_lines(to, &v, sizeof v); }
  static void fence() { stream_fence(); }
};

}  // namespace

StreamKernels avx512_streams();
StreamKernels avx2_streams();

std::vector<StreamKernels> stream_kernels() {
  std::vector<StreamKernels> sets;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) {
    sets.push_back(avx512_streams());
  }
  if (__builtin_cpu_supports("avx2")) {
    sets.push_back(avx2_streams());
  }
#endif
  sets.push_back(kernels_of<PortableLanes>("portable"));
  return sets;
}

}  // namespace sparserepro
