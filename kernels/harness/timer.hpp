// The clocks that the bench loop starts and stops.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace sparserepro {

/// What a clock saw of its last region beside the time.
struct RegionFacts {
  std::optional<bool> queued;       ///< all work was queued before the device began; host: none
  std::optional<double> clock_mhz;  ///< of the device's multiprocessors; none: not known
  bool throttled{};                 ///< that clock was too low for the time to count
  bool lost{};                      ///< the time means nothing; the region is to be run again
};

/// Measures one region at a time; `stop` returns once the region's work is complete.
class Timer {
 public:
  virtual ~Timer() = default;
  virtual void start() = 0;
  virtual double stop() = 0;              ///< seconds since start()
  virtual std::string clock() const = 0;  ///< name for the record

  /// Largest number of executions of which a sample may consist.
  virtual int max_batch() const { return 10000; }
  /// Whether one region spans all executions of a sample, as on a device, which runs them one
  /// behind the other. Else each execution is a region of its own and the times are added.
  virtual bool spans_batches() const { return false; }
  /// Of the last region, after stop(). At most a few regions in a row are lost.
  virtual RegionFacts facts() const { return {}; }
};

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

/// Seconds of the host's steady clock since an arbitrary moment.
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace sparserepro
