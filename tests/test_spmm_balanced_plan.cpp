// The plan of cuda_csr_balanced for K and the rows: host code, at its thresholds.
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "formats/ceil_div.hpp"
#include "spmm/cuda_csr_balanced/plan.hpp"
#include "support/catch.hpp"

using namespace sparserepro;

TEST_CASE("lanes and loads hold as many columns as the column block says") {
  for (std::int64_t k = 1; k <= 300; ++k) {
    for (const unsigned columns : {1U, 8U, 32U, 64U, 128U}) {
      BalancedPlan plan{};
      choose_lanes(plan, k, columns);
      INFO("k = " << k << ", " << columns << " columns");
      CHECK(k % plan.width == 0);
      CHECK(plan.column_block == static_cast<unsigned>(plan.width * plan.loads) << plan.log_lanes);
      CHECK(plan.log_lanes <= 5);
      CHECK((plan.column_block < 2 * columns || plan.column_block <= 2));
      CHECK((plan.column_block >= std::min<std::int64_t>(k, columns) || plan.log_lanes == 5));
    }
  }
}

TEST_CASE("rows go in groups, in bins, as a stream or as they are") {
  const auto order = [](RowStatistics statistics, std::int64_t mean, std::int64_t k) {
    constexpr std::int64_t rows = 1'000'000;
    for (unsigned long long* const count : {&statistics.short_entries, &statistics.padded_entries,
                                            &statistics.looked_entries, &statistics.same_entries}) {
      *count *= static_cast<unsigned long long>(rows * mean) / 1000;
    }
    return choose_plan(statistics, rows, 1000, k).order;
  };
  RowStatistics even{};
  even.short_entries = even.looked_entries = 1000;
  even.padded_entries = 1100;
  even.longest = 100;
  even.bin_rows[8] = 1;
  CHECK(order(even, 20, 32) == RowOrder::natural);
  CHECK(order(even, 2, 32) == RowOrder::streamed);
  CHECK(order(even, 3, 32) == RowOrder::natural);
  CHECK(order(even, 2, 128) == RowOrder::streamed);
  CHECK(order(even, 3, 128) == RowOrder::natural);
  CHECK(order(even, 4, 100) == RowOrder::streamed);  // two loads hold all columns
  CHECK(order(even, 5, 100) == RowOrder::natural);
  CHECK(order(even, 5, 16) == RowOrder::packed);
  CHECK(order(even, 5, 20) == RowOrder::packed);
  CHECK(order(even, 5, 21) == RowOrder::natural);
  CHECK(order(even, 60, 20) == RowOrder::natural);  // two slots
  CHECK(order(even, 5, 24) == RowOrder::natural);   // three loads
  CHECK(order(even, 2, 15) == RowOrder::packed);
  CHECK(order(even, 2, 16) == RowOrder::streamed);  // tiny rows, whatever their lanes
  CHECK(order(even, 2, 21) == RowOrder::streamed);
  CHECK(order(even, 2, 96) == RowOrder::streamed);
  CHECK(order(even, 3, 16) == RowOrder::packed);
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
  CHECK(order(uneven, 1, 8) == RowOrder::packed);
  CHECK(order(uneven, 1, 64) == RowOrder::streamed);
  uneven.longest = 9;
  CHECK(order(uneven, 1, 8) == RowOrder::binned);
  uneven.longest = 100;
  uneven.padded_entries = 3100;
  CHECK(order(uneven, 4, 8) == RowOrder::binned);
  CHECK(order(uneven, 5, 8) == RowOrder::binned);
  CHECK(order(uneven, 20, 64) == RowOrder::binned);
  CHECK(order(uneven, 5, 32) == RowOrder::binned);
  CHECK(order(uneven, 5, 64) == RowOrder::binned);
  CHECK(order(uneven, 5, 96) == RowOrder::binned);
  RowStatistics alike = uneven;
  alike.same_entries = 700;
  CHECK(order(alike, 5, 16) == RowOrder::grouped);
  alike.same_entries = 500;
  CHECK(order(alike, 5, 16) == RowOrder::binned);
  CHECK(choose_plan(RowStatistics{}, 0, 1000, 4).order == RowOrder::packed);
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
  CHECK(order(17'000, 5000, 1, 8192) == RowOrder::binned);  // several parts: a second kernel
  CHECK(order(1'700'000, 574, 16, 1024) == RowOrder::packed);
}

TEST_CASE("one column: flat where rows are uneven, cut, or long and far from the diagonal") {
  RowStatistics even{};
  even.short_entries = even.looked_entries = 19'000'000;
  even.padded_entries = 20'000'000;
  even.sampled_entries = even.near.entries = 100;
  const auto order = [](const RowStatistics& statistics, std::int64_t k) {
    return choose_plan(statistics, 1'000'000, 1'000'000, k).order;
  };
  CHECK(order(even, 1) == RowOrder::natural);
  RowStatistics spread = even;
  spread.near.distances = 100 * 2000;
  CHECK(order(spread, 1) == RowOrder::flat);
  RowStatistics far = even;
  far.near.entries = 10;
  CHECK(order(far, 1) == RowOrder::flat);
  CHECK(order(far, 2) == RowOrder::natural);
  for (const auto& [entries, chosen] : {std::pair{20'000'000ULL, RowOrder::flat},
                                        {31'900'000ULL, RowOrder::flat},
                                        {32'000'000ULL, RowOrder::natural}}) {
    RowStatistics near = even;
    near.short_entries = near.padded_entries = entries;
    CHECK(order(near, 1) == chosen);
  }
  far.short_entries = far.padded_entries = 3'000'000;
  CHECK(order(far, 1) == RowOrder::natural);
  const auto small = [&](RowStatistics statistics) {
    statistics.short_entries = statistics.padded_entries = 1'000'000;
    return choose_plan(statistics, 40'000, 40'000, 1).order;
  };
  CHECK(small(spread) == RowOrder::flat);
  CHECK(small(even) == RowOrder::natural);  // 25 entries a row, near the diagonal
  spread.repeated_entries = 60;             // neighbouring rows share columns
  CHECK(small(spread) == RowOrder::natural);
  CHECK(order(spread, 1) == RowOrder::natural);
  far.short_entries = far.padded_entries = 19'000'000;
  far.repeated_entries = 60;
  CHECK(small(far) == RowOrder::natural);
  CHECK(order(far, 1) == RowOrder::flat);
  RowStatistics uneven = even;
  uneven.padded_entries = 70'000'000;
  uneven.longest = 100;
  CHECK(order(uneven, 1) == RowOrder::flat);
  CHECK(order(uneven, 3) == RowOrder::binned);
  RowStatistics cut = even;
  cut.segments = 2;
  CHECK(order(cut, 1) == RowOrder::flat);
  cut.same_entries = 14'000'000;
  CHECK(order(cut, 1) == RowOrder::grouped);
}

TEST_CASE("few calls with one column need no statistics") {
  constexpr std::int64_t paying = BalancedPolicy::paying_calls;
  CHECK(order_without_statistics(1, 0) == RowOrder::automatic);  // many
  CHECK(order_without_statistics(1, 1) == RowOrder::merged);
  CHECK(order_without_statistics(1, paying - 1) == RowOrder::merged);
  CHECK(order_without_statistics(1, paying) == RowOrder::automatic);
  CHECK(order_without_statistics(2, 1) == RowOrder::automatic);
}

TEST_CASE("rows of one slot are packed below K = 22, by blocks and batches for their mean") {
  RowStatistics even{};
  even.short_entries = even.padded_entries = 6'000'000;
  even.sampled_entries = even.near.entries = 100;
  const auto plan = [&](std::int64_t k, std::int64_t rows = 1'000'000) {
    return choose_plan(even, rows, 1'000'000, k);
  };
  for (std::int64_t k = 3; k < 18; ++k) {
    CHECK((plan(k).order == RowOrder::packed) == (k < 15 || k % 2 == 0));
  }
  CHECK(plan(15, 1'300'000).order == RowOrder::natural);  // 4.6 entries a row
  CHECK(plan(15, 1'350'000).order == RowOrder::packed);
  CHECK(plan(17, 1'350'000).order == RowOrder::packed);
  CHECK(plan(1).order == RowOrder::natural);
  const auto of_columns = [&](std::int64_t k, std::int64_t cols) {
    return choose_plan(even, 1'000'000, cols, k).order;
  };
  CHECK(of_columns(20, 206'000) == RowOrder::packed);  // X in 33 MB
  CHECK(of_columns(22, 187'000) == RowOrder::natural);
  CHECK(of_columns(20, 207'000) == RowOrder::natural);
  CHECK(plan(18).order == RowOrder::natural);  // three loads
  CHECK(plan(32).order == RowOrder::natural);
  CHECK(plan(32, 500'000).order == RowOrder::natural);
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

TEST_CASE("rows are not packed with odd K below 9 where segments would end last") {
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
    const int turns = k == 3 ? 11 : 23, entries = k == 3 ? 32 : 16;  // a round of a warp
    statistics.segments = 300;
    CHECK(order(k, (turns + 1) * entries - 1) == RowOrder::packed);
    CHECK(order(k, (turns + 1) * entries) == RowOrder::natural);
    statistics.segments = 0;
    CHECK(order(k, (turns + 1) * entries) == RowOrder::packed);
  }
  statistics.segments = 300;
  for (const std::int64_t k : {4, 8, 9}) {
    INFO("k = " << k);
    CHECK(order(k, 1024) == RowOrder::packed);
  }
}

TEST_CASE("odd K from 5 to 15 take two loads of one column") {
  for (std::int64_t k = 1; k < 40; ++k) {
    BalancedPlan plan{};
    choose_lanes(plan, k, 128);
    INFO("k = " << k);
    CHECK((plan.loads == 2) == (k % 2 == 1 && ((k >= 5 && k < 16) || k > 32)));
  }
}

TEST_CASE("rows are not cut when the longest is short enough") {
  CHECK(uncut_entries(1) == 1024);
  CHECK(uncut_entries(2) == 1024);
  CHECK(uncut_entries(3) == 256);
  CHECK(uncut_entries(64) == 32);
}

TEST_CASE("blocks take long rows where teams have up to 8 lanes") {
  const auto of = [](std::int64_t rows, std::int64_t nnz, std::int64_t k) {
    const BlockRows out = block_rows(rows, nnz, segment_entries(rows, nnz, k), k);
    return std::pair{out.from, out.most};
  };
  CHECK(of(20'000, 120'000, 1) == std::pair{256, 5120});
  CHECK(of(20'000, 120'000, 4) == std::pair{128, 2560});
  CHECK(of(20'000, 120'000, 8) == std::pair{64, 1280});
  CHECK(of(20'000, 120'000, 16) == std::pair{32, 640});
  CHECK(of(20'000, 120'000, 20).second == 0);
  CHECK(of(20'000, 120'000, 64).second == 0);
  CHECK(of(20'000, 1'500'000, 4).first == 512);               // more than twice the mean
  CHECK(of(800'000, 6'000'000, 4) == std::pair{1024, 4096});  // the device's share is long
}

TEST_CASE("lanes that add up segments leave slots for those of the longest row") {
  CHECK(choose_combine_log_lanes(500, 100, 64) == 5);
  CHECK(choose_combine_log_lanes(7000, 100, 64) == 4);
  CHECK(choose_combine_log_lanes(100000, 256, 64) == 2);
  CHECK(choose_combine_log_lanes(500, 100, 3) == 2);
  CHECK(choose_combine_log_lanes(500, 100, 1) == 0);
}

TEST_CASE("parts of long rows of the flat product have an upper bound") {
  constexpr int part = BalancedPolicy::flat_part;
  for (const std::int64_t nnz : {std::int64_t{1}, BalancedPolicy::least_flat_of_blocks}) {
    const FlatShape shape = flat_shape(nnz);
    CHECK(shape.by_warps == (nnz == 1));
    CHECK(shape.stride % 4 == 0);
    CHECK(shape.stride <= shape.longest);
    CHECK(shape.longest == 1 << log2_ceil(shape.longest));
  }
  const FlatShape shape{480, 512, false};
  RowStatistics statistics{};
  statistics.bin_rows[10] = 7;  // of 257 to 512 entries
  statistics.longest = 512;
  CHECK(flat_parts(statistics, 1 << 20, shape) == 0);
  CHECK(flat_parts(statistics, 1 << 20, {112, 128, true}) == 7);
  statistics.bin_rows[11] = 2;
  statistics.long_rows[11] = 3;
  statistics.longest = 513;
  CHECK(flat_parts(statistics, 1 << 20, shape) == 5);
  CHECK(flat_parts(statistics, 4 * 512, shape) == 4);  // there is no room for more
  statistics.long_rows[14] = 1;
  statistics.longest = 10 * part;
  CHECK(flat_parts(statistics, 20 * part, shape) == 6 + 20);
}

TEST_CASE("rows that do not fill the device get more slots and no groups") {
  RowStatistics statistics{};
  statistics.sampled_entries = 1;
  const auto plan = [&](std::int64_t rows, std::int64_t k) {
    statistics.short_entries = statistics.padded_entries =
        static_cast<unsigned long long>(60 * rows);
    statistics.looked_entries = statistics.short_entries;
    statistics.same_entries = statistics.short_entries * 2 / 3;
    return choose_plan(statistics, rows, 5000, k);
  };
  constexpr std::int64_t full = BalancedPolicy::device_warps;
  CHECK(plan(3 * full, 64).order == RowOrder::grouped);
  CHECK(plan(3 * full - 1, 64).order == RowOrder::natural);
  CHECK(plan(3 * full, 64).log_slots == 0);
  CHECK(plan(2 * full, 16).log_slots == 1);  // 8 lanes, 2 slots: 16 threads a row
  CHECK(plan(2 * full - 2, 16).log_slots == 2);
  CHECK(plan(10, 16).log_slots == 2);  // a warp a row
}

TEST_CASE("groups have four rows where runs of equal rows fill them") {
  RowStatistics statistics{};
  const auto of_runs = [&](std::uint64_t run) {
    statistics.short_entries = statistics.padded_entries = statistics.looked_entries = 60'000'000;
    statistics.same_entries = statistics.looked_entries / run * (run - 1);
    return choose_plan(statistics, 1'000'000, 1'000'000, 8);
  };
  for (const auto& [run, rows] : {std::pair{3, 3}, {4, 4}, {5, 3}, {6, 3}, {8, 4}, {40, 4}}) {
    INFO("runs of " << run);
    const BalancedPlan plan = of_runs(static_cast<std::uint64_t>(run));
    CHECK(plan.order == RowOrder::grouped);
    CHECK(plan.group_rows == rows);
  }
}

TEST_CASE("a segment is a share of the entries, within limits") {
  constexpr std::int64_t warps = BalancedPolicy::device_warps;
  constexpr std::int64_t rows = 1 << 30;
  CHECK(segment_entries(0, 0, 64) == 32);
  CHECK(segment_entries(rows, 100 * warps, 64) == 100);
  CHECK(segment_entries(warps, 60 * warps, 64) == 120);  // twice the mean
  CHECK(segment_entries(rows, std::int64_t{1} << 32, 64) == 256);
  CHECK(segment_entries(10, 60 * warps, 64) == 60);  // 10 rows do not fill the device
  CHECK(segment_entries(rows, 0, 1) == 256);
  CHECK(segment_entries(rows, 0, 4) == 512);
  CHECK(segment_entries(rows, std::int64_t{1} << 32, 1) == 2048);
}

TEST_CASE("columns at once: so many that rows of X used again soon stay in L2") {
  RowStatistics statistics{};
  statistics.sampled_entries = statistics.near.entries = 100;
  const auto columns = [&](std::int64_t cols, std::int64_t k = 128, std::size_t bytes = 8) {
    return choose_plan(statistics, 100, cols, k, bytes).column_block;
  };
  CHECK(columns(1000) == 128);
  statistics.near.distances = 100 * 5000;  // 20,000 rows of X within reach
  CHECK(columns(1'000'000) == 64);
  CHECK(columns(1'000'000, 128, 4) == 128);
  statistics.near.distances = 100 * 16000;
  CHECK(columns(1'000'000) == 16);
  CHECK(columns(1'000'000, 128, 4) == 32);
  statistics.near = {10, 100};
  CHECK(columns(4000) == 128);
  CHECK(columns(100'000) == 32);
  CHECK(columns(500'000) == 16);
  CHECK(columns(500'000, 48) == 16);
  CHECK(columns(500'000, 100) == 64);  // blocks of 16 would begin within lines
  statistics.short_entries = 100;
  statistics.padded_entries = 400;  // uneven rows: hub columns, which L2 holds
  CHECK(columns(500'000) == 64);
  statistics.padded_entries = 200;
  CHECK(columns(500'000, 128, 4) == 32);
  CHECK(columns(1'000'000) == 64);
  CHECK(columns(1'000'000, 8) == 8);
  CHECK(columns(1'000'000, 1) == 1);
  statistics.middle = {95, 95 * 30000};  // a wide band
  CHECK(columns(900'000) == 16);
  CHECK(columns(200'000) == 16);
  statistics.middle = {};
  statistics.repeated_entries = 20;  // neighbouring rows share columns
  CHECK(columns(500'000) == 128);
}

TEST_CASE("a stream takes 32 lanes with one load, and two loads where they hold all columns") {
  const auto columns = [](std::int64_t k) {
    BalancedPlan plan{};
    choose_lanes(plan, k, 128);
    choose_stream_lanes(plan, k);
    return plan.column_block;
  };
  CHECK(columns(16) == 16);
  CHECK(columns(64) == 64);
  CHECK(columns(100) == 128);
  CHECK(columns(128) == 64);
  CHECK(columns(300) == 64);
  CHECK(stream_task_entries(32) == 32);
  CHECK(stream_task_entries(256) == BalancedPolicy::task_entries);
}

TEST_CASE("a stream has a million entries and rows at least") {
  const auto order = [](std::int64_t rows, std::int64_t mean) {
    RowStatistics statistics{};
    statistics.short_entries = statistics.padded_entries =
        static_cast<unsigned long long>(rows * mean);
    return choose_plan(statistics, rows, 1000, 64).order;
  };
  CHECK(order(500'000, 1) == RowOrder::streamed);
  CHECK(order(499'999, 1) == RowOrder::natural);
}

TEST_CASE("rows take two or three loads of a power of two of lanes, which hold their columns") {
  for (std::int64_t k = BalancedPolicy::halved_below + 1; k <= 300; ++k) {
    for (const unsigned columns : {1U, 8U, 32U, 64U, 128U}) {
      BalancedPlan plan{};
      choose_lanes(plan, k, columns);
      const std::int64_t blocks = ceil_div(k, std::int64_t{plan.column_block});
      choose_row_lanes(plan, 1'000'000, 5, k);
      INFO("k = " << k << ", " << columns << " columns");
      CHECK(plan.column_block == static_cast<unsigned>(plan.width * plan.loads) << plan.log_lanes);
      CHECK(plan.column_block * blocks >= k);
      CHECK((plan.loads == 1 ? plan.log_lanes <= 3 : plan.log_lanes >= 2));
      CHECK((plan.loads <= 3 || (plan.loads == 5 && plan.log_lanes == 3)));
      CHECK(plan.log_lanes <= 5);
      CHECK((plan.loads == 1 || 3 * vectors_of_block(plan, k) > 2 * plan.loads << plan.log_lanes));
    }
  }
  const auto loads = [](std::int64_t k, double mean) {
    BalancedPlan plan{};
    choose_lanes(plan, k, 128);
    choose_row_lanes(plan, 1'000'000, mean, k);
    return std::tuple{plan.loads, 1 << plan.log_lanes, plan.batch};
  };
  CHECK(loads(16, 5) == std::tuple{1, 8, 4});
  CHECK(loads(20, 5) == std::tuple{3, 4, 2});
  CHECK(loads(32, 5) == std::tuple{2, 8, 2});
  CHECK(loads(31, 5) == std::tuple{2, 16, 2});
  for (const std::int64_t k : {33, 35, 37, 39}) {
    CHECK(loads(k, 5) == std::tuple{5, 8, 3});
    CHECK(loads(k, 55.9) == std::tuple{5, 8, 3});
    CHECK(loads(k, 56) == std::tuple{3, 16, 2});  // two slots
  }
  CHECK(loads(41, 5) == std::tuple{3, 16, 2});
  BalancedPlan binned{};
  binned.order = RowOrder::binned;
  choose_lanes(binned, 33, 128);
  choose_row_lanes(binned, 1'000'000, 5, 33);
  CHECK(binned.loads == 3);
  CHECK(loads(64, 23.9) == std::tuple{2, 16, 2});
  CHECK(loads(64, 24) == std::tuple{2, 16, 4});
  CHECK(loads(96, 100) == std::tuple{3, 16, 2});
  CHECK(loads(128, 5) == std::tuple{2, 32, 2});
}

TEST_CASE("slots are a power of two that leaves each its entries") {
  const auto log_slots = [](double entries, int log_lanes, bool far, int log_more = 0) {
    BalancedPlan plan{};
    plan.loads = 1;
    plan.batch = BalancedPolicy::unroll(1, 1);
    plan.log_lanes = log_lanes;
    plan.far = far;
    plan.log_more = log_more;
    return choose_log_slots(entries, plan);
  };
  CHECK(log_slots(0.0, 0, false) == 0);
  CHECK(log_slots(27.0, 0, false) == 2);
  CHECK(log_slots(20.0, 0, true) == 3);
  CHECK(log_slots(1e6, 0, true) == 5);
  CHECK(log_slots(1e6, 3, true) == 2);
  CHECK(log_slots(1e6, 5, true) == 0);
  CHECK(log_slots(30.0, 2, false, 1) == 2);
  CHECK(log_slots(30.0, 2, false, 3) == 2);  // with eight, a slot would have less than a batch
  CHECK(log_slots(1e6, 3, false, 3) == 2);
}

TEST_CASE("blocks that take rows in the order of A fetch its entries ahead, where that pays") {
  BalancedPlan plan{};
  plan.order = RowOrder::natural;
  plan.column_block = 16;
  const auto fetches = [&](std::int64_t rows, std::int64_t nnz) {
    return choose_ahead(plan, rows, nnz, 8).entries > 0;
  };
  const Ahead ahead = choose_ahead(plan, 100'000, 480'000, 8);
  CHECK(ahead.entries == 39);
  CHECK(ahead.rows == 8);
  CHECK(ahead.distance == BalancedPolicy::ahead_entries / 48 * 10);
  CHECK(fetches(100'000, 150'000));
  CHECK_FALSE(fetches(100'000, 149'999));
  CHECK_FALSE(fetches(0, 0));
  for (const RowOrder order : {RowOrder::binned, RowOrder::streamed, RowOrder::uncut}) {
    plan.order = order;
    CHECK_FALSE(fetches(100'000, 480'000));
  }
  plan.order = RowOrder::grouped;
  CHECK(fetches(100'000, 480'000));
  plan.order = RowOrder::packed;
  plan.column_block = 7;
  CHECK_FALSE(fetches(100'000, 480'000));
  plan.column_block = 8;
  CHECK(fetches(100'000, 480'000));
  plan.far = true;
  CHECK_FALSE(fetches(100'000, 800'000));
  CHECK(fetches(100'001, 800'000));
  plan.column_block = 32;
  CHECK(fetches(100'000, 800'000));
  CHECK(choose_ahead(plan, 100'000, 800'000, 8, 4).entries == 0);
}

TEST_CASE("rows of a wide reach, and other types than fp64, are streamed up to 8 entries") {
  RowStatistics statistics{};
  statistics.sampled_entries = statistics.near.entries = statistics.middle.entries = 1000;
  statistics.repeated_entries = 300;
  const auto order = [&](unsigned long long distance, unsigned long long mean,
                         std::size_t bytes = 8) {
    statistics.short_entries = statistics.padded_entries = mean * 1'000'000;
    statistics.near.distances = statistics.middle.distances = distance * 1000;
    return choose_plan(statistics, 1'000'000, 1'000'000, 128, bytes).order;
  };
  static_assert(BalancedPolicy::window_bytes == 12e6);  // 4 x 2929 x 128 x 8
  CHECK(order(2929, 7) == RowOrder::natural);
  CHECK(order(2930, 7) == RowOrder::streamed);
  CHECK(order(2930, 8) == RowOrder::natural);
  CHECK(order(100, 7, 4) == RowOrder::streamed);
  CHECK(order(100, 8, 4) == RowOrder::natural);
}
