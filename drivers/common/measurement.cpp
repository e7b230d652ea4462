#include "common/measurement.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>
#include <random>

#include "core/statistics.hpp"

namespace sparserepro {
namespace {

// A sample shorter than this is a batch of executions: clock resolution (tens of ns) and the cost
// of the two clock calls stay below a thousandth of it.
constexpr double min_sample_s = 1e-4;
constexpr int max_batch = 10000;

/// Brings the OpenMP team of the cell's size into being before the clock starts: resizing the
/// runtime's pool is no part of the algorithm.
void wake_team(int threads) {
#pragma omp parallel num_threads(threads)
  {}
}

double timed_batch(Sampler& cell, Timer& timer, int batch) {
  wake_team(cell.threads());
  timer.start();
  for (int i = 0; i < batch; ++i) {
    cell.execute();
  }
  return timer.stop() / batch;
}

/// "" while the cell needs more samples, else what ended it.
std::string stop_reason(const Timing& timing, double spent_s, const TimingOptions& options) {
  const int samples = static_cast<int>(timing.kernel_s.size());
  if (samples >= options.repetitions) {
    const MedianInterval interval = median_interval(timing.kernel_s);
    if (interval.valid &&
        0.5 * (interval.high - interval.low) <= options.precision * interval.median) {
      return "precision";
    }
  }
  if (samples >= options.min_repetitions && spent_s >= options.time_cap_s) {
    return "time_cap";
  }
  return samples >= options.max_repetitions ? "repetitions" : "";
}

void sample_preprocess(Sampler& cell, Timing& timing, const TimingOptions& options) {
  const auto timer = cell.timer();
  double spent_s = 0.0;
  while (static_cast<int>(timing.preprocess_s.size()) < options.repetitions &&
         (static_cast<int>(timing.preprocess_s.size()) < options.min_repetitions ||
          spent_s < options.time_cap_s)) {
    if (options.flush) {
      cell.flush();
    }
    wake_team(cell.threads());
    timer->start();
    cell.preprocess();
    timing.preprocess_s.push_back(timer->stop());
    spent_s += timing.preprocess_s.back();
  }
}

void warm_up(Sampler& cell, Timing& timing, const TimingOptions& options) {
  const auto timer = cell.timer();
  timing.clock = timer->clock();
  for (int i = 0; i < options.warmup; ++i) {
    timing.warmup_s.push_back(timed_batch(cell, *timer, 1));
  }
  if (!options.flush) {
    const double once_s =
        timing.warmup_s.empty() ? timed_batch(cell, *timer, 1) : timing.warmup_s.back();
    timing.batch =
        once_s >= min_sample_s
            ? 1
            : std::clamp(static_cast<int>(std::ceil(min_sample_s / std::max(once_s, 1e-9))), 1,
                         max_batch);
  }
}

}  // namespace

Progress::Progress(bool quiet) : active_(!quiet && isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  clear();
}

void Progress::clear() {
  if (active_ && width_ > 0) {
    std::cerr << '\r' << std::string(width_, ' ') << '\r' << std::flush;
    width_ = 0;
  }
}

void Progress::show(const std::string& text) {
  if (!active_) {
    return;
  }
  std::cerr << '\r' << text << std::string(width_ > text.size() ? width_ - text.size() : 0, ' ')
            << std::flush;
  width_ = text.size();
}

void sample_interleaved(const std::vector<Sampler*>& cells, const std::vector<Timing*>& timings,
                        const TimingOptions& options, Progress& progress) {
  for (std::size_t c = 0; c < cells.size(); ++c) {
    progress.show("warming up cell " + std::to_string(c + 1) + " of " +
                  std::to_string(cells.size()));
    if (cells[c]->has_preprocess()) {
      sample_preprocess(*cells[c], *timings[c], options);
    }
    warm_up(*cells[c], *timings[c], options);
  }

  std::vector<double> spent_s(cells.size(), 0.0);
  std::vector<std::size_t> active(cells.size());
  std::iota(active.begin(), active.end(), std::size_t{0});
  std::mt19937_64 random(options.seed);
  for (int round = 1; !active.empty(); ++round) {
    progress.show("round " + std::to_string(round) + ": " + std::to_string(active.size()) + " of " +
                  std::to_string(cells.size()) + " cells still sampled");
    std::shuffle(active.begin(), active.end(), random);
    for (const std::size_t c : active) {
      if (options.flush) {
        cells[c]->flush();
      }
      const auto timer = cells[c]->timer();
      const double seconds = timed_batch(*cells[c], *timer, timings[c]->batch);
      timings[c]->kernel_s.push_back(seconds);
      spent_s[c] += seconds * timings[c]->batch;
    }
    std::erase_if(active, [&](std::size_t c) {
      timings[c]->stop = stop_reason(*timings[c], spent_s[c], options);
      return !timings[c]->stop.empty();
    });
  }
}

}  // namespace sparserepro
