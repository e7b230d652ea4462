// Whether two threads run on cores that share a cache, and whether a scatter by two threads would
// send lines of the answer from one to the other. A host of virtual machines moves their processors
// between cores within seconds, so that no answer is good for long.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

#include "formats/csr.hpp"
#include "formats/processor.hpp"
#include "transpose/omp_partition/policy.hpp"

namespace sparserepro {

/// Nanoseconds that a cache line takes from one thread to another and back, in the fastest of the
/// batches that followed another, before a thread was kept from its processor; infinite where none
/// did.
inline double line_round_trip() {
  using Clock = std::chrono::steady_clock;
  // The first batch waits for a thread that wakes from the barrier.
  constexpr int batches = 4, trips = 3, most_looks = 4096, first_looks = 1 << 14;
  double least = std::numeric_limits<double>::infinity();
  alignas(128) std::atomic<int> turn{0};
#pragma omp parallel num_threads(2)
  {
    const int self = omp_get_thread_num();
    bool met = omp_get_num_threads() == 2;
    int mine = self;  // the turn that this thread waits for
#pragma omp barrier
    for (int batch = 0; met && batch < batches; ++batch) {
      const auto start = Clock::now();
      for (int trip = 0; met && trip < trips; ++trip, mine += 2) {
        int looks = batch == 0 ? -first_looks : 0;
        while (turn.load(std::memory_order_acquire) != mine && looks < most_looks) {
          ++looks;
        }
        met = looks < most_looks;
        if (met) {
          turn.store(mine + 1, std::memory_order_release);
        }
      }
      if (met && self == 0 && batch > 0) {  // the first trip of all waits for no line
        const std::chrono::duration<double, std::nano> time = Clock::now() - start;
        least = std::min(least, time.count() / trips);
      }
    }
  }
  return least;
}

/// An answer that is asked for anew once it is older than `age`.
class AgingAnswer {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration age = HostPartitionPolicy::answer_age;

  template <class Ask>
  bool operator()(Ask ask, Clock::time_point now = Clock::now()) {
    if (!asked_ || now - *asked_ > age) {
      answer_ = ask();
      asked_ = now;
    }
    return answer_;
  }

 private:
  std::optional<Clock::time_point> asked_;
  bool answer_{};
};

/// Whether both halves of the entries of `a` have the same columns, by samples: for the entries x
/// of one and y of the other, how often x >= y. Never in a band, in half of the pairs at random.
template <class Offset, class Value>
bool halves_share_columns(const CsrView<Offset, Value>& a) {
  constexpr int samples = 32;
  if (a.nnz < 2 * samples) {
    return false;
  }
  const auto half = static_cast<std::int64_t>(a.nnz) / 2;
  const std::int64_t step = half / samples;
  int later = 0;
  for (int x = 0; x < samples; ++x) {
    for (int y = 0; y < samples; ++y) {
      later += a.col_idx[x * step] >= a.col_idx[half + y * step];
    }
  }
  return std::min(later, samples * samples - later) > samples * samples / 8;
}

/// Threads that share `a`. Where no cache is near, lines travel between two threads in any case,
/// and one of them alone scatters few entries as fast.
template <class Offset, class Value>
int sharing_threads(const CsrView<Offset, Value>& a, int threads) {
  using Policy = HostPartitionPolicy;
  const bool alone = threads == 2 && !has_near_last_level_cache() &&
                     (a.nnz < Policy::serial_entries_of_two ||
                      (a.nnz < Policy::shared_entries && a.nnz < Policy::line_entries * a.cols &&
                       halves_share_columns(a)));
  return alone ? 1 : threads;
}

/// Whether one thread scatters `a` faster than two, between whose caches lines would travel.
template <class Offset, class Value>
bool lines_travel_far(const CsrView<Offset, Value>& a, int threads) {
  using Policy = HostPartitionPolicy;
  thread_local AgingAnswer threads_are_far;  // those that this one calls, whatever the matrix
  return threads == 2 && a.nnz < Policy::travelling_entries && has_near_last_level_cache() &&
         halves_share_columns(a) &&
         threads_are_far([] { return line_round_trip() > Policy::far_line_ns; });
}

}  // namespace sparserepro
