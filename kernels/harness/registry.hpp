// The table of algorithms of a problem. Driver, tests, workflow and report read the table and keep
// no list of their own; each problem's registry.cpp writes it down explicitly.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/bandwidth.hpp"
#include "harness/cache_flush.hpp"
#include "harness/machine.hpp"
#include "harness/params.hpp"
#include "harness/problem.hpp"
#include "harness/timer.hpp"

namespace sparserepro {

enum class Backend { serial, omp, cuda };

inline const char* to_string(Backend backend) {
  switch (backend) {
    case Backend::serial:
      return "serial";
    case Backend::omp:
      return "omp";
    case Backend::cuda:
      return "cuda";
  }
  return "";
}

/// One prepared (instance, parameters) pair: owns workspace and output, holds a reference to the
/// instance, which outlives it.
template <class Problem>
class Run {
 public:
  virtual ~Run() = default;

  /// Work that some algorithms need before `execute` and that a user could amortise over many
  /// calls (X transposed, a library's analysis). Timed apart; repeatable. `has_preprocess` says
  /// whether there is any.
  virtual void preprocess() {}
  virtual bool has_preprocess() const { return false; }

  /// Releases what the last `execute` allocated for its answer. Untimed; on the host it precedes
  /// every `execute`, so that no algorithm pays for the release of an earlier answer; on a device
  /// it precedes every sample.
  virtual void discard() {}

  /// Overwrites the whole output with values that no answer holds, so that an element which
  /// `execute` does not write is found.
  virtual void poison() = 0;

  /// The timed region. Repeatable, with the same answer each time; allocates nothing that the
  /// algorithm itself does not need to allocate.
  virtual void execute() = 0;

  /// Returns when the work of `preprocess` and `execute` is complete (devices only).
  virtual void wait() {}

  /// Brings the output into host memory (devices only). Part of the end-to-end time.
  virtual void download() {}

  /// The answer, after `download`. Untimed.
  virtual typename Problem::Result result() = 0;

  /// Bytes beyond input and output, allocated by `prepare` or within `execute`.
  virtual std::int64_t workspace_bytes() const = 0;

  /// Facts of this run for the record (padding factor, number of products, ...).
  virtual Measures measures() const { return {}; }

  /// Clock of the place where `preprocess` runs.
  virtual std::unique_ptr<Timer> timer() const { return std::make_unique<CpuTimer>(); }
  /// Clock of the samples of `execute`.
  virtual std::unique_ptr<Timer> sample_timer() const { return timer(); }

  /// The highest streaming rate there with this many threads, and the cache that all of them share.
  virtual double copy_bytes_per_s(int threads) const { return copy_bandwidth(threads); }
  virtual std::int64_t last_level_cache_bytes() const {
    return machine_info().last_level_cache_bytes;
  }
  /// Useful bytes per second of random reads of rows of `row_bytes` from a table of `table_bytes`.
  virtual double gather_bytes_per_s(int threads, std::int64_t row_bytes,
                                    std::int64_t table_bytes) const {
    return gather_bandwidth(threads, row_bytes, table_bytes);
  }
  /// Empties the caches there.
  virtual void flush() { flush_caches(); }
};

template <class Problem>
struct Algorithm {
  std::string name;     ///< = file stem = test name = field of the record = key of the plots
  std::string summary;  ///< one line
  /// Section of a seed, paper, or, for a peer, "library version, call".
  std::string source;
  Backend backend = Backend::serial;
  bool peer = false;  ///< wraps a third-party library
  /// Name of the serial algorithm that speedups are against; "": the table's first serial one.
  std::string baseline{};
  std::vector<Parameter> parameters{};  ///< `threads` is added to every omp algorithm

  /// Whether the algorithm solves this instance at all (a problem of several procedures); a cell
  /// that does not apply is no cell, so nothing is recorded. Null: always.
  std::function<bool(const Problem&)> applies{};
  /// "" or why this machine or build cannot run the algorithm at all. Null: it always can.
  std::function<std::string()> unavailable{};
  /// "" or why this cell cannot run; recorded as skipped. Null: never refused.
  std::function<std::string(const Problem&, const Params&)> refusal{};
  /// Allocates workspace and output, uploads. Untimed for the kernel time, part of end to end.
  std::function<std::unique_ptr<Run<Problem>>(const Problem&, const Params&)> prepare{};

  /// Library and version that a peer wraps, as in "cuSPARSE 12.6.3"; "" for all others.
  std::string library() const { return peer ? source.substr(0, source.find(',')) : ""; }
};

/// A prepared run of class R(problem, params), as `Algorithm::prepare` wants it.
template <class R, class Problem>
std::unique_ptr<Run<Problem>> make_run(const Problem& problem, const Params& params) {
  return std::make_unique<R>(problem, params);
}

/// For a table of groups that each begin with their serial algorithm (one per procedure or target
/// format): makes it the baseline of its group.
template <class Problem>
std::vector<Algorithm<Problem>> with_group_baselines(std::vector<Algorithm<Problem>> table) {
  std::string baseline;
  for (Algorithm<Problem>& algorithm : table) {
    if (algorithm.backend == Backend::serial && !algorithm.peer) {
      baseline = algorithm.name;
    }
    algorithm.baseline = baseline;
  }
  return table;
}

}  // namespace sparserepro
