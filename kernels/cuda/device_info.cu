#include "cuda/device_info.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include "cuda/check.hpp"

namespace sparserepro {
namespace {

int attribute(cudaDeviceAttr which) {
  int value = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

std::optional<GpuInfo> read_gpu_info() {
  if (!cuda_unavailable().empty()) {
    return std::nullopt;
  }
  cudaDeviceProp properties{};
  CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  int driver = 0;
  CUDA_CHECK(cudaDriverGetVersion(&driver));
  return GpuInfo{
      .name = properties.name,
      .compute_capability =
          std::to_string(properties.major) + "." + std::to_string(properties.minor),
      .multiprocessors = properties.multiProcessorCount,
      .memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem),
      .l2_bytes = properties.l2CacheSize,
      .shared_bytes_per_block = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin),
      .driver = std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10),
      .clock_mhz = attribute(cudaDevAttrClockRate) / 1000};
}

}  // namespace

const std::optional<GpuInfo>& gpu_info() {
  static const std::optional<GpuInfo> info = read_gpu_info();
  return info;
}

const std::string& cuda_unavailable() {
  static const std::string reason = []() -> std::string {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) {
      return std::string("no CUDA device: ") + cudaGetErrorString(status);
    }
    return count == 0 ? "no CUDA device" : "";
  }();
  return reason;
}

}  // namespace sparserepro

#else

namespace sparserepro {

const std::optional<GpuInfo>& gpu_info() {
  static const std::optional<GpuInfo> none;
  return none;
}

const std::string& cuda_unavailable() {
  static const std::string reason = "built without CUDA";
  return reason;
}

}  // namespace sparserepro

#endif
