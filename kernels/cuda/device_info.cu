#include "cuda/device_info.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <algorithm>

#include "cuda/check.hpp"
#include "cuda/device_buffer.hpp"
#include "cuda/event_timer.hpp"
#include "cuda/stream.hpp"

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

/// A copy of an array much larger than L2; the best of a few passes.
double measure_copy() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  constexpr int passes = 10;
  const Stream stream;
  DeviceBuffer<char> from(bytes, stream.get()), to(bytes, stream.get());
  from.fill_bytes(1, stream.get());
  EventTimer timer(stream.get());
  double best = 0.0;
  for (int pass = 0; pass < passes; ++pass) {
    timer.start();
    CUDA_CHECK(
        cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream.get()));
    best = std::max(best, 2.0 * static_cast<double>(bytes) / timer.stop());
  }
  return best;
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

double device_copy_bandwidth() {
  static const double bandwidth = measure_copy();
  return bandwidth;
}

}  // namespace sparserepro

#else

#include <stdexcept>

namespace sparserepro {

const std::optional<GpuInfo>& gpu_info() {
  static const std::optional<GpuInfo> none;
  return none;
}

const std::string& cuda_unavailable() {
  static const std::string reason = "built without CUDA";
  return reason;
}

double device_copy_bandwidth() {
  throw std::logic_error("built without CUDA");
}

}  // namespace sparserepro

#endif
