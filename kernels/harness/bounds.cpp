#include "harness/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparserepro {
namespace {

constexpr std::int64_t narrowest_panel = 64;  // bytes: a cache line of the host

double gather_seconds(const SecondBound& bound, const Rates& rates, std::int64_t panel) {
  const double share = static_cast<double>(panel) / static_cast<double>(bound.row_bytes);
  const auto table = static_cast<std::int64_t>(share * static_cast<double>(bound.table_bytes));
  const double panels = std::ceil(1 / share);
  const double copy =
      (bound.copied_bytes + (panels - 1) * bound.panel_bytes) / rates.copy_bytes_per_s;
  const double gather = bound.gathered_bytes / rates.gather_bytes_per_s(panel, table);
  return table > rates.last_level_cache_bytes ? copy + gather : std::max(copy, gather);
}

}  // namespace

std::optional<double> second_bound_seconds(const Model& model, const Rates& rates) {
  const SecondBound& bound = model.second;
  double seconds = 0.0;
  if (bound.name.empty()) {
    return std::nullopt;
  }
  if (bound.gathered_bytes > 0) {
    seconds = gather_seconds(bound, rates, bound.row_bytes);
    for (std::int64_t panel = narrowest_panel; panel < bound.row_bytes; panel *= 2) {
      seconds = std::min(seconds, gather_seconds(bound, rates, panel));
    }
  } else if (bound.table_bytes > rates.last_level_cache_bytes) {
    seconds = bound.copied_bytes / rates.copy_bytes_per_s;
  }
  return seconds > model.bytes / rates.copy_bytes_per_s ? std::optional(seconds) : std::nullopt;
}

}  // namespace sparserepro
