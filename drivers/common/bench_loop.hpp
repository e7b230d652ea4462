// Measurement of the cells of one instance: each is prepared and verified twice; all are sampled
// side by side; each is verified once more.
#pragma once

#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/affinity.hpp"
#include "common/end_to_end.hpp"
#include "common/lack_of_memory.hpp"
#include "common/measurement.hpp"
#include "common/restart.hpp"
#include "common/sampling.hpp"
#include "harness/bounds.hpp"
#include "harness/machine.hpp"
#include "harness/registry.hpp"

namespace sparserepro {

/// The answer of an algorithm is wrong. The driver exits with code 1 and writes no record.
struct WrongAnswer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One algorithm with the parameters of one cell.
template <class Problem>
struct Cell {
  const Algorithm<Problem>* algorithm;
  Params parameters;
};

/// "" or why the cell cannot run: the algorithm is unavailable or refuses it, a value is not
/// allowed, or not every thread has a core.
template <class Problem>
std::string cell_refusal(const Cell<Problem>& cell, const Problem& problem) {
  const Algorithm<Problem>& algorithm = *cell.algorithm;
  if (algorithm.unavailable) {
    if (std::string reason = algorithm.unavailable(); !reason.empty()) {
      return reason;
    }
  }
  for (const Parameter& parameter : algorithm.parameters) {
    const ParamValue& value = cell.parameters.value(parameter.name);
    if (std::string reason = value_refusal(parameter, value); !reason.empty()) {
      return reason;
    }
  }
  if (cell.parameters.has("threads")) {
    const std::int64_t threads = cell.parameters.integer("threads");
    const std::string asked = "threads = " + std::to_string(threads) + ": ";
    if (threads > machine_info().cores_available) {
      return asked + "only " + std::to_string(machine_info().cores_available) +
             " cores are available";
    }
    if (const int given = threads < 1 ? 0 : given_threads(static_cast<int>(threads));
        threads >= 1 && given != threads) {
      return asked + "OpenMP gives " + std::to_string(given) + " (OMP_THREAD_LIMIT, OMP_DYNAMIC)";
    }
    if (const int apart = threads < 1 ? 0 : threads_apart(static_cast<int>(threads));
        apart < threads) {
      return asked + "OpenMP binds them to " + std::to_string(apart) +
             (apart == 1 ? " core" : " cores") + " (OMP_PROC_BIND, OMP_PLACES)";
    }
  }
  return algorithm.refusal ? algorithm.refusal(problem, cell.parameters) : "";
}

/// A prepared run with the interface of the sampling loop.
template <class Problem>
class RunSampler final : public Sampler {
 public:
  RunSampler(std::unique_ptr<Run<Problem>> run, int threads)
      : run_(std::move(run)), timer_(run_->sample_timer()), threads_(threads) {}
  void execute() override { run_->execute(); }
  void discard() override { run_->discard(); }
  void preprocess() override { run_->preprocess(); }
  bool has_preprocess() const override { return run_->has_preprocess(); }
  std::unique_ptr<Timer> preprocess_timer() const override { return run_->timer(); }
  Timer& timer() override { return *timer_; }
  int threads() const override { return threads_; }
  void flush() override { run_->flush(); }
  Run<Problem>& run() { return *run_; }

