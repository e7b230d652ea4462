// Parameter `tile` of the algorithms that sort tiles of entries in shared memory.
#pragma once

#include "harness/params.hpp"

namespace sparserepro {

inline Parameter tile_parameter() {
  return {"tile",
          "auto",
          {"auto", "small", "large"},
          "tiles of 512 or of 1024 threads, or as suits the matrix"};
}

}  // namespace sparserepro
