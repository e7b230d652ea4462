// From a grid of cells to verified samples: prepare, verify twice, sample side by side.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/measurement.hpp"
#include "common/restart.hpp"
#include "core/machine.hpp"
#include "core/registry.hpp"

namespace sparserepro {

/// An algorithm's answer differs from the reference: the driver exits with 1 and writes no record.
struct WrongAnswer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One algorithm with the parameters of one cell.
template <class Problem>
struct Cell {
  const Algorithm<Problem>* algorithm;
  Params parameters;
};

/// "" or why the cell cannot run here: the algorithm's own reasons, values outside the allowed
/// ones, more threads than cores.
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
  if (cell.parameters.has("threads") &&
      cell.parameters.threads() > machine_info().cores_available) {
    return "threads = " + std::to_string(cell.parameters.threads()) + ": only " +
           std::to_string(machine_info().cores_available) + " cores are available";
  }
  return algorithm.refusal ? algorithm.refusal(problem, cell.parameters) : "";
}

/// A prepared run behind the sampling loop's interface.
template <class Problem>
class RunSampler final : public Sampler {
 public:
  RunSampler(std::unique_ptr<Run<Problem>> run, int threads)
      : run_(std::move(run)), threads_(threads) {}
  void execute() override { run_->execute(); }
  void preprocess() override { run_->preprocess(); }
  bool has_preprocess() const override { return run_->has_preprocess(); }
  std::unique_ptr<Timer> timer() const override { return run_->timer(); }
  int threads() const override { return threads_; }
  void flush() override { run_->flush(); }
  Run<Problem>& run() { return *run_; }

 private:
  std::unique_ptr<Run<Problem>> run_;
  int threads_;
};

/// Poisons, executes and checks twice: finds elements that are never written and state that one
/// execution leaves for the next. Throws WrongAnswer.
template <class Problem, class Reference>
CheckOutcome verify(Run<Problem>& run, const Problem& problem, const Reference& reference,
                    const std::string& label) {
  CheckOutcome outcome;
  run.preprocess();
  for (int execution = 1; execution <= 2; ++execution) {
    run.poison();
    run.execute();
    run.download();
    outcome = problem.check(run.result(), reference);
    if (!outcome.ok) {
      throw WrongAnswer(label + ": wrong answer in execution " + std::to_string(execution) + ": " +
                        outcome.detail);
    }
  }
  return outcome;
}

/// Whole cycles of what a caller with data in host memory pays: preparation, preprocessing, kernel,
/// download. The first cycle is not kept; none is made when none is asked for.
template <class Problem>
std::vector<double> sample_end_to_end(const Algorithm<Problem>& algorithm, const Problem& problem,
                                      const Params& parameters, const TimingOptions& options) {
  std::vector<double> samples;
  double spent_s = 0.0;
  for (int cycle = 0; options.end_to_end > 0 && cycle <= options.end_to_end; ++cycle) {
    CpuTimer timer;
    timer.start();
    const auto run = algorithm.prepare(problem, parameters);
    run->preprocess();
    run->execute();
    run->download();
    const double seconds = timer.stop();
    spent_s += seconds;
    if (cycle > 0) {
      samples.push_back(seconds);
      if (spent_s > options.time_cap_s) {
        break;
      }
    }
  }
  return samples;
}

/// Measures all cells of one instance side by side. Results come in the order of `cells`.
template <class Problem>
std::vector<CellResult> measure(const Problem& problem, const std::vector<Cell<Problem>>& cells,
                                const TimingOptions& options, Progress& progress) {
  std::vector<CellResult> results(cells.size());
  std::vector<std::unique_ptr<RunSampler<Problem>>> runs(cells.size());
  std::vector<Sampler*> samplers;
  std::vector<Timing*> timings;
  progress.show("computing the reference");
  const auto reference = problem.reference();
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Algorithm<Problem>& algorithm = *cells[c].algorithm;
    const Params& parameters = cells[c].parameters;
    CellResult& result = results[c];
    result.algorithm = algorithm.name;
    result.backend = algorithm.backend;
    result.peer = algorithm.peer;
    result.parameters = parameters;
    result.skipped = cell_refusal(cells[c], problem);
    if (!result.skipped.empty()) {
      continue;
    }
    const std::string label =
        algorithm.name + (parameters.empty() ? "" : " (" + to_string(parameters) + ")");
    progress.show("checking " + label);
    runs[c] = std::make_unique<RunSampler<Problem>>(algorithm.prepare(problem, parameters),
                                                    parameters.threads());
    result.check = verify(runs[c]->run(), problem, reference, label);
    release_unused_memory();
    result.copy_bytes_per_s = runs[c]->run().copy_bytes_per_s(parameters.threads());
    samplers.push_back(runs[c].get());
    timings.push_back(&result.timing);
  }
  sample_interleaved(samplers, timings, options, progress);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (runs[c]) {
      results[c].workspace_bytes = runs[c]->run().workspace_bytes();
      results[c].measures = runs[c]->run().measures();
      runs[c].reset();
    }
  }
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (results[c].skipped.empty()) {
      progress.show("end to end: " + results[c].algorithm);
      results[c].timing.end_to_end_s =
          sample_end_to_end(*cells[c].algorithm, problem, cells[c].parameters, options);
    }
  }
  return results;
}

}  // namespace sparserepro
