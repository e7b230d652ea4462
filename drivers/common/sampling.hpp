// The loop that times executions. Samples of all cells are taken side by side in a random order, as
// with the random interleaving of Google Benchmark. On a device a sample is queued as a whole after
// untimed work, and throttled samples are dropped, as in the isolated ("cold") measurements of
// NVIDIA's NVBench.
#pragma once

#include <memory>
#include <vector>

#include "common/measurement.hpp"
#include "common/progress.hpp"
#include "harness/timer.hpp"

namespace sparserepro {

/// A prepared and verified run, as the loop uses it. harness/registry.hpp describes the operations.
struct Sampler {
  virtual ~Sampler() = default;
  virtual void execute() = 0;
  virtual void discard() = 0;
  virtual void preprocess() = 0;
  virtual bool has_preprocess() const = 0;
  virtual std::unique_ptr<Timer> preprocess_timer() const = 0;
  virtual Timer& timer() = 0;  ///< timer of the samples; always the same one
  virtual int threads() const = 0;
  virtual void flush() = 0;
};

/// Samples all cells side by side and stores the samples of cells[c] in timings[c]:
///
///   1. for each cell: samples of its preprocessing, if it has any; warm-up; length of its batch
///   2. rounds in a seeded random order, each with one sample of every unfinished cell, until the
///      stop rules of all cells hold
///
/// Before each sample the cell is executed untimed, on the host three times or until that has taken
/// 0.1 s, on a device once; or, with `options.flush`, the caches are emptied. A sample shorter than
/// 0.1 ms is a batch of executions; after a flush it is one execution. A lost sample is taken
/// again. A throttled sample is dropped and counted, up to 10 of a cell; later ones are kept. A
/// cell without memory for a sample has none any more. Only this function starts and stops the
/// timers of kernel and preprocessing.
///
/// `waits` tells which samples on the host were disturbed (measurement.hpp). Disturbed samples are
/// kept and counted. Where they are more than the share `options.again` of all, step 2 is done once
/// more, and the attempt with fewer of them stands, the first one if none has.
void sample_interleaved(const std::vector<Sampler*>& cells, const std::vector<Timing*>& timings,
                        const TimingOptions& options, Progress& progress, ThreadWaits& waits);

}  // namespace sparserepro
