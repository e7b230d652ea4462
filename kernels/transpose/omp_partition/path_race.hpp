// Which of some ways to the same answer is the fastest now. Nothing tells how much of the
// last-level cache a program has: others share it, and a virtual machine may have an eighth of what
// the processor names. So executions tell: in each period the first few take the first way, since
// the first of all touches memory; then all ways take turns, as often, the first one last; the rest
// take the fastest.
#pragma once

#include <chrono>

#include "transpose/omp_partition/policy.hpp"

namespace sparserepro {

class PathRace {
 public:
  using Duration = std::chrono::steady_clock::duration;
  static constexpr int tries = HostPartitionPolicy::executions_of_try;
  static constexpr int period = HostPartitionPolicy::executions_of_race;

  /// Whether the first executions of this period have ended, and `enter` may name the other ways.
  bool begins() const { return turn_ == tries; }
  /// How many ways there are in this period, the first one included.
  void enter(int ways) { ways_ = ways; }
  /// Number of the way that the next execution takes.
  int way() const {
    return turn_ < tries ? 0 : is_trial() ? (turn_ - tries + 1) % ways_ : fastest_;
  }

  /// Ends an execution that took `time`.
  void note(Duration time) {
    if (is_trial() && time < least_) {
      least_ = time;
      fastest_ = way();
    }
    if (++turn_ == period) {
      *this = {};
    }
  }

 private:
  bool is_trial() const { return turn_ >= tries && turn_ < tries + tries * ways_; }

  int turn_ = 0, ways_ = 1, fastest_ = 0;
  Duration least_ = Duration::max();
};

}  // namespace sparserepro
