// Clocks that the bench loop starts and stops.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace sparserepro {

/// Facts about the last timed region.
struct RegionFacts {
  std::optional<bool> queued;       ///< all work was queued before the device began; host: none
  std::optional<double> clock_mhz;  ///< of the device's multiprocessors; none: not known
  bool throttled{};                 ///< the clock was too low; the sample is dropped
  bool lost{};                      ///< the time is invalid; the region must be run again
};

/// Times one region after the other. `stop` returns when the work of the region is complete.
class Timer {
 public:
  virtual ~Timer() = default;
  virtual void start() = 0;
  virtual double stop() = 0;              ///< seconds since start()
  virtual std::string clock() const = 0;  ///< name for the record

  /// Largest number of executions in a sample.
  virtual int max_batch() const { return 10000; }
  /// Whether one region spans all executions of a sample, as on a device, which runs them in order.
  /// Otherwise each execution is a region, and the sample is the sum of their times.
  virtual bool spans_batches() const { return false; }
  /// Between two executions of a region: keeps the second from beginning before the first has
  /// ended.
  virtual void separate() {}
  /// Facts about the last region, after stop().
  virtual RegionFacts facts() const { return {}; }
};

/// Timer of the host, by std::chrono::steady_clock.
class CpuTimer final : public Timer {
 public:
  void start() override { begin_ = Clock::now(); }
  double stop() override { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  std::string clock() const override { return "steady_clock"; }

 private:
  using Clock = std::chrono::steady_clock;
  static_assert(Clock::is_steady);
  Clock::time_point begin_;
};

/// Seconds of the host's steady clock since an arbitrary instant.
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace sparserepro
