#include "core/build_info.hpp"

#include "revision.hpp"

namespace sparserepro {

const BuildInfo& build_info() {
  static const BuildInfo info{.version = SPARSEREPRO_VERSION,
                              .commit = SPARSEREPRO_COMMIT,
                              .dirty = SPARSEREPRO_DIRTY,
                              .compiler = SPARSEREPRO_CXX_COMPILER,
                              .flags = SPARSEREPRO_CXX_FLAGS,
                              .build_type = SPARSEREPRO_BUILD_TYPE,
                              .cuda = SPARSEREPRO_CUDA_VERSION,
                              .peers = SPARSEREPRO_PEERS};
  return info;
}

}  // namespace sparserepro
