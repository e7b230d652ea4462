// A clock that tests advance, with a log of events, and a timer that reads it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/timer.hpp"

namespace sparserepro {

/// A clock that advances only by `pass` and by assignment.
struct FakeClock {
  double now_s = 0.0;
  std::vector<std::string> log;

  /// Logs `event` and advances the clock by `seconds`.
  void pass(const std::string& event, double seconds) {
    log.push_back(event);
    now_s += seconds;
  }
  /// Returns the log in one line and empties it.
  std::string take_log() {
    std::string line;
    for (const std::string& event : std::exchange(log, {})) {
      line += (line.empty() ? "" : " ") + event;
    }
    return line;
  }
};

/// Timer that reads a FakeClock and logs "[" at start, "]" at stop and "|" between executions.
class FakeTimer final : public Timer {
 public:
  explicit FakeTimer(FakeClock& clock) : clock_(clock) {}
  void start() override {
    clock_.log.emplace_back("[");
    begin_s_ = clock_.now_s;
  }
  double stop() override {
    clock_.log.emplace_back("]");
    facts_ = next_facts.empty() ? RegionFacts{} : next_facts.front();
    if (!next_facts.empty()) {
      next_facts.erase(next_facts.begin());
    }
    return clock_.now_s - begin_s_;
  }
  void separate() override { clock_.log.emplace_back("|"); }
  std::string clock() const override { return "fake"; }
  int max_batch() const override { return most; }
  bool spans_batches() const override { return spans; }
  RegionFacts facts() const override { return facts_; }

  int most = 1000;
  bool spans = false;
  std::vector<RegionFacts> next_facts;  ///< of the next regions; afterwards default facts

 private:
  FakeClock& clock_;
  double begin_s_ = 0.0;
  RegionFacts facts_;
};

}  // namespace sparserepro
