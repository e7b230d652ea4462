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

/// Shares of the places that entries are scattered to.
struct FreshShares {
  double lines{};  ///< on a cache line that none of the last `line_window` entries met
  double pages{};  ///< on a page that none of the last `page_window` entries met
};

/// Of samples of the entries of `a`. A place is estimated from the mean length of a column: a line
/// holds `line_entries` entries, or one column. Where columns are shorter than lines, a line beside
/// one that was met counts as met (the processor prefetches it). A single place may lie in a row as
/// long as the windows: lines count as fresh where briefer windows at one of two other places say
/// so too.
template <class Offset, class Value>
FreshShares fresh_shares(const CsrView<Offset, Value>& a, int threads, std::int64_t line_window) {
  using Policy = HostPartitionPolicy;
  const auto nnz = static_cast<std::int64_t>(a.nnz);
  const double mean = static_cast<double>(nnz) / a.cols;
  const std::int64_t budget = nnz / Policy::sampled_part;
  const std::int64_t window = std::clamp<std::int64_t>(budget / 2, 1, line_window);
  const auto samples =
      static_cast<int>(std::clamp<std::int64_t>(budget / (2 * window), 1, Policy::most_samples));
  const auto begin_of = [&](std::int64_t length, int sample, int count) {
    return (nnz - 2 * length) / (2 * count) * (2 * sample + 1);
  };
  const auto lines_of = [&](std::int64_t begin, std::int64_t length) {
    return fresh_share(a, std::min(1.0, mean / Policy::line_entries), mean < Policy::line_entries,
                       begin, length);
  };
  double line_sum = 0.0;
  double page_sum = 0.0;
  RegionError error;
#pragma omp parallel for schedule(static, 1) num_threads(threads) reduction(+ : line_sum, page_sum)
  for (int sample = 0; sample < samples; ++sample) {
    const std::int64_t begin = begin_of(window, sample, samples);
    error.guard([&] {
      line_sum += lines_of(begin, window);
      page_sum += fresh_share(a, mean / Policy::page_entries, false, begin,
                              std::min(window, Policy::page_window));
    });
  }
  error.rethrow();
  double lines = line_sum / samples;
  if (samples < 3 && lines >= Policy::fresh_lines) {
    const std::int64_t brief = std::max<std::int64_t>(window / 4, 1);
    const double first = lines_of(begin_of(brief, 0, 3), brief);
    const double last = lines_of(begin_of(brief, 2, 3), brief);
    lines = std::max(std::min(first, last), std::min(lines, std::max(first, last)));
  }
  return {lines, page_sum / samples};
}

}  // namespace sparserepro
