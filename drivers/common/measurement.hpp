// How cells are timed, and what a measured cell holds, whatever the problem.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/params.hpp"
#include "core/problem.hpp"
#include "core/registry.hpp"

namespace sparserepro {

struct TimingOptions {
  int warmup = 2;
  int repetitions = 25;      ///< samples before the precision may end a cell
  int min_repetitions = 10;  ///< samples before the time cap may end a cell
  int max_repetitions = 100;
  double precision = 0.02;  ///< half width of the median's interval over the median
  double time_cap_s = 5.0;  ///< kernel time per cell
  int end_to_end = 5;       ///< whole cycles of allocation, transfer, preprocessing, kernel
  bool flush = false;       ///< evict the caches before each sample
  std::uint64_t seed = 1;   ///< of the order of the samples
};

/// Samples of one cell, in seconds.
struct Timing {
  std::string clock;
  int batch = 1;  ///< executions per sample; samples are per execution
  std::vector<double> kernel_s, warmup_s, preprocess_s, end_to_end_s;
  std::string stop;  ///< "precision", "repetitions" or "time_cap"
};

/// One cell as the record and the table want it.
struct CellResult {
  std::string algorithm;
  std::string baseline;  ///< algorithm that its speedup is against
  Backend backend{};
  bool peer{};
  Params parameters;    ///< of the algorithm alone
  std::string skipped;  ///< reason; "" when it was measured
  CheckOutcome check;
  Timing timing;
  std::int64_t workspace_bytes{};
  Measures measures;
  double copy_bytes_per_s{};
};

/// What the sampling loop needs of a prepared, verified run.
struct Sampler {
  virtual ~Sampler() = default;
  virtual void execute() = 0;
  virtual void preprocess() = 0;
  virtual bool has_preprocess() const = 0;
  virtual std::unique_ptr<Timer> timer() const = 0;
  virtual int threads() const = 0;
  virtual void flush() = 0;
};

/// Reports "done of total" to whoever watches.
class Progress {
 public:
  /// Draws on stderr when it is a terminal and not `quiet`.
  explicit Progress(bool quiet);
  ~Progress();
  void show(const std::string& text);
  void clear();

 private:
  bool active_;
  std::size_t width_ = 0;
};

/// Samples all cells side by side: after warm-up, rounds in a seeded random order in which each
/// unfinished cell is executed once (or `batch` times when it is very short), until each cell's
/// stop rule holds. Starts and stops all kernel and preprocessing timers.
void sample_interleaved(const std::vector<Sampler*>& cells, const std::vector<Timing*>& timings,
                        const TimingOptions& options, Progress& progress);

}  // namespace sparserepro
