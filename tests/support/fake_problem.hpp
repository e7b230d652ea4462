// A problem on a fake clock, and an algorithm for it that does what a test wants.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include "formats/buffer.hpp"
#include "harness/registry.hpp"
#include "harness/transfer_log.hpp"
#include "sparserepro/error.hpp"
#include "support/fake_clock.hpp"

namespace sparserepro::testing {

/// A problem whose answer is the number 42.
class Fixture {
 public:
  using Result = double;
  explicit Fixture(FakeClock& clock) : clock_(clock) {}
  double reference() const { return 42.0; }
  Model model() const { return {.bytes = 800.0, .flops = 0.0, .second = second}; }
  CheckOutcome check(double result, double reference) const {
    clock_.log.emplace_back("check");
    const bool ok = result == reference;
    return {ok, "exact", ok ? 0.0 : 1.0, 0.0, ok ? "" : "not 42", {}};
  }
  FakeClock& clock() const { return clock_; }
  SecondBound second;

 private:
  FakeClock& clock_;
};

enum class Behaviour {
  right,
  wrong,
  unwritten,
  stale,
  worn,
  too_large,
  too_large_in_the_end,
  too_large_to_probe,
  too_large_for_device
};

class FixtureRun final : public Run<Fixture> {
 public:
  FixtureRun(const Fixture& problem, Behaviour behaviour)
      : behaviour_(behaviour), clock_(problem.clock()) {
    clock_.pass("allocate", 1.0);
    if (behaviour == Behaviour::too_large) {
      throw std::bad_alloc();
    }
    if (TransferLog* const log = active_transfer_log(); log != nullptr) {
      clock_.pass(log->pinned ? "upload_pinned" : "upload", 16.0);
      log->transfer_s += 16.0;
      log->staging_s += log->pinned ? 32.0 : 0.0;
      clock_.now_s += log->pinned ? 32.0 : 0.0;
    }
  }
  void preprocess() override {
    clock_.pass("prepare", 2.0);
    prepared_ = true;
  }
  bool has_preprocess() const override { return false; }
  void discard() override { clock_.pass("discard", 1000.0); }
  void poison() override {
    clock_.pass("poison", 2000.0);
    value_ = std::nan("");
  }
  void execute() override {
    clock_.pass(active_transfer_log() == nullptr ? "run" : "run_logged", 4.0);
    ++executions_;
    if (behaviour_ == Behaviour::too_large_for_device) {
      throw DeviceMemoryError("cudaMallocAsync: out of memory");
    }
    if (behaviour_ == Behaviour::unwritten || !prepared_) {
      return;
    }
    const bool wrong = behaviour_ == Behaviour::wrong ||
                       (behaviour_ == Behaviour::stale && executions_ > 1) ||
                       (behaviour_ == Behaviour::worn && executions_ > 5);
    value_ = wrong ? 41.0 : 42.0;
  }
  void wait() override { clock_.pass("wait", 0.5); }
  void download() override {
    clock_.pass("download", 8.0);
    if (TransferLog* const log = active_transfer_log(); log != nullptr) {
      log->transfer_s += 8.0;
    }
  }
  double result() override {
    return behaviour_ == Behaviour::too_large_in_the_end && executions_ > 5
               ? throw ArrayMemoryError(std::size_t{3} << 30)
               : value_;
  }
  std::int64_t workspace_bytes() const override { return 16; }
  Measures measures() const override { return {{"executions", executions_}}; }
  std::unique_ptr<Timer> timer() const override { return std::make_unique<FakeTimer>(clock_); }
  double copy_bytes_per_s(int threads) const override {
    return behaviour_ == Behaviour::too_large_to_probe ? throw std::bad_alloc() : 100.0 * threads;
  }
  double gather_bytes_per_s(int threads, std::int64_t row_bytes,
                            std::int64_t table_bytes) const override {
    return static_cast<double>(threads * row_bytes * table_bytes);
  }
  std::int64_t last_level_cache_bytes() const override { return 10; }
  void flush() override { clock_.pass("flush", 3000.0); }

 private:
  Behaviour behaviour_;
  FakeClock& clock_;
  double value_ = 42.0;  // the memory of the answer holds the right value by chance
  int executions_ = 0;
  bool prepared_ = false;
};

inline Algorithm<Fixture> algorithm(const std::string& name, Behaviour behaviour) {
  return {.name = name,
          .summary = "fixture",
          .source = "none",
          .backend = Backend::serial,
          .prepare = [behaviour](const Fixture& problem,
                                 const Params&) -> std::unique_ptr<Run<Fixture>> {
            return std::make_unique<FixtureRun>(problem, behaviour);
          }};
}

}  // namespace sparserepro::testing
