#include "common/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "common/lack_of_memory.hpp"
#include "cuda/measure/device_processes.hpp"
#include "harness/statistics.hpp"

namespace sparserepro {
namespace {

// Least duration of a sample; shorter executions are batched. The resolution of the clocks (tens of
// nanoseconds on the host, 0.5 us for events of a device) is below 1 % of it.
constexpr double min_sample_s = 1e-4;
constexpr double batch_margin = 1.1;  // later samples may be faster than those of the estimate
constexpr int estimate_samples = 3;
constexpr int estimate_rounds = 10;
constexpr int most_throttled = 10;
// One is too few on a Xeon: lines of data that a cell has for itself, and that other cells have
// driven out, stay in the L3 cache from their second or third use on.
constexpr int untimed_on_host = 3;
// None follows once they have taken this long: a thread reads more in it than a cache holds.
constexpr double untimed_cap_s = 0.1;

/// Untimed action before a sample.
enum class Before { nothing, executions, flush };

struct Sample {
  double seconds{};  ///< of one execution
  RegionFacts facts;
  std::optional<double> waited{};  ///< share of the time, from the first untimed one on
};

/// Makes OpenMP's pool hold `threads` threads before the clock starts, so that no sample contains a
/// change of its size.
void wake_team(int threads) {
#pragma omp parallel num_threads(threads)
  {}
}

/// Seconds of `batch` executions. On the host each execution is timed by itself, which adds about
/// 50 ns to it and excludes the release of the answer before it.
double timed_executions(Sampler& cell, Timer& timer, int batch) {
  if (timer.spans_batches()) {
    cell.discard();
    timer.start();
    for (int i = 0; i < batch; ++i) {
      if (i > 0) {
        timer.separate();
      }
      cell.execute();
    }
    return timer.stop();
  }
  double seconds = 0.0;
  for (int i = 0; i < batch; ++i) {
    cell.discard();
    timer.start();
    cell.execute();
    seconds += timer.stop();
  }
  return seconds;
}

/// Untimed executions before a warm sample: one on a device.
void execute_untimed(Sampler& cell) {
  Timer& timer = cell.timer();
  if (timer.spans_batches()) {
    cell.discard();
    cell.execute();
    return;
  }
  double spent_s = 0.0;
  for (int i = 0; i < untimed_on_host && spent_s < untimed_cap_s; ++i) {
    spent_s += timed_executions(cell, timer, 1);
  }
}

void make_ready(Sampler& cell, Before before) {
  if (before == Before::executions) {
    wake_team(cell.threads());
    execute_untimed(cell);
  } else if (before == Before::flush) {
    cell.flush();
  }
  wake_team(cell.threads());
}

Sample take_sample(Sampler& cell, int batch, Before before, ThreadWaits* waits = nullptr) {
  using Clock = std::chrono::steady_clock;
  Timer& timer = cell.timer();
  for (;;) {
    const auto begin = Clock::now();
    if (waits != nullptr) {
      waits->begin();
    }
    make_ready(cell, before);
    const double seconds = timed_executions(cell, timer, batch) / batch;
    Sample sample{seconds, timer.facts()};
    if (sample.facts.lost) {
      continue;
    }
    if (waits != nullptr) {
      const std::chrono::duration<double> whole = Clock::now() - begin;
      if (const auto longest = waits->longest()) {
        sample.waited = std::min(*longest / whole.count(), 1.0);
      }
    }
    return sample;
  }
}

/// "" if the cell needs more samples, else the rule that ends it.
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

/// Samples the preprocessing. With warm caches one untimed execution precedes the first sample;
/// each further sample is warm by the one before it.
void sample_preprocess(Sampler& cell, Timing& timing, const TimingOptions& options) {
  const auto timer = cell.preprocess_timer();
  std::vector<double>& samples = timing.preprocess_s;
  const auto enough = [&](double spent_s) {
    const int count = static_cast<int>(samples.size());
    return count >= options.repetitions ||
           (count >= options.min_repetitions && spent_s >= options.time_cap_s);
  };
  if (!options.flush) {
    cell.preprocess();
  }
  for (double spent_s = 0.0; !enough(spent_s); spent_s += samples.back()) {
    if (options.flush) {
      cell.flush();
    }
    wake_team(cell.threads());
    timer->start();
    cell.preprocess();
    samples.push_back(timer->stop());
  }
}

/// Number of executions in a batch that takes at least min_sample_s. Batches of increasing length
/// are sampled, as in the loop, until the fastest of a few samples is long enough.
int steady_batch(Sampler& cell) {
  const int most = cell.timer().max_batch();
  int batch = 1;
  for (int round = 0; round < estimate_rounds; ++round) {
    double fastest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < estimate_samples; ++i) {
      fastest = std::min(fastest, take_sample(cell, batch, Before::executions).seconds);
      if (fastest > 10 * min_sample_s) {
        return 1;
      }
    }
    const double needed =
        std::min<double>(most, std::ceil(batch_margin * min_sample_s / std::max(fastest, 1e-9)));
    if (batch >= needed) {
      break;
    }
    batch = static_cast<int>(needed);
  }
  return batch;
}

void warm_up(Sampler& cell, Timing& timing, const TimingOptions& options) {
  timing.clock = cell.timer().clock();
  for (int i = 0; i < options.warmup; ++i) {
    timing.warmup_s.push_back(take_sample(cell, 1, Before::nothing).seconds);
  }
  timing.batch = options.flush ? 1 : steady_batch(cell);
}

/// Adds a sample to the results, or counts it if it was throttled.
void keep(const Sample& sample, Timing& timing) {
  if (sample.facts.throttled && timing.throttled < most_throttled) {
    ++timing.throttled;
    return;
  }
  timing.kernel_s.push_back(sample.seconds);
  if (sample.facts.queued) {
    timing.queued = timing.queued.value_or(true) && *sample.facts.queued;
    timing.clock_mhz.push_back(
        sample.facts.clock_mhz.value_or(std::numeric_limits<double>::quiet_NaN()));
    return;
  }
  timing.disturbance.waited.push_back(
      sample.waited.value_or(std::numeric_limits<double>::quiet_NaN()));
  timing.disturbance.disturbed += sample.waited.value_or(0.0) > most_waited ? 1 : 0;
}

/// Rounds in random orders, each with one sample of every unfinished cell.
void sample_rounds(const std::vector<Sampler*>& cells, const std::vector<Timing*>& timings,
                   const TimingOptions& options, Progress& progress, ThreadWaits& waits,
                   std::mt19937_64& random) {
  std::vector<double> spent_s(cells.size(), 0.0);
  std::vector<std::size_t> active(cells.size());
  std::iota(active.begin(), active.end(), std::size_t{0});
  std::erase_if(active, [&](std::size_t c) { return !timings[c]->lack.empty(); });
  for (int round = 1; !active.empty(); ++round) {
    progress.show("round " + std::to_string(round) + ": " + std::to_string(active.size()) + " of " +
                  std::to_string(cells.size()) + " cells still sampled");
    std::shuffle(active.begin(), active.end(), random);
    for (const std::size_t c : active) {
      timings[c]->lack = lack_of_memory([&] {
        const Sample sample =
            take_sample(*cells[c], timings[c]->batch,
                        options.flush ? Before::flush : Before::executions, &waits);
        keep(sample, *timings[c]);
        spent_s[c] += sample.seconds * timings[c]->batch;
      });
    }
    std::erase_if(active, [&](std::size_t c) {
      timings[c]->stop = stop_reason(*timings[c], spent_s[c], options);
      return !timings[c]->stop.empty() || !timings[c]->lack.empty();
    });
  }
}

/// Share of the samples on the host that were disturbed; 0 without any.
double disturbed_share(const std::vector<Timing*>& timings) {
  std::size_t disturbed = 0, samples = 0;
  for (const Timing* const timing : timings) {
    disturbed += static_cast<std::size_t>(timing->disturbance.disturbed);
    samples += timing->disturbance.waited.size();
  }
  return samples == 0 ? 0.0 : static_cast<double>(disturbed) / static_cast<double>(samples);
}

/// Forgets the samples, but not what came before them.
void clear_samples(Timing& timing) {
  timing.kernel_s.clear();
  timing.clock_mhz.clear();
  timing.queued.reset();
  timing.throttled = 0;
  timing.disturbance = {};
}

}  // namespace

