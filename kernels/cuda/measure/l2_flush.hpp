// Eviction of the device's L2 cache between samples.
#pragma once

#include "cuda/device_buffer.hpp"
#include "cuda/device_info.hpp"

namespace sparserepro {

/// Overwrites twice the L2's size and waits, so that nothing a run left there is found again. Once
/// its size would do if the replacement were least recently used; it is not documented. The L2 is
/// left full of written lines, so a cold sample also pays for their way to memory, as in NVBench.
class L2Flush {
 public:
  explicit L2Flush(cudaStream_t stream)
      : sweep_(static_cast<std::size_t>(2 * gpu_info()->l2_bytes), stream), stream_(stream) {}
  void operator()() {
    sweep_.fill_bytes(0, stream_);
    CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

 private:
  DeviceBuffer<char> sweep_;
  cudaStream_t stream_;
};

}  // namespace sparserepro
