// Facts of the current device that the designs of kernels ask for. A program may use several.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "cuda/check.hpp"

namespace sparserepro {

/// A value for each device, computed at its first use there. Any thread may ask.
template <class T>
class PerDevice {
 public:
  /// That of the current device.
  template <class Compute>
  const T& get(const Compute& compute) {
    int device = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    const std::lock_guard lock(mutex_);
    auto found = values_.find(device);
    if (found == values_.end()) {
      found = values_.emplace(device, compute(device)).first;
    }
    return found->second;
  }

 private:
  std::mutex mutex_;
  std::map<int, T> values_;  // nodes stay where they are
};

struct DeviceLimits {
  int multiprocessors{};
  std::int64_t shared_bytes_per_block{};  ///< largest dynamic shared memory of a block
  std::int64_t shared_bytes_per_multiprocessor{};
};

/// Of the current device. Throws CudaError without one.
inline const DeviceLimits& device_limits() {
  static PerDevice<DeviceLimits> limits;
  return limits.get([](int device) {
    const auto attribute = [&](cudaDeviceAttr which) {
      int value = 0;
      CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
      return value;
    };
    return DeviceLimits{attribute(cudaDevAttrMultiProcessorCount),
                        attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
                        attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor)};
  });
}

}  // namespace sparserepro
