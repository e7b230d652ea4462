// How cuda_csr_balanced plans to take rows, in groups, bins, packs or flat: host code, at
// its thresholds.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

TEST_CASE("rows go in groups, in bins, packed, as short ones or as they are") {
  const auto order = [](RowStatistics statistics, std::int64_t mean, std::int64_t k) {
    constexpr std::int64_t rows = 1'000'000;
    for (unsigned long long* const count : {&statistics.short_entries, &statistics.padded_entries,
                                            &statistics.looked_entries, &statistics.same_entries}) {
      *count *= static_cast<unsigned long long>(rows * mean) / 1000;
    }
    const bool few_calls = true;  // else uneven rows may go in equal shares
    return choose_plan(statistics, rows, 5000, k, 8, 256, few_calls).order;
  };
  RowStatistics even{};
  even.short_entries = even.looked_entries = 1000;
  even.padded_entries = 1100;
  even.longest = 100;
  even.bin_rows[8] = 1;
  CHECK(order(even, 20, 32) == RowOrder::natural);
  CHECK(order(even, 3, 32) == RowOrder::natural);
  CHECK(order(even, 5, 16) == RowOrder::packed);
  CHECK(order(even, 5, 20) == RowOrder::packed);
  CHECK(order(even, 5, 21) == RowOrder::natural);
  CHECK(order(even, 60, 20) == RowOrder::natural);  // two slots
  CHECK(order(even, 5, 24) == RowOrder::natural);   // three loads
  CHECK(order(even, 4, 15) == RowOrder::packed);
  CHECK(order(even, 4, 21) == RowOrder::packed);
  RowStatistics uneven = even;
  uneven.padded_entries = 2900;
  CHECK(order(uneven, 4, 8) == RowOrder::packed);
  CHECK(order(uneven, 5, 8) == RowOrder::binned);
  CHECK(order(uneven, 20, 64) == RowOrder::natural);  // no row is longer than 8 means
  uneven.longest = 161;
  CHECK(order(uneven, 20, 64) == RowOrder::binned);   // two loads a lane: half a warp is a team
  CHECK(order(uneven, 20, 65) == RowOrder::natural);  // a warp is a team
  uneven.longest = 100;
  RowStatistics bounded = uneven;
  bounded.longest = 40;
  CHECK(order(bounded, 5, 8) == RowOrder::packed);
  bounded.longest = 41;
  CHECK(order(bounded, 5, 8) == RowOrder::binned);
  bounded.bin_rows[8] = 0;  // the longest is cut
  bounded.bin_rows[6] = 1;
  CHECK(order(bounded, 5, 8) == RowOrder::packed);
  uneven.padded_entries = 2400;
  CHECK(order(uneven, 5, 8) == RowOrder::packed);
  uneven.padded_entries = 4200;
  uneven.longest = 8;  // two batches
  CHECK(order(uneven, 4, 8) == RowOrder::packed);
  CHECK(order(uneven, 4, 64) == RowOrder::natural);
  uneven.longest = 9;
  CHECK(order(uneven, 4, 8) == RowOrder::binned);
  uneven.longest = 16;
  CHECK(order(uneven, 3, 8) == RowOrder::packed);
  CHECK(order(uneven, 3, 64) == RowOrder::natural);
  uneven.longest = 17;
  CHECK(order(uneven, 3, 8) == RowOrder::binned);
  uneven.longest = 100;
  uneven.padded_entries = 3600;
  CHECK(order(uneven, 4, 8) == RowOrder::binned);
  CHECK(order(uneven, 5, 8) == RowOrder::binned);
  CHECK(order(uneven, 20, 64) == RowOrder::binned);
  CHECK(order(uneven, 5, 32) == RowOrder::binned);
  CHECK(order(uneven, 5, 64) == RowOrder::binned);
  CHECK(order(uneven, 5, 96) == RowOrder::binned);
  CHECK(order(uneven, 1, 99) == RowOrder::natural);  // rows of Y
  CHECK(order(uneven, 1, 98) == RowOrder::binned);
  CHECK(order(uneven, 1, 100) == RowOrder::natural);
  CHECK(order(uneven, 1, 31) == RowOrder::natural);
  CHECK(order(uneven, 1, 29) == RowOrder::binned);
  RowStatistics alike = uneven;
  alike.same_entries = 700;
  CHECK(order(alike, 5, 16) == RowOrder::grouped);
  CHECK(order(alike, 5, 8) == RowOrder::grouped);  // not packed, since they are uneven
  alike.same_entries = 500;
  CHECK(order(alike, 5, 16) == RowOrder::binned);
  CHECK(choose_plan(RowStatistics{}, 0, 1000, 4).order == RowOrder::natural);
}

