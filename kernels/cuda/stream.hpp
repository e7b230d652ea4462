// A stream with one owner.
#pragma once

#include "cuda/check.hpp"

namespace sparserepro {

/// A stream of its owner; neither copyable nor movable.
class Stream {
 public:
  /// A new non-blocking stream, destroyed with its owner, or `given`, which stays.
  explicit Stream(cudaStream_t given = nullptr) : stream_(given), owned_(given == nullptr) {
    if (owned_) {
      CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
  }
  /// Of the CUDA priority `priority`, negative ones going first.
  explicit Stream(int priority) {
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority));
  }
  ~Stream() {
    cudaStreamSynchronize(stream_);  // what was queued may still use its owner's buffers
    if (owned_) {
      cudaStreamDestroy(stream_);
    }
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }
  void synchronize() const { CUDA_CHECK(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
  bool owned_ = true;
};

}  // namespace sparserepro
