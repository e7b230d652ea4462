// The memory of vectors.
#pragma once

#include <cstdint>

namespace sparserepro {

/// Bytes of the elements of one vector or several.
template <class... Vectors>
std::int64_t array_bytes(const Vectors&... arrays) {
  return static_cast<std::int64_t>((... + (arrays.size() * sizeof(arrays[0]))));
}

}  // namespace sparserepro
