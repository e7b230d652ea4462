// The clocks that the bench loop starts and stops.
#pragma once

#include <chrono>
#include <string>

namespace sparserepro {

/// Measures one region at a time; `stop` returns once the region's work is complete.
class Timer {
 public:
  virtual ~Timer() = default;
  virtual void start() = 0;
  virtual double stop() = 0;              ///< seconds since start()
  virtual std::string clock() const = 0;  ///< name for the record
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

}  // namespace sparserepro
