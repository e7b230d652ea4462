// Device time between two points of one stream.
#pragma once

#include "cuda/check.hpp"
#include "harness/timer.hpp"

namespace sparserepro {

/// Records an event at start() and at stop(), on the same stream; stop() waits for the second.
class EventTimer final : public Timer {
 public:
  explicit EventTimer(cudaStream_t stream) : stream_(stream) {
    CUDA_CHECK(cudaEventCreate(&begin_));
    CUDA_CHECK(cudaEventCreate(&end_));
  }
  ~EventTimer() override {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  void start() override { CUDA_CHECK(cudaEventRecord(begin_, stream_)); }
  double stop() override {
    CUDA_CHECK(cudaEventRecord(end_, stream_));
    CUDA_CHECK(cudaEventSynchronize(end_));
    float milliseconds = 0.0F;
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return 1e-3 * static_cast<double>(milliseconds);
  }
  std::string clock() const override { return "cuda_event"; }
  bool spans_batches() const override { return true; }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace sparserepro
