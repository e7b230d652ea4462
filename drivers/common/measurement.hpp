// Options of a measurement and results of a measured cell, for all problems.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/params.hpp"
#include "harness/problem.hpp"
#include "harness/registry.hpp"
#include "harness/surroundings.hpp"

namespace sparserepro {

/// Options of timing, as the command line sets them.
struct TimingOptions {
  int warmup = 2;
  int repetitions = 25;      ///< samples before the precision may end a cell
  int min_repetitions = 10;  ///< samples before the time cap may end a cell
  int max_repetitions = 100;
  double precision = 0.02;  ///< half width of the median's interval over the median
  double time_cap_s = 5.0;  ///< timed kernel time per cell
  int end_to_end = 5;       ///< cycles of allocation, transfer, preprocessing and kernel
  bool flush = false;       ///< before each sample, empty the caches instead of executing untimed
  double again = 0.5;       ///< share of disturbed samples above which all are taken once more
  std::uint64_t seed = 1;   ///< of the order of the samples
};

/// Times of end-to-end cycles in seconds, and their three parts.
struct EndToEnd {
  std::string transfers;  ///< "pinned" or "pageable" host memory; "none" on the host
  std::vector<double> total_s;
  std::vector<double> allocation_s;  ///< total minus transfer and kernel
  std::vector<double> transfer_s;    ///< upload and download
  std::vector<double> kernel_s;      ///< preprocessing and kernel, until both are complete
};

/// A sample on the host is disturbed when one of the threads waited for a processor for more than
/// this share of its time. Of transpositions on two cores beside some ten busy processes, 492 of
/// 500 samples with real-time priority waited less, nearly all of them not at all; of 368 samples
/// without it 343 waited longer, 0.58 of their time in the median.
constexpr double most_waited = 0.05;

/// What disturbed the samples of a cell.
struct Disturbance {
  std::vector<double>
      waited;       ///< on the host of each sample, the share of its time; NaN: not known
  int disturbed{};  ///< samples that waited for more than most_waited
  std::vector<double> attempts;  ///< share of disturbed samples of the job, of each attempt
  Surroundings surroundings;     ///< while all cells were sampled, all attempts together
  std::optional<int> device_processes{};  ///< most other processes on the device, before and after
};

/// Samples of one cell, in seconds.
struct Timing {
  std::string clock;
  int batch = 1;  ///< executions in a sample; times are those of one execution
  std::vector<double> kernel_s, warmup_s, preprocess_s;
  std::optional<bool> queued;     ///< all work of each sample was queued before the device began it
  std::vector<double> clock_mhz;  ///< of the device during each sample; NaN: not known
  int throttled = 0;              ///< samples dropped because the clock was too low
  Disturbance disturbance;
  std::vector<EndToEnd> end_to_end;
  std::string stop;  ///< "precision", "repetitions" or "time_cap"
  std::string lack;  ///< why there was no memory for the samples; "" if there was
};

/// Lower bounds of an execution's time on the host or device of the cell.
struct Bounds {
  double copy_s{};            ///< minimum traffic / copy bandwidth
  std::string second_name{};  ///< "": there is no second bound
  double second_s{};          ///< second bound, see harness/bounds.hpp
};

/// Result of one cell, for the record and the table.
struct CellResult {
  std::string algorithm;
  std::string library;   ///< library and version that a peer wraps; "" for other algorithms
  std::string baseline;  ///< name of the baseline of its speedup
  Backend backend{};
  bool peer{};
  Params parameters;    ///< of the algorithm, without those of the instance
  Model model;          ///< least traffic and work of an execution
  std::string skipped;  ///< why the cell was not measured; "" if it was
  CheckOutcome check;
  bool verified_after{};  ///< the answer after the last sample was right
  Timing timing;
  std::int64_t workspace_bytes{};
  Measures measures;
  std::vector<std::string> devices;  ///< names of those that it uses; none on the host
  double copy_bytes_per_s{};
  Bounds bounds;
};

}  // namespace sparserepro
