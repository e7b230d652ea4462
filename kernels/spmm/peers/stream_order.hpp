// Order between streams, for codes that launch on streams of their own.
#pragma once

#include "cuda/check.hpp"

namespace sparserepro {

/// An event that makes a stream wait for another one; neither copyable nor movable.
class StreamOrder {
 public:
  StreamOrder() { CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~StreamOrder() { cudaEventDestroy(event_); }
  StreamOrder(const StreamOrder&) = delete;
  StreamOrder& operator=(const StreamOrder&) = delete;

  /// What `later` is given from now on begins when all that `earlier` has been given has ended.
  void order(cudaStream_t earlier, cudaStream_t later) {
    CUDA_CHECK(cudaEventRecord(event_, earlier));
    CUDA_CHECK(cudaStreamWaitEvent(later, event_));
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace sparserepro
