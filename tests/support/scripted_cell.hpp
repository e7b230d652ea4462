// A cell whose executions take as long as a test says, and its samples on a fake clock.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/sampling.hpp"
#include "support/fake_clock.hpp"

namespace sparserepro::testing {

/// A cell whose n-th execution (from 0) takes seconds(n). Its other operations take so long that a
/// sample that contains one is detected.
class ScriptedCell final : public Sampler {
 public:
  explicit ScriptedCell(std::function<double(int)> seconds)
      : timer_(clock), seconds_(std::move(seconds)) {}
  void execute() override { clock.pass("run", seconds_(executions_++)); }
  void discard() override { clock.pass("discard", 1000.0); }
  void preprocess() override { clock.pass("prepare", 5.0 + preparations_++); }
  bool has_preprocess() const override { return prepares; }
  std::unique_ptr<Timer> preprocess_timer() const override {
    return std::make_unique<FakeTimer>(clock);
  }
  FakeTimer& timer() override { return timer_; }
  int threads() const override { return 1; }
  void flush() override { clock.pass("flush", 2000.0); }

  mutable FakeClock clock;
  bool prepares = false;

 private:
  FakeTimer timer_;
  std::function<double(int)> seconds_;
  int executions_ = 0, preparations_ = 0;
};

inline std::function<double(int)> always(double seconds) {
  return [seconds](int) { return seconds; };
}

/// Tells shares of the time of samples, one after the other, and then nothing.
class ScriptedWaits final : public ThreadWaits {
 public:
  ScriptedWaits() = default;
  explicit ScriptedWaits(std::vector<double> shares) : shares_(std::move(shares)) {}
  void begin() override {}
  std::optional<double> longest() const override {
    if (next_ == shares_.size()) {
      return std::nullopt;
    }
    return shares_[next_++] > most_waited ? 1e9 : 0.0;
  }

 private:
  std::vector<double> shares_;
  mutable std::size_t next_ = 0;
};

inline Timing sample(ScriptedCell& cell, const TimingOptions& options,
                     ScriptedWaits waits = ScriptedWaits()) {
  Progress progress(true);
  Timing timing;
  sample_interleaved({&cell}, {&timing}, options, progress, waits);
  return timing;
}

/// Options for exactly `samples` samples, whatever their spread.
inline TimingOptions exactly(int samples, int warmup = 0) {
  return {.warmup = warmup,
          .repetitions = samples,
          .min_repetitions = samples,
          .max_repetitions = samples,
          .precision = 0.0,
          .time_cap_s = 1e9};
}

inline std::string repeated(const std::string& text, int times) {
  std::string line;
  for (int i = 0; i < times; ++i) {
    line += (i == 0 ? "" : " ") + text;
  }
  return line;
}

}  // namespace sparserepro::testing