 private:
  std::unique_ptr<Run<Problem>> run_;
  std::unique_ptr<Timer> timer_;  // may use the stream of run_, so it is destroyed first
  int threads_;
};

/// Poisons the output, executes, downloads and checks. Throws WrongAnswer, whose message contains
/// `label` and `which`.
template <class Problem, class Reference>
CheckOutcome verify_once(Run<Problem>& run, const Problem& problem, const Reference& reference,
                         const std::string& label, const std::string& which) {
  run.discard();
  run.poison();
  run.execute();
  run.download();
  CheckOutcome outcome = problem.check(run.result(), reference);
  if (!outcome.ok) {
    throw WrongAnswer(label + ": wrong answer in " + which + ": " + outcome.detail);
  }
  return outcome;
}

/// Preprocesses and checks two executions. The first finds elements that are not written, the
/// second state that an execution leaves behind. Throws WrongAnswer.
template <class Problem, class Reference>
CheckOutcome verify(Run<Problem>& run, const Problem& problem, const Reference& reference,
                    const std::string& label) {
  run.preprocess();
  verify_once(run, problem, reference, label, "execution 1");
  return verify_once(run, problem, reference, label, "execution 2");
}

/// Lower bounds of an execution's time on the host or device of `run`.
template <class Problem>
Bounds bounds_of(const Run<Problem>& run, const Model& model, int threads) {
  Bounds bounds{.copy_s = model.bytes / run.copy_bytes_per_s(threads)};
  if (const auto seconds = second_bound_seconds(model, run, threads)) {
    bounds.second_name = model.second.name;
    bounds.second_s = *seconds;
  }
  return bounds;
}

/// Does a part of a cell's measurement. Without memory for it the cell is skipped, and loses what
/// was measured.
template <class Work>
void skip_without_memory(CellResult& result, const Work& work) {
  result.skipped = lack_of_memory(work);
  if (!result.skipped.empty()) {
    result.timing = {};
    result.verified_after = false;
  }
}

/// Measures all cells of one instance side by side and returns their results in the order of
/// `cells`. `now` is the clock of end-to-end cycles, in seconds. A cell for which memory is not
/// enough is skipped, and the others are measured. Throws WrongAnswer.
template <class Problem>
std::vector<CellResult> measure(const Problem& problem, const std::vector<Cell<Problem>>& cells,
                                const TimingOptions& options, Progress& progress,
                                const std::function<double()>& now = steady_seconds) {
  std::vector<CellResult> results(cells.size());
  std::vector<std::unique_ptr<RunSampler<Problem>>> runs(cells.size());
  std::vector<Sampler*> samplers;
  std::vector<Timing*> timings;
  progress.show("computing the reference");
  const auto reference = problem.reference();
  const auto label = [](const CellResult& result) {
    return result.algorithm +
           (result.parameters.empty() ? "" : " (" + to_string(result.parameters) + ")");
  };
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Algorithm<Problem>& algorithm = *cells[c].algorithm;
    const Params& parameters = cells[c].parameters;
    CellResult& result = results[c];
    result.algorithm = algorithm.name;
    result.library = algorithm.library();
    result.backend = algorithm.backend;
    result.peer = algorithm.peer;
    result.parameters = parameters;
    result.model = algorithm.model_of(problem);
    result.skipped = cell_refusal(cells[c], problem);
    if (!result.skipped.empty()) {
      continue;
    }
    progress.show("checking " + label(result));
    skip_without_memory(result, [&] {
      runs[c] = std::make_unique<RunSampler<Problem>>(algorithm.prepare(problem, parameters),
                                                      parameters.threads());
      Run<Problem>& run = runs[c]->run();
      result.check = verify(run, problem, reference, label(result));
      if (algorithm.backend != Backend::cuda) {  // a download into fresh pages would be slower
        release_unused_memory();
      }
      result.copy_bytes_per_s = run.copy_bytes_per_s(parameters.threads());
      result.bounds = bounds_of(run, result.model, parameters.threads());
    });
    if (!result.skipped.empty()) {
      runs[c].reset();
      continue;
    }
    samplers.push_back(runs[c].get());
    timings.push_back(&result.timing);
  }
  ThreadWaits waits;
  sample_interleaved(samplers, timings, options, progress, waits);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (const std::string lack = results[c].timing.lack; !lack.empty()) {
      results[c].skipped = lack;
      results[c].timing = {};
      runs[c].reset();
    }
  }
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (runs[c]) {
      CellResult& result = results[c];
      skip_without_memory(result, [&] {
        Run<Problem>& run = runs[c]->run();
        verify_once(run, problem, reference, label(result), "the execution after the last sample");
        result.verified_after = true;
        result.workspace_bytes = run.workspace_bytes();
        result.measures = run.measures();
        result.devices = run.devices();
      });
      runs[c].reset();
    }
  }
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (results[c].skipped.empty()) {
      progress.show("end to end: " + results[c].algorithm);
      skip_without_memory(results[c], [&] {
        results[c].timing.end_to_end =
            sample_end_to_end(*cells[c].algorithm, problem, cells[c].parameters, options, now);
      });
    }
  }
  return results;
}

}  // namespace sparserepro
