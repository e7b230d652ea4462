// Second lower bound of a problem's time, from the traffic of its Model and measured rates.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "harness/problem.hpp"
#include "harness/registry.hpp"

namespace sparserepro {

/// Measured rates of the host's threads or of a device.
struct Rates {
  double copy_bytes_per_s{};
  std::int64_t last_level_cache_bytes{};
  /// Bytes per second of reads of random rows of `row_bytes` from a table of `table_bytes`.
  std::function<double(std::int64_t row_bytes, std::int64_t table_bytes)> gather_bytes_per_s;
};

/// Seconds of the second bound of `model` (docs/bounds.md). nullopt where the problem has none,
/// where the last-level cache invalidates it, or where it does not exceed the first bound,
/// model.bytes / copy rate.
///
///   two_passes  copied_bytes / copy rate, if table_bytes exceeds the last-level cache
///   gather      min over panels of w bytes (64, 128, ..., row_bytes) of t_copy(w) + t_gather(w),
///               or max(t_copy, t_gather) where the panel's part of the table fits the cache and
///               the two do not share the memory's bandwidth:
///               t_copy = (copied_bytes + (ceil(row_bytes / w) - 1) panel_bytes) / copy rate
///               t_gather = gathered_bytes / gather rate for rows of w bytes
std::optional<double> second_bound_seconds(const Model& model, const Rates& rates);

/// second_bound_seconds(model, rates) with the rates of the host or device on which `run` executes
/// with `threads` threads. Measures the rates that it needs.
template <class Problem>
std::optional<double> second_bound_seconds(const Model& model, const Run<Problem>& run,
                                           int threads) {
  return second_bound_seconds(
      model, Rates{run.copy_bytes_per_s(threads), run.last_level_cache_bytes(),
                   [&](std::int64_t row_bytes, std::int64_t table_bytes) {
                     return run.gather_bytes_per_s(threads, row_bytes, table_bytes);
                   }});
}

}  // namespace sparserepro
