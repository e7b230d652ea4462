// End-to-end cycles: allocation, upload, preprocessing, kernel and download, for a caller with data
// in host memory.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/measurement.hpp"
#include "harness/registry.hpp"
#include "harness/transfer_log.hpp"

namespace sparserepro {

/// Time of one cycle and of two of its parts, in seconds.
struct Cycle {
  double total_s{}, transfer_s{}, kernel_s{};
};

/// Prepares, preprocesses, executes and downloads. Copies do not overlap with other work, so that
/// the log can time them.
template <class Problem>
Cycle end_to_end_cycle(const Algorithm<Problem>& algorithm, const Problem& problem,
                       const Params& parameters, bool pinned, const std::function<double()>& now) {
  TransferLog log{.pinned = pinned};
  std::unique_ptr<Run<Problem>> run;
  const double begin = now();
  {
    const LogTransfers scope(log);
    run = algorithm.prepare(problem, parameters);
  }
  const double prepared = now();
  run->preprocess();
  run->execute();
  run->wait();
  const double computed = now();
  {
    const LogTransfers scope(log);
    run->download();
  }
  return {.total_s = now() - begin - log.staging_s,
          .transfer_s = log.transfer_s,
          .kernel_s = computed - prepared};
}

/// Samples `options.end_to_end` cycles, or fewer if they reach the time cap, for each kind of host
/// memory of transfers ("pageable", "pinned"; "none" for algorithms on the host). One more cycle of
/// each kind precedes them untimed. Returns nothing if `options.end_to_end` is 0.
template <class Problem>
std::vector<EndToEnd> sample_end_to_end(const Algorithm<Problem>& algorithm, const Problem& problem,
                                        const Params& parameters, const TimingOptions& options,
                                        const std::function<double()>& now) {
  std::vector<EndToEnd> kinds;
  if (options.end_to_end == 0) {
    return kinds;
  }
  const std::vector<std::string> names = algorithm.backend == Backend::cuda
                                             ? std::vector<std::string>{"pageable", "pinned"}
                                             : std::vector<std::string>{"none"};
  for (const std::string& name : names) {
    EndToEnd& kind = kinds.emplace_back();
    kind.transfers = name;
    double spent_s = 0.0;
    for (int cycle = 0; cycle <= options.end_to_end; ++cycle) {
      const Cycle parts = end_to_end_cycle(algorithm, problem, parameters, name == "pinned", now);
      spent_s += parts.total_s;
      if (cycle == 0) {
        continue;
      }
      kind.total_s.push_back(parts.total_s);
      kind.allocation_s.push_back(std::max(0.0, parts.total_s - parts.transfer_s - parts.kernel_s));
      kind.transfer_s.push_back(parts.transfer_s);
      kind.kernel_s.push_back(parts.kernel_s);
      if (spent_s > options.time_cap_s) {
        break;
      }
    }
  }
  return kinds;
}

}  // namespace sparserepro
