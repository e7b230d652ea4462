// Version of CUB, for the entries of the peers that wrap it.
#pragma once

#include <string>

#ifdef SPARSEREPRO_HAS_CUDA
#include <cub/version.cuh>
#endif

namespace sparserepro {

/// "CUB 3.0.1"; "CUB" in a build without it.
inline std::string cub_version() {
#ifdef SPARSEREPRO_HAS_CUDA
  return "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) +
         "." + std::to_string(CUB_SUBMINOR_VERSION);
#else
  return "CUB";
#endif
}

}  // namespace sparserepro
