// How long rows are cut: the entries of a segment, and the rows that blocks take whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "spmm/cuda_csr_balanced/plan/lanes.hpp"
#include "spmm/cuda_csr_balanced/plan/policy.hpp"

namespace sparserepro {

/// Slots of a warp, as a logarithm, along segments of long rows.
inline int segment_log_slots(std::int64_t k, std::size_t element_bytes = 8) {
  BalancedPlan plan{};
  choose_lanes(plan, k, static_cast<unsigned>(BalancedPolicy::far_block_bytes / element_bytes),
               element_bytes);
  return 5 - plan.log_lanes;
}

/// Entries beyond which a row is cut, of a matrix of `rows` rows and `nnz` entries.
inline int segment_entries(std::int64_t rows, std::int64_t nnz, std::int64_t k,
                           std::size_t element_bytes = 8) {
  const int log_slots = segment_log_slots(k, element_bytes);
  const std::int64_t share = nnz / BalancedPolicy::device_warps;
  const std::int64_t usual = rows < BalancedPolicy::few_rows ? 0 : 2 * nnz / rows;
  const std::int64_t most =
      std::max<std::int64_t>({BalancedPolicy::segment, BalancedPolicy::segment_slot << log_slots,
                              rows < BalancedPolicy::filling_rows ? 0 : 3 * nnz / (2 * rows)});
  const std::int64_t least =
      (log_slots == 5 ? BalancedPolicy::least_slot_of_32 : BalancedPolicy::least_slot) << log_slots;
  return static_cast<int>(std::min<std::int64_t>(most, std::max({least, share, usual})));
}

/// Entries up to which a longest row is left whole, since cutting it takes another kernel.
inline int uncut_entries(std::int64_t k, std::size_t element_bytes = 8) {
  return BalancedPolicy::least_slot << segment_log_slots(k, element_bytes);
}

/// Blocks take long rows, one each: those of more than `from` entries, of at most `most`.
struct BlockRows {
  int from, most;
};

/// For rows of segments of `segment` entries; none where `from` is no less than `most`.
inline BlockRows block_rows(std::int64_t rows, std::int64_t nnz, int segment, std::int64_t k,
                            std::size_t element_bytes = 8) {
  const int log_slots = segment_log_slots(k, element_bytes);
  if (32 >> log_slots > BalancedPolicy::block_lanes) {
    return {segment, 0};
  }
  const std::int64_t usual = 2 * nnz / std::max<std::int64_t>(rows, 1);
  const std::int64_t least = std::max({std::int64_t{BalancedPolicy::least_slot_of_32} << log_slots,
                                       usual, nnz / BalancedPolicy::device_warps});
  const std::int64_t from = std::int64_t{1} << log2_ceil(least);
  const int most =
      BalancedPolicy::threads / 32 * std::max(segment, BalancedPolicy::block_slot << log_slots);
  return {static_cast<int>(std::min<std::int64_t>(from, segment)),
          std::min(most, BalancedPolicy::most_block_entries)};
}

}  // namespace sparserepro
