// Turns a failed CUDA call into an exception that names the call and its place.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "sparserepro/error.hpp"

namespace sparserepro {

inline void cuda_check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) {
    return;
  }
  const std::string text = std::string(call) + ": " + cudaGetErrorString(status) + " (" + file +
                           ":" + std::to_string(line) + ")";
  static_cast<void>(cudaGetLastError());  // the next launch is not to report it
  if (status == cudaErrorMemoryAllocation) {
    throw DeviceMemoryError(text);
  }
  throw CudaError(text);
}

}  // namespace sparserepro

/// Throws CudaError unless `call` returns cudaSuccess.
#define CUDA_CHECK(call) ::sparserepro::cuda_check((call), #call, __FILE__, __LINE__)
/// After a kernel launch: throws when the launch itself was refused.
#define CUDA_CHECK_LAUNCH() CUDA_CHECK(cudaGetLastError())
