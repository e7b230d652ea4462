// Entry of an algorithm in the table of its problem, and the interface of a prepared run. The
// problem's registry.cpp makes the table of the list algorithms.def; driver, tests, workflow and
// report read it and keep no list of their own.
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

/// Where an algorithm runs: one thread, OpenMP threads, or a CUDA device.
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

/// One algorithm prepared for one instance and one set of parameters. It owns workspace and output
/// and refers to the instance, which must outlive it.
template <class Problem>
class Run {
 public:
  virtual ~Run() = default;

  /// Preparation: work before `execute` that many calls can share (X transposed, a library's
  /// analysis). Timed apart from `execute`; repeatable.
  virtual void preprocess() {}
  /// Whether `preprocess` does any work.
  virtual bool has_preprocess() const { return false; }

  /// Releases memory that the last `execute` allocated for its answer. Untimed. It precedes every
  /// `execute` on the host and every sample on a device, so that no sample contains the release of
  /// an earlier answer.
  virtual void discard() {}

  /// Overwrites the whole output with values that occur in no answer, so that the check finds an
  /// element that `execute` does not write.
  virtual void poison() = 0;

  /// The timed region. Repeatable, with the same answer each time. Workspace and output are
  /// allocated beforehand, except by libraries that allocate them in the call.
  virtual void execute() = 0;

  /// Waits until the work of `preprocess` and `execute` is complete (devices only).
  virtual void wait() {}

  /// Copies the output to host memory (devices only). Part of the end-to-end time.
  virtual void download() {}

  /// The answer, after `download`. Untimed.
  virtual typename Problem::Result result() = 0;

  /// Bytes allocated beyond input and output, by `prepare` or within `execute`.
  virtual std::int64_t workspace_bytes() const = 0;

  /// Measures of this run for the record (padding factor, number of products, ...).
  virtual Measures measures() const { return {}; }

  /// Names of the devices that `execute` uses, the first one being that of the clock; none on the
  /// host.
  virtual std::vector<std::string> devices() const { return {}; }

  /// Clock of `preprocess`.
  virtual std::unique_ptr<Timer> timer() const { return std::make_unique<CpuTimer>(); }
  /// Clock of the samples of `execute`.
  virtual std::unique_ptr<Timer> sample_timer() const { return timer(); }

  /// Highest streaming rate of the host with `threads` threads, or of the device, in bytes per
  /// second, and the size of its last-level cache.
  virtual double copy_bytes_per_s(int threads) const { return copy_bandwidth(threads); }
  virtual std::int64_t last_level_cache_bytes() const {
    return machine_info().last_level_cache_bytes;
  }
  /// Bytes per second of reads of random rows of `row_bytes` from a table of `table_bytes`.
  virtual double gather_bytes_per_s(int threads, std::int64_t row_bytes,
                                    std::int64_t table_bytes) const {
    return gather_bandwidth(threads, row_bytes, table_bytes);
  }
  /// Empties the caches of the host or of the device.
  virtual void flush() { flush_caches(); }
};

/// Entry of the table: an algorithm, its parameters and its functions.
template <class Problem>
struct Algorithm {
  std::string name;     ///< file stem, name in tests, field of records, key of plots
  std::string summary;  ///< one line
  /// Section of a seed or a paper; for a peer, "library version, call".
  std::string source;
  Backend backend = Backend::serial;
  bool peer = false;  ///< wraps a third-party library
  /// Name of the serial algorithm that is the baseline of speedups; "": the first of the table.
  std::string baseline{};
  std::vector<Parameter> parameters{};  ///< `threads` is added to every omp algorithm

  /// Whether the algorithm is meant for this instance, for problems with several procedures or
  /// formats. If not, there is no cell and no record. Null: always.
  std::function<bool(const Problem&)> applies{};
  /// "" or why this machine or build cannot run the algorithm. Null: it always can.
  std::function<std::string()> unavailable{};
  /// "" or why this cell cannot run; its record says "skipped". Null: every cell can.
  std::function<std::string(const Problem&, const Params&)> refusal{};
  /// Least traffic and work of an execution, where preparation has done a part of what the
  /// problem's model counts. Null: that of the problem.
  std::function<Model(const Problem&)> model{};
  /// Allocates workspace and output and copies the input to the device. Not part of the kernel
  /// time; part of the end-to-end time.
  std::function<std::unique_ptr<Run<Problem>>(const Problem&, const Params&)> prepare{};

  /// Library and version that a peer wraps, as in "cuSPARSE 12.6.3"; "" for other algorithms.
  std::string library() const { return peer ? source.substr(0, source.find(',')) : ""; }

  Model model_of(const Problem& problem) const { return model ? model(problem) : problem.model(); }
};

/// `Algorithm::prepare` of a class with constructor R(problem, params).
template <class R, class Problem>
std::unique_ptr<Run<Problem>> make_run(const Problem& problem, const Params& params) {
  return std::make_unique<R>(problem, params);
}

/// Sets the baselines of a table that consists of groups (a procedure, a target format): the serial
/// algorithm with which a group begins is the baseline of the group.
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
