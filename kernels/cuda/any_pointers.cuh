// Row or column pointers of either width in device memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sparserepro {

/// Pointers [segments + 1] of 32 or 64 bits, to fewer than 2^32 entries.
struct AnyPointers {
  void* data;
  bool wide;

  AnyPointers() = default;
  template <class Offset>
  explicit AnyPointers(const Offset* pointers)
      : data(const_cast<Offset*>(pointers)), wide(sizeof(Offset) == 8) {}

  __device__ unsigned operator[](std::size_t i) const {
    return wide ? static_cast<unsigned>(static_cast<const std::int64_t*>(data)[i])
                : static_cast<const std::uint32_t*>(data)[i];
  }
  __device__ void set(std::size_t i, unsigned value) const {
    if (wide) {
      static_cast<std::int64_t*>(data)[i] = value;
    } else {
      static_cast<std::uint32_t*>(data)[i] = value;
    }
  }
};

}  // namespace sparserepro
