// What is asked of a measurement, and what a measured cell holds, whatever the problem.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/params.hpp"
#include "harness/problem.hpp"
#include "harness/registry.hpp"

namespace sparserepro {

struct TimingOptions {
  int warmup = 2;
  int repetitions = 25;      ///< samples before the precision may end a cell
  int min_repetitions = 10;  ///< samples before the time cap may end a cell
  int max_repetitions = 100;
  double precision = 0.02;  ///< half width of the median's interval over the median
  double time_cap_s = 5.0;  ///< timed kernel time per cell
  int end_to_end = 5;       ///< whole cycles of allocation, transfer, preprocessing, kernel
  bool flush = false;       ///< evict the caches before each sample, else execute once untimed
  std::uint64_t seed = 1;   ///< of the order of the samples
};

/// Whole cycles of what a caller with data in host memory pays, in seconds, in three parts.
struct EndToEnd {
  std::string transfers;  ///< "pinned" or "pageable" host memory; "none" on the host
  std::vector<double> total_s;
  std::vector<double> allocation_s;  ///< total less the other two
  std::vector<double> transfer_s;    ///< upload and download
  std::vector<double> kernel_s;      ///< preprocessing and kernel, waiting included
};

/// Samples of one cell, in seconds.
struct Timing {
  std::string clock;
  int batch = 1;  ///< executions per sample; samples are per execution
  std::vector<double> kernel_s, warmup_s, preprocess_s;
  std::optional<bool> queued;     ///< all work of each sample was queued before the device began it
  std::vector<double> clock_mhz;  ///< of the device during each sample, NaN: not known
  int throttled = 0;              ///< samples dropped since that clock was too low
  std::vector<EndToEnd> end_to_end;
  std::string stop;  ///< "precision", "repetitions" or "time_cap"
};

/// Least times of the problem at the rates of the place where the cell runs.
struct Bounds {
  double copy_s{};            ///< the least traffic at the copy rate
  std::string second_name{};  ///< "": there is no second bound
  double second_s{};          ///< see harness/bounds.hpp
};

/// One cell as the record and the table want it.
struct CellResult {
  std::string algorithm;
  std::string library;   ///< that a peer wraps, with its version; "" for all others
  std::string baseline;  ///< algorithm that its speedup is against
  Backend backend{};
  bool peer{};
  Params parameters;    ///< of the algorithm alone
  std::string skipped;  ///< reason; "" when it was measured
  CheckOutcome check;
  bool verified_after{};  ///< the answer was right again after the last sample
  Timing timing;
  std::int64_t workspace_bytes{};
  Measures measures;
  double copy_bytes_per_s{};
  Bounds bounds;
};

}  // namespace sparserepro
