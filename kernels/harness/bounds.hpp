// From the traffic of a Model to seconds that no algorithm, or none of a family, falls below.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "harness/problem.hpp"
#include "harness/registry.hpp"

namespace sparserepro {

/// What a place (host threads, a device) delivers.
struct Rates {
  double copy_bytes_per_s{};
  std::int64_t last_level_cache_bytes{};
  /// Useful bytes per second of random reads of rows of `row_bytes` from a table of `table_bytes`.
  std::function<double(std::int64_t row_bytes, std::int64_t table_bytes)> gather_bytes_per_s;
};

/// Seconds of the second bound, or nullopt where the problem has none, where the last-level cache
/// undoes it, or where it does not exceed the first bound, model.bytes over the copy rate.
///
/// two_passes: copied_bytes over the copy rate, while table_bytes exceed the cache.
/// gather: the least over all widths of panels (whole rows; 64, 128, ... bytes) of the copy's and
/// the gather's time: their sum where the panel's table exceeds the cache, so that both wait for
/// the same memory; else the longer of the two.
std::optional<double> second_bound_seconds(const Model& model, const Rates& rates);

/// The same at the place where `run` executes with `threads` threads; measures what it needs.
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
