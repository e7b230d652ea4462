// Arrays of the device on the host.
#pragma once

#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/stream.hpp"

namespace sparserepro::testing {

/// The elements on the host, after all work of `stream`.
template <class T>
std::vector<T> on_host(const DeviceBuffer<T>& buffer, const Stream& stream) {
  std::vector<T> host(buffer.size());
  buffer.copy_to(host.data(), stream.get());
  stream.synchronize();
  return host;
}

}  // namespace sparserepro::testing
