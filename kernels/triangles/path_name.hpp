// The paths of cuda_adaptive and cuda_multi_adaptive by the names that drivers take. Compiles
// without CUDA.
#pragma once

#include <string>

#include "sparserepro/device/triangles.hpp"

namespace sparserepro {

/// automatic for a name that is none of the paths'.
inline device::TrianglePath path_named(const std::string& name) {
  using device::TrianglePath;
  for (const TrianglePath path :
       {TrianglePath::prefix, TrianglePath::middle, TrianglePath::even, TrianglePath::oriented}) {
    if (name == to_string(path)) {
      return path;
    }
  }
  return TrianglePath::automatic;
}

}  // namespace sparserepro
