// The timer of samples on a device, the flush of its caches, and the log of transfers. Needs a GPU.
#include "cuda/device_info.hpp"
#include "support/catch.hpp"

#ifdef SPARSEREPRO_HAS_CUDA

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/measure/event_timer.hpp"
#include "cuda/measure/l2_flush.hpp"
#include "cuda/measure/queued_timer.hpp"
#include "cuda/stream.hpp"
#include "support/device.hpp"

namespace sparserepro {
namespace {

using testing::require_device;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Seconds that the timer measures for work that the host queues slowly.
double slowly_queued(Timer& timer, DeviceBuffer<char>& buffer, cudaStream_t stream) {
  timer.start();
  for (int i = 0; i < 4; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    buffer.fill_bytes(i, stream);
  }
  return timer.stop();
}

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace

TEST_CASE("a queued sample does not hold the time that queueing takes", "[cuda][timer]") {
  require_device();
  const Stream stream;
  DeviceBuffer<char> buffer(mebibyte, stream.get());
  EventTimer plain(stream.get());
  QueuedTimer queued(stream.get());
  for (int repetition = 0; repetition < 3; ++repetition) {
    CHECK(slowly_queued(plain, buffer, stream.get()) > 0.009);
    const double seconds = slowly_queued(queued, buffer, stream.get());
    CHECK(seconds > 1e-6);
    CHECK(seconds < 1e-3);
    CHECK_FALSE(queued.facts().lost);
    CHECK(queued.facts().queued == true);
  }
}

TEST_CASE("the clock of the multiprocessors is read around each sample", "[cuda][timer]") {
  require_device();
  CHECK(device_timer_resolution_ns() >= 1);
  CHECK(device_timer_resolution_ns() <= 2000);
  const Stream stream;
  DeviceBuffer<char> buffer(256 * mebibyte, stream.get());
  QueuedTimer timer(stream.get());
  for (int repetition = 0; repetition < 20; ++repetition) {
    timer.start();
    buffer.fill_bytes(repetition, stream.get());
    timer.stop();
    REQUIRE(timer.facts().clock_mhz.has_value());
    const double share = *timer.facts().clock_mhz / gpu_info()->clock_mhz;
    CAPTURE(*timer.facts().clock_mhz, gpu_info()->clock_mhz, device_timer_resolution_ns());
    CHECK(share > 0.1);
    CHECK(share < 1.1);
    CHECK(timer.facts().throttled == (share < 0.75));
  }
}

TEST_CASE("the clock is known of samples of a few microseconds", "[cuda][timer]") {
  require_device();
  const Stream stream;
  DeviceBuffer<char> buffer(std::size_t{1024}, stream.get());
  QueuedTimer timer(stream.get());
  std::vector<double> shares;
  for (int repetition = 0; repetition < 20; ++repetition) {
    timer.start();
    buffer.fill_bytes(repetition, stream.get());
    timer.stop();
    shares.push_back(timer.facts().clock_mhz.value_or(0.0) / gpu_info()->clock_mhz);
  }
  CAPTURE(shares, device_timer_resolution_ns());
  CHECK(median(shares) > 0.1);
  CHECK(median(shares) < 1.1);
}

TEST_CASE("work that waits for the device ends the queueing after two lost regions",
          "[cuda][timer]") {
  require_device();
  const Stream stream;
  DeviceBuffer<char> buffer(mebibyte, stream.get());
  QueuedTimer timer(stream.get());
  const auto waiting = [&] {
    timer.start();
    buffer.fill_bytes(1, stream.get());
    stream.synchronize();
    buffer.fill_bytes(2, stream.get());
    return timer.stop();
  };
  for (int lost = 0; lost < 2; ++lost) {
    waiting();
    CHECK(timer.facts().lost);
  }
  for (int kept = 0; kept < 3; ++kept) {
    const double seconds = waiting();
    CHECK(seconds > 0.0);
    CHECK(seconds < 0.05);
    CHECK_FALSE(timer.facts().lost);
    CHECK(timer.facts().queued == false);
  }
}

TEST_CASE("one lost region alone does not end the queueing", "[cuda][timer]") {
  require_device();
  const Stream stream;
  DeviceBuffer<char> buffer(mebibyte, stream.get());
  QueuedTimer timer(stream.get());
  for (int round = 0; round < 3; ++round) {
    timer.start();
    stream.synchronize();
    timer.stop();
    CHECK(timer.facts().lost);
    timer.start();
    buffer.fill_bytes(1, stream.get());
    timer.stop();
    CHECK_FALSE(timer.facts().lost);
    CHECK(timer.facts().queued == true);
  }
}

TEST_CASE("a region that is begun and not ended is released", "[cuda][timer]") {
  require_device();
  const Stream stream;
  const double begin = steady_seconds();
  {
    QueuedTimer timer(stream.get());
    timer.start();
  }
  stream.synchronize();
  CHECK(steady_seconds() - begin < 0.09);  // before the waiting kernel ends by itself
}

TEST_CASE("after a flush an array is not in L2", "[cuda][flush]") {
  require_device();
  const Stream stream;
  const std::size_t bytes = static_cast<std::size_t>(gpu_info()->l2_bytes) / 6;
  DeviceBuffer<char> from(bytes, stream.get()), to(bytes, stream.get());
  from.fill_bytes(1, stream.get());
  L2Flush flush(stream.get());
  QueuedTimer timer(stream.get());
  const auto copy = [&] {
    CUDA_CHECK(
        cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream.get()));
  };
  std::vector<double> warm, cold;
  for (int repetition = 0; repetition < 15; ++repetition) {
    copy();
    timer.start();
    copy();
    warm.push_back(timer.stop());
    flush();
    timer.start();
    copy();
    cold.push_back(timer.stop());
  }
  CAPTURE(median(warm), median(cold));
  CHECK(median(cold) > 1.1 * median(warm));
}

TEST_CASE("logged transfers bring the same bytes, and count copies apart from staging",
          "[cuda][transfers]") {
  require_device();
  const Stream stream;
  // More bytes than the pinned area holds, and no multiple of its size.
  std::vector<int> host(90 * mebibyte + 3);
  std::iota(host.begin(), host.end(), 0);
  const double bytes = static_cast<double>(host.size() * sizeof(int));
  for (const bool pinned : {false, true}) {
    CAPTURE(pinned);
    for (int cycle = 0; cycle < 2; ++cycle) {
      TransferLog log{.pinned = pinned};
      std::vector<int> back(host.size());
      const double begin = steady_seconds();
      {
        const LogTransfers scope(log);
        const DeviceBuffer<int> device(host, stream.get());
        device.copy_to(back.data(), stream.get());
      }
      const double elapsed = steady_seconds() - begin;
      CHECK(back == host);
      CHECK(log.transfer_s > 2 * bytes / 200e9);
      CHECK(log.transfer_s + log.staging_s < elapsed);
      CHECK((log.staging_s > 0.0) == pinned);
    }
  }
  CHECK(active_transfer_log() == nullptr);
}

}  // namespace sparserepro

#else

TEST_CASE("the clock of samples on a device", "[cuda]") {
  SKIP(sparserepro::cuda_unavailable());
}

#endif