void sample_interleaved(const std::vector<Sampler*>& cells, const std::vector<Timing*>& timings,
                        const TimingOptions& options, Progress& progress, ThreadWaits& waits) {
  for (std::size_t c = 0; c < cells.size(); ++c) {
    progress.show("warming up cell " + std::to_string(c + 1) + " of " +
                  std::to_string(cells.size()));
    timings[c]->lack = lack_of_memory([&] {
      if (cells[c]->has_preprocess()) {
        sample_preprocess(*cells[c], *timings[c], options);
      }
      warm_up(*cells[c], *timings[c], options);
    });
  }

  std::mt19937_64 random(options.seed);
  const Counters before = read_counters();
  const std::optional<int> processes_before = other_device_processes();
  sample_rounds(cells, timings, options, progress, waits, random);
  std::vector<double> attempts = {disturbed_share(timings)};
  if (attempts.front() > options.again) {
    std::vector<Timing> first;
    for (Timing* const timing : timings) {
      first.push_back(*timing);
      clear_samples(*timing);
    }
    progress.show("most samples were disturbed; all are taken once more");
    sample_rounds(cells, timings, options, progress, waits, random);
    attempts.push_back(disturbed_share(timings));
    if (attempts.back() >= attempts.front()) {
      for (std::size_t c = 0; c < timings.size(); ++c) {
        *timings[c] = std::move(first[c]);
      }
    }
  }
  const Surroundings surroundings = between(before, read_counters());
  const std::optional<int> processes = std::max(processes_before, other_device_processes());
  for (Timing* const timing : timings) {
    timing->disturbance.attempts = attempts;
    timing->disturbance.surroundings = surroundings;
    timing->disturbance.device_processes = processes;
  }
}

}  // namespace sparserepro
