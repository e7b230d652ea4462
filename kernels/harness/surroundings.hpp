// What other programs take of the processors that this process uses.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace sparserepro {

/// Over a stretch of time; what the system does not report is empty.
struct Surroundings {
  std::optional<double> others;   ///< share of the processors' time that other programs used
  std::optional<double> stolen;   ///< share that the hypervisor gave to other machines
  std::optional<double> quota;    ///< share of the time in which the control group was held back
  std::optional<double> cpu_mhz;  ///< mean clock of the processors at its end
};

/// Counters of the system at one time, in seconds; what is not reported is empty.
struct Counters {
  double wall_s{}, own_s{};                ///< own: of all threads of this process
  int processors{};                        ///< that its threads may run on
  std::optional<double> busy_s, stolen_s;  ///< of these processors together
  std::optional<double> held_s;            ///< of the control group and those above it
  std::optional<double> cpu_mhz;
};

/// The counters now, read from /proc and /sys under the folder `root`, and from getrusage.
Counters read_counters(const std::string& root = "");

/// What happened from `before` to `after`.
Surroundings between(const Counters& before, const Counters& after);

/// How long the threads of this process were ready to run and did not: other threads had the
/// processors. The kernel counts it in nanoseconds (Documentation/scheduler/sched-stats.rst).
class ThreadWaits {
 public:
  explicit ThreadWaits(std::string folder = "/proc/self/task") : folder_(std::move(folder)) {}
  virtual ~ThreadWaits() = default;

  virtual void begin() { before_ = read(); }

  /// Seconds since begin() that the thread waited which waited longest; nothing where the kernel
  /// does not count them.
  virtual std::optional<double> longest() const;

 private:
  std::map<std::string, double> read() const;  // by thread

  std::string folder_;
  std::map<std::string, double> before_;
};

}  // namespace sparserepro
