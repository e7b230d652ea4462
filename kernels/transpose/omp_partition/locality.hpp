// Samples that tell whether a direct scatter of the entries into columns stays in the caches.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/csr.hpp"
#include "formats/region_error.hpp"
#include "transpose/omp_partition/policy.hpp"
#include "transpose/recent_numbers.hpp"

namespace sparserepro {

/// Share of the `window` entries from `begin + window` on whose number (column times `scale`) none
/// of the entries from `begin` to them had. `near`: a neighbouring number counts as met.
template <class Offset, class Value>
double fresh_share(const CsrView<Offset, Value>& a, double scale, bool near, std::int64_t begin,
                   std::int64_t window) {
  RecentNumbers recent(4 * window);
  std::int64_t fresh = 0;
  for (std::int64_t e = 0; e < 2 * window; ++e) {
    const auto number = static_cast<std::uint32_t>(scale * a.col_idx[begin + e]);
    if (!recent.has(number)) {
      fresh += e >= window && !(near && (recent.has(number - 1) || recent.has(number + 1)));
      recent.add(number);
    }
  }
  return static_cast<double>(fresh) / static_cast<double>(window);
}

/// Whether there are fewer than `entries_of_change` entries for each row that differs in length
/// from the row before, in samples of consecutive rows.
template <class Offset, class Value>
bool row_lengths_vary(const CsrView<Offset, Value>& a, std::int64_t entries_of_change) {
  using Policy = HostPartitionPolicy;
  const std::int64_t rows =
      std::min<std::int64_t>(a.rows / Policy::row_samples, Policy::rows_of_sample);
  std::int64_t changes = 0, entries = 0;
  for (std::int64_t sample = 0; sample < Policy::row_samples; ++sample) {
    const Offset* const row_ptr = a.row_ptr + (a.rows - rows) / Policy::row_samples * sample;
    for (std::int64_t i = 1; i < rows; ++i) {
      changes += row_ptr[i + 1] - row_ptr[i] != row_ptr[i] - row_ptr[i - 1];
    }
    entries += row_ptr[rows] - row_ptr[0];
  }
  return changes * entries_of_change > entries;
}

/// Pairs of windows of entries, evenly spaced: at most one `sampled_part` of all.
struct SamplePlan {
  std::int64_t nnz;
  std::int64_t window;  ///< entries
  int count;

  std::int64_t begin(int sample) const {
    return (nnz - 2 * window) / (2 * count) * (2 * sample + 1);
  }
};

inline SamplePlan plan_samples(std::int64_t nnz, std::int64_t most_window) {
  using Policy = HostPartitionPolicy;
  const std::int64_t budget = nnz / Policy::sampled_part;
  const std::int64_t window = std::clamp<std::int64_t>(budget / 2, 1, most_window);
  const auto count =
      static_cast<int>(std::clamp<std::int64_t>(budget / (2 * window), 1, Policy::most_samples));
  return {nnz, window, count};
}

/// Mean of `share_at(begin, window)` over the samples.
template <class Share>
double mean_share(const SamplePlan& plan, int threads, Share share_at) {
  double sum = 0.0;
  RegionError error;
#pragma omp parallel for schedule(static, 1) num_threads(threads) reduction(+ : sum)
  for (int sample = 0; sample < plan.count; ++sample) {
    error.guard([&] { sum += share_at(plan.begin(sample), plan.window); });
  }
  error.rethrow();
  return sum / plan.count;
}

/// Share of the entries that are scattered to a cache line that none of the last `line_window`
/// entries met, by samples. A place is estimated from the mean length of a column: a line holds
/// `line_entries` entries, or one column. Where columns are shorter than lines, a line beside one
/// that was met counts as met (the processor prefetches it). A single place may lie in a row as
/// long as the windows: lines count as fresh where briefer windows at one of two other places say
/// so too.
template <class Offset, class Value>
double fresh_lines(const CsrView<Offset, Value>& a, int threads, std::int64_t line_window) {
  using Policy = HostPartitionPolicy;
  const double mean = static_cast<double>(a.nnz) / a.cols;
  const auto share_at = [&](std::int64_t begin, std::int64_t window) {
    return fresh_share(a, std::min(1.0, mean / Policy::line_entries), mean < Policy::line_entries,
                       begin, window);
  };
  const SamplePlan plan = plan_samples(a.nnz, line_window);
  const double lines = mean_share(plan, threads, share_at);
  if (plan.count > 2 || lines < Policy::fresh_lines) {
    return lines;
  }
  const SamplePlan brief{plan.nnz, std::max<std::int64_t>(plan.window / 4, 1), 3};
  const double first = share_at(brief.begin(0), brief.window);
  const double last = share_at(brief.begin(2), brief.window);
  return std::max(std::min(first, last), std::min(lines, std::max(first, last)));
}

/// The same for pages that none of the last `page_window` entries met.
template <class Offset, class Value>
double fresh_pages(const CsrView<Offset, Value>& a, int threads) {
  using Policy = HostPartitionPolicy;
  const double scale = static_cast<double>(a.nnz) / a.cols / Policy::page_entries;
  return mean_share(plan_samples(a.nnz, Policy::page_window), threads,
                    [&](std::int64_t begin, std::int64_t window) {
                      return fresh_share(a, scale, false, begin, window);
                    });
}

}  // namespace sparserepro
