// The CUDA device of this process, if there is one. Compiles with and without CUDA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sparserepro {

struct GpuInfo {
  std::string name;
  std::string compute_capability;  ///< "9.0"
  int multiprocessors{};
  std::int64_t memory_bytes{}, l2_bytes{};
  std::int64_t shared_bytes_per_block{};  ///< largest dynamic shared memory of a block
  std::string driver;                     ///< CUDA version that the driver supports, "13.0"
  int clock_mhz{};                        ///< highest multiprocessor clock
};

/// Facts of device 0, read once; nullopt when this build or machine has none.
const std::optional<GpuInfo>& gpu_info();

/// "" or why no CUDA algorithm can run: built without CUDA, no driver, no device.
const std::string& cuda_unavailable();

}  // namespace sparserepro
