// Device memory between areas that nothing may write.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cuda/device_buffer.hpp"

namespace sparserepro::testing {

/// Exactly `bytes` bytes, filled with a pattern, as are the areas before and behind them.
class Guarded {
 public:
  Guarded(std::size_t bytes, cudaStream_t stream)
      : bytes_(bytes), memory_(bytes + 2 * guard, stream) {
    memory_.fill_bytes(pattern, stream);
  }
  void* data() { return memory_.data() + guard; }
  std::size_t size() const { return bytes_; }
  /// Whether the areas are as they were. Waits for `stream`.
  bool intact(cudaStream_t stream) {
    std::vector<char> around(2 * guard);
    const char* const behind = memory_.data() + guard + bytes_;
    CUDA_CHECK(
        cudaMemcpyAsync(around.data(), memory_.data(), guard, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(
        cudaMemcpyAsync(around.data() + guard, behind, guard, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    return std::all_of(around.begin(), around.end(), [](char byte) { return byte == pattern; });
  }

 private:
  static constexpr std::size_t guard = 4096;
  static constexpr char pattern = 0x5a;
  std::size_t bytes_;
  DeviceBuffer<char> memory_;
};

}  // namespace sparserepro::testing
