// A graph in device memory.
#pragma once

#include "formats/types.hpp"

namespace sparserepro {

/// Laid out as formats/graph.hpp says; passed to kernels by value.
template <class Offset>
struct DeviceGraph {
  index_t vertices{};
  Offset stored{};           ///< entries, twice the edges
  const Offset* row_ptr{};   ///< [vertices+1]
  const index_t* col_idx{};  ///< [stored]
};

}  // namespace sparserepro
