#include "cuda/measure/device_processes.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>

#include "cuda/device_info.hpp"

namespace sparserepro {
namespace {

// The parts of nvml.h that are needed: the library comes with the driver, its header does not come
// with every toolkit. https://docs.nvidia.com/deploy/nvml-api
using Device = void*;
constexpr int success = 0, insufficient_size = 7;
using Init = int (*)();
using HandleByBus = int (*)(const char*, Device*);
using Processes = int (*)(Device, unsigned*, void*);

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

struct Library {
  Processes processes = nullptr;
  Device device = nullptr;
};

Library open_library() {
  char bus[32] = {};
  if (!cuda_unavailable().empty() || cudaDeviceGetPCIBusId(bus, sizeof bus, 0) != cudaSuccess) {
    return {};
  }
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return {};
  }
  const auto init = symbol<Init>(library, "nvmlInit_v2");
  const auto by_bus = symbol<HandleByBus>(library, "nvmlDeviceGetHandleByPciBusId_v2");
  Library found{symbol<Processes>(library, "nvmlDeviceGetComputeRunningProcesses_v3")};
  if (init == nullptr || by_bus == nullptr || init() != success ||
      by_bus(bus, &found.device) != success) {
    return {};
  }
  return found;
}

}  // namespace

std::optional<int> other_device_processes() {
  static const Library library = open_library();
  if (library.processes == nullptr || library.device == nullptr) {
    return std::nullopt;
  }
  unsigned count = 0;  // without room the library tells the number alone
  const int status = library.processes(library.device, &count, nullptr);
  if (status != success && status != insufficient_size) {
    return std::nullopt;
  }
  return std::max(static_cast<int>(count) - 1, 0);
}

}  // namespace sparserepro

#else

namespace sparserepro {

std::optional<int> other_device_processes() {
  return std::nullopt;
}

}  // namespace sparserepro

#endif
