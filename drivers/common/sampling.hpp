// The loop that times executions. Samples of all cells side by side in a random order: as Google
// Benchmark's random interleaving. One untimed part, then a queued sample, throttled ones dropped:
// as the isolated ("cold") measurements of NVIDIA's NVBench.
#pragma once

#include <memory>
#include <vector>

#include "common/measurement.hpp"
#include "common/progress.hpp"
#include "harness/timer.hpp"

namespace sparserepro {

/// What the loop needs of a prepared, verified run. See harness/registry.hpp for the operations.
struct Sampler {
  virtual ~Sampler() = default;
  virtual void execute() = 0;
  virtual void discard() = 0;
  virtual void preprocess() = 0;
  virtual bool has_preprocess() const = 0;
  virtual std::unique_ptr<Timer> preprocess_timer() const = 0;
  virtual Timer& timer() = 0;  ///< of the samples; one for the life of the sampler
  virtual int threads() const = 0;
  virtual void flush() = 0;
};

/// Samples all cells side by side. For each cell first its preprocessing, where it has any, then
/// warm-up and the length of its batch; then rounds in a seeded random order in which each
/// unfinished cell gives one sample, until each cell's stop rule holds.
///
/// Before each sample the cell is executed once untimed, or, with `options.flush`, the caches are
/// emptied. A sample shorter than 0.1 ms is a batch of executions, set from samples of the steady
/// state; after a flush it is always one execution. A lost sample is taken again; a throttled one
/// is dropped and counted, up to 10 of a cell, after which its samples are kept as they are.
/// Starts and stops all timers of kernel and preprocessing.
void sample_interleaved(const std::vector<Sampler*>& cells, const std::vector<Timing*>& timings,
                        const TimingOptions& options, Progress& progress);

}  // namespace sparserepro