TEST_CASE("rows that take one team longer than the device takes for all are binned") {
  RowStatistics statistics{};
  statistics.sampled_entries = 1;
  const auto order = [&](std::int64_t rows, int longest, std::int64_t k, int segment) {
    statistics.short_entries = static_cast<unsigned long long>(7 * rows);
    statistics.padded_entries = 2 * statistics.short_entries;
    statistics.longest = static_cast<unsigned long long>(longest);
    for (int b = 0; b < RowStatistics::bins; ++b) {
      statistics.bin_rows[b] = longest <= segment && b == log2_ceil(longest) + 1 ? 1 : 0;
    }
    return choose_plan(statistics, rows, 20'000, k, 8, segment).order;
  };
  // 8 lanes, one slot, batches of 4: a warp's share is one row of two rounds or less.
  CHECK(order(17'000, 11 * 4, 16, 1024) == RowOrder::packed);
  CHECK(order(17'000, 574, 16, 1024) == RowOrder::binned);
  CHECK(order(17'000, 574, 16, 32) == RowOrder::packed);  // it is cut
  CHECK(order(17'000, 574, 2, 1024) == RowOrder::binned);
  CHECK(order(17'000, 574, 1, 1024) == RowOrder::flat);
  CHECK(order(1'700'000, 574, 16, 1024) == RowOrder::packed);
}

TEST_CASE("one load a row: natural order unless rows are cut or some take many batches") {
  RowStatistics statistics{};
  std::int64_t rows = 0, nnz = 0;
  const auto order = [&](std::int64_t k, std::size_t bytes = 8) {
    nnz = static_cast<std::int64_t>(statistics.short_entries);
    return choose_plan(statistics, rows, 1'000'000, k, bytes, 1 << 30, false, nnz).order;
  };
  statistics.looked_entries = statistics.sampled_entries = 100;
  for (const unsigned long long near : {0, 100}) {
    statistics.near.entries = near;
    for (const auto& [mean, padding, longest] : {std::tuple{4, 1, 24},
                                                 {4, 2, 24},
                                                 {5, 1, 24},
                                                 {16, 1, 48},
                                                 {17, 1, 96},
                                                 {17, 3, 192},
                                                 {72, 1, 216},
                                                 {97, 1, 384},
                                                 {500, 1, 1500}}) {
      INFO("near " << near << ", mean " << mean << ", padding " << padding);
      rows = mean < 500 ? 30'000 : 6'000;
      statistics.short_entries = static_cast<unsigned long long>(mean * rows);
      statistics.padded_entries = static_cast<unsigned long long>(padding) * mean * rows;
      statistics.longest = static_cast<unsigned long long>(longest);
      CHECK(order(1) == RowOrder::natural);
      CHECK(order(1, 4) == RowOrder::natural);
      ++statistics.longest;
      CHECK(order(1) == RowOrder::flat);
      CHECK(order(1, 4) == RowOrder::flat);
      CHECK(order(1, 2) != RowOrder::flat);
    }
  }
  rows = 1'000'000;
  statistics.short_entries = 5'000'000;
  statistics.padded_entries = 100'000'000;
  statistics.longest = 96;  // 8 lanes, half of those for all
  CHECK(order(4, 4) == RowOrder::natural);
  CHECK(order(1) == RowOrder::flat);  // padding
  statistics.longest = 97;
  CHECK(order(4, 4) == RowOrder::binned);
  statistics.longest = 192;  // 16 lanes
  CHECK(order(2) == RowOrder::natural);
  CHECK(order(4, 2) == RowOrder::natural);
  statistics.longest = 193;
  CHECK(order(2) == RowOrder::binned);
  CHECK(order(3) != RowOrder::natural);
  statistics.padded_entries = statistics.short_entries;
  statistics.longest = 10;
  statistics.segments = 2;
  CHECK(order(1) == RowOrder::flat);
  CHECK(order(1, 2) == RowOrder::natural);
}

TEST_CASE("one column: flat needs entries, blocks few rows, groups what L2 does not hold") {
  RowStatistics statistics{};
  statistics.looked_entries = statistics.sampled_entries = statistics.near.entries = 100;
  const auto order = [&](std::int64_t entries, unsigned long long longest, int mean = 10) {
    statistics.short_entries = statistics.padded_entries = static_cast<unsigned long long>(entries);
    statistics.longest = longest;
    return choose_plan(statistics, entries / mean, entries / mean, 1, 8, 1 << 30, false, entries)
        .order;
  };
  CHECK(order(50'000, 4096) == RowOrder::flat);
  CHECK(order(49'990, 4096) != RowOrder::flat);
  CHECK(order(550'000, 4097) == RowOrder::flat);  // several parts: a second kernel
  CHECK(order(549'990, 4097) != RowOrder::flat);
  CHECK(order(200'000, 4097, 20) == RowOrder::flat);
  CHECK(order(199'980, 4097, 20) != RowOrder::flat);
  RowStatistics parts{};  // half of the entries in rows that segments would cut
  parts.short_entries = parts.padded_entries = 100'000;
  parts.longest = 4097;
  parts.segments = 99;
  CHECK(choose_plan(parts, 10'000, 10'000, 1, 8, 256, false, 200'000).order == RowOrder::flat);
  CHECK(order(2111 * 320, 900, 320) == RowOrder::natural);
  CHECK(order(2111 * 321, 900, 321) == RowOrder::blocks);
  CHECK(order(2112 * 321, 900, 321) == RowOrder::natural);
  CHECK(order(2112 * 1024, 3000, 1024) == RowOrder::natural);
  CHECK(order(2112 * 1025, 3000, 1025) == RowOrder::blocks);
  statistics.same_entries = 70;  // threes
  CHECK(order(100'000'000, 150, 120) == RowOrder::natural);
  statistics.same_entries = 75;                          // fours
  CHECK(order(3'600'000, 40, 30) == RowOrder::grouped);  // 12 bytes each, 16 a row
  CHECK(order(3'580'000, 40, 30) == RowOrder::natural);
  CHECK(order(100'000'000, 40, 29) == RowOrder::natural);
}

TEST_CASE("rows of one slot are packed below K = 24, by blocks and batches for their mean") {
  RowStatistics even{};
  even.short_entries = even.padded_entries = 6'000'000;
  even.sampled_entries = even.near.entries = 100;
  even.longest = 8;
  const auto plan = [&](std::int64_t k, std::int64_t rows = 1'000'000) {
    return choose_plan(even, rows, 1'000'000, k);
  };
  for (std::int64_t k = 3; k < 18; ++k) {
    CHECK((plan(k).order == RowOrder::packed) == (k < 15));  // X exceeds 33 MB
  }
  CHECK(plan(15, 1'300'000).order == RowOrder::natural);  // 4.6 entries a row
  CHECK(plan(15, 1'350'000).order == RowOrder::packed);
  CHECK(plan(17, 1'350'000).order == RowOrder::natural);
  CHECK(plan(1).order == RowOrder::natural);
  const auto of_columns = [&](std::int64_t k, std::int64_t cols) {
    return choose_plan(even, 1'000'000, cols, k).order;
  };
  CHECK(of_columns(20, 206'000) == RowOrder::packed);  // X in 33 MB
  CHECK(of_columns(22, 187'000) == RowOrder::packed);
  CHECK(of_columns(22, 188'000) == RowOrder::natural);
  CHECK(of_columns(20, 207'000) == RowOrder::natural);
  CHECK(plan(18).order == RowOrder::natural);  // three loads
  const auto in_fp32 = [&](std::int64_t k, std::int64_t cols, std::int64_t rows = 1'000'000) {
    return choose_plan(even, rows, cols, k, 4).order;
  };
  for (const std::int64_t k : {24, 28}) {
    CHECK(in_fp32(k, 1'000'000, 980'000) == RowOrder::packed);  // 6.12 entries a row
    CHECK(in_fp32(k, 1'000'000) == RowOrder::short_rows);
  }
  CHECK(in_fp32(22, 1'000'000) == RowOrder::natural);  // loads of 8 bytes
  CHECK(in_fp32(32, 1'000'000) == RowOrder::short_rows);
  CHECK(in_fp32(32, 1'000'000, 790'000) == RowOrder::packed);  // 7.6
  CHECK(in_fp32(40, 200'000) == RowOrder::packed);
  CHECK(in_fp32(44, 180'000) == RowOrder::packed);
  CHECK(in_fp32(44, 190'000) == RowOrder::natural);
  CHECK(in_fp32(44, 180'000, 790'000) == RowOrder::packed);
  CHECK(in_fp32(48, 160'000, 790'000) == RowOrder::natural);
  CHECK(plan(22, 790'000).order == RowOrder::packed);
  CHECK(plan(24, 790'000).order == RowOrder::natural);
  CHECK(plan(22, 810'000).order == RowOrder::natural);  // 7.4
  CHECK(plan(32).order == RowOrder::natural);
  CHECK(plan(8, 60'000).log_slots > 0);
  CHECK(plan(8, 60'000).order == RowOrder::natural);
  for (std::int64_t k = 1; k < 200; ++k) {
    for (const std::size_t bytes : {8, 4, 2}) {
      BalancedPlan lanes{};
      choose_lanes(lanes, k, static_cast<unsigned>(k), bytes);
      const bool fits = k / lanes.width <= 32;
      CHECK(order_refusal(RowOrder::packed, 0, k, bytes).empty() == fits);
      choose_packed_lanes(lanes, k);
      CHECK((!fits || (lanes.log_lanes <= 5 && lanes.width << lanes.log_lanes >= k)));
    }
  }
  CHECK(order_refusal(RowOrder::packed, 0, 33) ==
        "path packed takes at most 32 loads of a row of X; K = 33 makes 33");
  CHECK(packed_threads(2.9) == 256);
  CHECK(packed_threads(3) == 128);
  CHECK(BalancedPolicy::packed_batch(7.4) == 2);
  CHECK(BalancedPolicy::packed_batch(7.5) == 4);
}

TEST_CASE("rows are not packed with few slots for segments where these would end last") {
  RowStatistics statistics{};
  statistics.short_entries = statistics.padded_entries = 2'400'000;
  statistics.sampled_entries = statistics.near.entries = 100;
  statistics.longest = 50'000;
  statistics.bin_rows[5] = 1;
  const auto order = [&](std::int64_t k, int segment) {
    return choose_plan(statistics, 400'000, 400'000, k, 8, segment).order;
  };
  for (const std::int64_t k : {3, 5, 7}) {
    INFO("k = " << k);
    const int turns = (k == 3 ? 11 : 23) / 3, entries = k == 3 ? 32 : 16;  // a round of a warp
    statistics.segments = 300;
    CHECK(order(k, (turns + 1) * entries - 1) == RowOrder::packed);
    CHECK(order(k, (turns + 1) * entries) == (k == 3 ? RowOrder::flat : RowOrder::natural));
    CHECK(choose_plan(statistics, 400'000, 400'000, k, 8, (turns + 1) * entries, true).order ==
          RowOrder::natural);  // few calls
    statistics.segments = 0;
    CHECK(order(k, (turns + 1) * entries) == RowOrder::packed);
  }
  statistics.segments = 300;
  const auto half = [&](unsigned long long entries) {
    statistics.short_entries = statistics.padded_entries = entries;
    return choose_plan(statistics, 400'000, 400'000, 3, 4, 1024).order;
  };
  CHECK(half(749'999) == RowOrder::flat);
  CHECK(half(750'000) == RowOrder::natural);
  CHECK(half(99'999) == RowOrder::natural);
  statistics.short_entries = statistics.padded_entries = 2'400'000;
  for (const std::int64_t k : {4, 8, 10}) {
    INFO("k = " << k);
    CHECK(order(k, 1024) == RowOrder::packed);
  }
  CHECK(order(9, 383) == RowOrder::packed);  // 16 lanes, 47 turns
  CHECK(order(9, 384) == RowOrder::natural);
  CHECK(choose_plan(statistics, 400'000, 200'000, 20, 8, 383).order == RowOrder::packed);
  CHECK(choose_plan(statistics, 400'000, 200'000, 20, 8, 384).order == RowOrder::natural);
}
