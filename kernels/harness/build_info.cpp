#include "harness/build_info.hpp"

#include "formats/processor.hpp"
#include "revision.hpp"

namespace sparserepro {
namespace {

#if defined(__AVX512F__) && defined(__AVX512VL__)
constexpr VectorExtension compiled_for = VectorExtension::avx512;
#elif defined(__AVX2__) && defined(__FMA__)
constexpr VectorExtension compiled_for = VectorExtension::avx2;
#elif defined(__SSE2__)
constexpr VectorExtension compiled_for = VectorExtension::sse2;
#elif defined(__ARM_NEON)
constexpr VectorExtension compiled_for = VectorExtension::neon;
#else
constexpr VectorExtension compiled_for = VectorExtension::other;
#endif

}  // namespace

const BuildInfo& build_info() {
  static const BuildInfo info{.version = SPARSEREPRO_VERSION,
                              .commit = SPARSEREPRO_COMMIT,
                              .dirty = SPARSEREPRO_DIRTY,
                              .compiler = SPARSEREPRO_CXX_COMPILER,
                              .flags = SPARSEREPRO_CXX_FLAGS,
                              .build_type = SPARSEREPRO_BUILD_TYPE,
                              .cuda = SPARSEREPRO_CUDA_VERSION,
                              .peers = SPARSEREPRO_PEERS,
                              .vector_extension = to_string(compiled_for)};
  return info;
}

std::string processor_refusal() {
  if (compiled_for <= widest_vector_extension()) {
    return "";
  }
  return std::string("compiled for ") + to_string(compiled_for) +
         ", which this processor does not have (configure with -DSPARSEREPRO_MARCH=...)";
}

}  // namespace sparserepro
