// Parameter `tile` of the algorithms that sort tiles of entries in shared memory.
#pragma once

#include "harness/params.hpp"

namespace sparserepro {

inline Parameter tile_parameter() {
  return {"tile",
          "auto",
          {"auto", "small", "large"},
          "small: tiles of 512 threads; large: of 1024; auto: chosen by the matrix"};
}

}  // namespace sparserepro
