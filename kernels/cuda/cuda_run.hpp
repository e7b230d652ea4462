// What every run on the device shares: its stream, its clock, its bound.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/device_info.hpp"
#include "cuda/measure/device_bandwidth.hpp"
#include "cuda/measure/event_timer.hpp"
#include "cuda/measure/l2_flush.hpp"
#include "cuda/measure/queued_timer.hpp"
#include "cuda/stream.hpp"
#include "harness/registry.hpp"

namespace sparserepro {

/// Derived classes queue all work of `execute` on stream(), and wait for nothing but what the
/// algorithm itself must know on the host: an execution that waits cannot be queued as a whole, and
/// its times then hold launch latency.
template <class Problem>
class CudaRun : public Run<Problem> {
 public:
  /// Works on a stream of its own, or on `stream`, which outlives the run.
  explicit CudaRun(cudaStream_t stream = nullptr) : stream_(stream) {}
  std::unique_ptr<Timer> timer() const override {
    return std::make_unique<EventTimer>(stream_.get());
  }
  std::unique_ptr<Timer> sample_timer() const override {
    return std::make_unique<QueuedTimer>(stream_.get());
  }
  void wait() override { synchronize(); }
  std::vector<std::string> devices() const override { return {gpu_info()->name}; }
  double copy_bytes_per_s(int) const override { return device_copy_bandwidth(); }
  double gather_bytes_per_s(int, std::int64_t row_bytes, std::int64_t table_bytes) const override {
    return device_gather_bandwidth(row_bytes, table_bytes);
  }
  std::int64_t last_level_cache_bytes() const override { return gpu_info()->l2_bytes; }
  void flush() override {
    if (!flush_) {
      flush_.emplace(stream_.get());
    }
    (*flush_)();
  }

 protected:
  cudaStream_t stream() const { return stream_.get(); }
  void synchronize() const { stream_.synchronize(); }

 private:
  Stream stream_;  // destroyed last of all members of this class
  std::optional<L2Flush> flush_;
};

}  // namespace sparserepro
