// Whole cycles of what a caller with data in host memory pays.
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

/// The parts of one cycle, in seconds.
struct Cycle {
  double total_s{}, transfer_s{}, kernel_s{};
};

/// Prepares, preprocesses, executes and downloads, each anew. Copies are made one at a time, so
/// that the log can tell them from the rest.
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

/// `options.end_to_end` cycles, or fewer when they reach the time cap, for each kind of host memory
/// that a device's transfers may use; on the host one kind, "none". A first cycle of each kind is
/// made and not kept. Empty when no cycle is asked for.
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
