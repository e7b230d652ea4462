// Device time of work that is queued as a whole before the device begins it.
//
// A kernel that waits for a flag in host memory goes first, then the first event, the work and the
// second event; only then is the flag raised. So the time holds no launch latency and no work of
// the host. Method: NVIDIA's NVBench, its isolated ("cold") measurements, which also read the
// multiprocessors' clock around each sample and drop samples below 0.75 of the rated clock.
#pragma once

#include <cstdint>
#include <memory>

#include "cuda/check.hpp"
#include "cuda/device_buffer.hpp"
#include "harness/timer.hpp"

namespace sparserepro {

/// Kernels of some libraries begin before the work that was queued before them has ended, and do
/// not wait for it: cuSPARSE 12.9.4's SpMM by alg3 with preparation, on rows of some hundred
/// entries. Executions of a batch would overlap, which a product of the one before cannot. So a
/// memset of four bytes separates them; it takes 0.4 to 1 us of each, whosever it is.
///
/// start() and stop() queue all that is said above; stop() waits for the end. Work that itself
/// waits for the device would wait for ever: after 0.1 s the waiting kernel ends by itself, and the
/// region counts as lost. After two lost regions in a row, or eight where one was held back before,
/// as a stall of the host can lose one too, work is no longer held back, and facts() say so. At
/// most about 1000 launches may be pending, so a batch has at most 64 executions.
class QueuedTimer final : public Timer {
 public:
  /// Requires a device; throws CudaError.
  explicit QueuedTimer(cudaStream_t stream);
  /// Releases a region that was begun and not ended.
  ~QueuedTimer() override;
  QueuedTimer(const QueuedTimer&) = delete;
  QueuedTimer& operator=(const QueuedTimer&) = delete;

  void start() override;
  /// Waits 50 ms after a throttled sample, for the device to recover.
  double stop() override;
  void separate() override;
  std::string clock() const override { return "cuda_event"; }
  int max_batch() const override { return 64; }
  bool spans_batches() const override { return true; }
  RegionFacts facts() const override { return facts_; }

  /// Clock and time of one multiprocessor; a time of 0 says that it was not read.
  struct Stamp {
    std::uint64_t cycles, nanoseconds;
  };

 private:
  class Shared;  // memory that host and device share

  std::optional<double> clock_mhz() const;

  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::unique_ptr<Shared> shared_;
  DeviceBuffer<std::uint32_t> separator_;
  std::uint32_t region_ = 0;  // number of the region, which the flag must reach
  bool queueing_ = true;
  bool held_before_ = false;
  int lost_in_a_row_ = 0;
  RegionFacts facts_;
};

/// Steps in which the device's timer advances, in nanoseconds; measured once.
std::uint64_t device_timer_resolution_ns();

}  // namespace sparserepro
