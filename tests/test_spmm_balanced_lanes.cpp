// Lanes, loads, slots and segments that cuda_csr_balanced plans for K and the rows: host code.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "formats/ceil_div.hpp"
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
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

TEST_CASE("odd K from 5 to 15 take two loads of one column") {
  for (std::int64_t k = 1; k < 40; ++k) {
    BalancedPlan plan{};
    choose_lanes(plan, k, 128);
    INFO("k = " << k);
    CHECK((plan.loads == 2) == (k % 2 == 1 && ((k >= 5 && k < 16) || k > 32)));
  }
}

TEST_CASE("blocks take long rows where teams have up to 8 lanes") {
  const auto of = [](std::int64_t rows, std::int64_t nnz, std::int64_t k) {
    const BlockRows out = block_rows(rows, nnz, segment_entries(rows, nnz, k), k);
    return std::pair{out.from, out.most};
  };
  CHECK(of(20'000, 120'000, 1) == std::pair{256, 4096});
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

TEST_CASE("a segment is a share of the entries, within limits") {
  constexpr std::int64_t warps = BalancedPolicy::device_warps;
  constexpr std::int64_t rows = 1 << 30;
  CHECK(segment_entries(0, 0, 64) == 32);
  CHECK(segment_entries(rows, 100 * warps, 64) == 100);
  CHECK(segment_entries(warps, 60 * warps, 64) == 120);  // twice the mean
  CHECK(segment_entries(rows, std::int64_t{1} << 32, 64) == 256);
  CHECK(segment_entries(10, 60 * warps, 64) == 60);  // 10 rows do not fill the device
  constexpr std::int64_t filling = BalancedPolicy::filling_rows;
  for (const std::int64_t k :
       {16, 64}) {  // one and a half times the mean, where rows fill a device
    CHECK(segment_entries(filling, 400 * filling, k) == 600);
    CHECK(segment_entries(filling - 1, 400 * (filling - 1), k) == 256);
  }
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
  statistics.padded_entries = 400;  // uneven rows
  CHECK(columns(500'000) == 16);
  statistics.repeated_entries = 1;  // more than by chance: hub columns, which L2 holds
  CHECK(columns(500'000) == 64);
  statistics.short_entries = 499'999;  // rows of 5,000 of 500,000 columns meet in 0.01 of them
  statistics.padded_entries = 2'000'000;
  CHECK(columns(500'000) == 64);
  statistics.short_entries = 500'000;
  CHECK(columns(500'000) == 16);
  statistics.short_entries = 100;
  statistics.padded_entries = 200;
  CHECK(columns(500'000, 128, 4) == 32);
  statistics.repeated_entries = 6;  // hub columns
  CHECK(columns(500'000) == 64);
  CHECK(columns(4000) == 128);
  statistics.repeated_entries = 5;
  CHECK(columns(500'000) == 16);
  statistics.repeated_entries = 0;
  CHECK(columns(1'000'000) == 64);
  CHECK(columns(1'000'000, 8) == 8);
  CHECK(columns(1'000'000, 1) == 1);
  for (const std::int64_t k : {65, 95, 128, 256}) {
    CHECK(columns(1'000'000, k) == 64);
  }
  for (const std::int64_t k : {96, 100, 126}) {  // a block of 64 and at least half of one
    CHECK(columns(1'000'000, k) == 128);
  }
  CHECK(columns(218'000) == 32);
  CHECK(columns(219'000) == 16);
  CHECK(columns(218'000, 128, 4) == 64);
  CHECK(columns(219'000, 128, 4) == 32);
  statistics.middle = {95, 95 * 30000};  // a wide band
  CHECK(columns(900'000) == 16);
  statistics.middle.distances = 95 * 23000;
  CHECK(columns(900'000) == 32);
  CHECK(columns(180'000) == 32);  // no band: all of X is within reach
  statistics.middle = {};
  statistics.repeated_entries = 20;  // neighbouring rows share columns
  CHECK(columns(500'000) == 128);
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
      CHECK((plan.loads <= 3 || (plan.loads <= 8 && plan.log_lanes == 3 && k % 2 == 1)));
      CHECK(plan.log_lanes <= 5);
      CHECK((plan.loads == 1 || 3 * vectors_of_block(plan, k) > 2 * plan.loads << plan.log_lanes));
    }
  }
  const auto loads = [](std::int64_t k, double mean, bool far = false, std::size_t bytes = 8,
                        RowOrder order = RowOrder::natural) {
    BalancedPlan plan{};
    plan.order = order;
    plan.far = far;
    choose_lanes(plan, k, 128);
    choose_row_lanes(plan, 1'000'000, mean, k, bytes);
    return std::tuple{plan.loads, 1 << plan.log_lanes, plan.batch};
  };
  CHECK(loads(16, 5) == std::tuple{1, 8, 4});
  CHECK(loads(20, 5) == std::tuple{3, 4, 2});
  CHECK(loads(31, 5) == std::tuple{2, 16, 2});
  for (const std::int64_t k : {33, 39, 65, 79}) {
    CHECK(loads(k, 55.9, k == 39) == std::tuple{5, 8, 3});
    CHECK(loads(k, 56) == std::tuple{3, 16, 2});  // two slots
  }
  for (const auto& [k, most] : {std::pair{41, 6}, {49, 7}, {55, 7}, {57, 8}, {63, 8}, {99, 7}}) {
    CHECK(loads(k, 5) == (most == 8 ? std::tuple{2, 32, 2} : std::tuple{most, 8, 2}));
    CHECK(loads(k, 5, true, 4) == std::tuple{most, 8, 2});
    CHECK(std::get<0>(loads(k, 5, true)) == (k == 41 ? 3 : 2));
  }
  CHECK(loads(33, 5, false, 8, RowOrder::binned) == std::tuple{3, 16, 2});
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
  for (const RowOrder order : {RowOrder::binned, RowOrder::flat, RowOrder::uncut}) {
    plan.order = order;
    CHECK_FALSE(fetches(100'000, 480'000));
  }
  for (const RowOrder order : {RowOrder::grouped, RowOrder::short_rows}) {
    plan.order = order;
    CHECK(fetches(100'000, 480'000));
  }
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
  CHECK(plan(6 * full, 16).order == RowOrder::grouped);
  CHECK(plan(6 * full - 2, 16).order == RowOrder::natural);
  CHECK(plan(3 * full, 64).log_slots == 0);
  CHECK(plan(2 * full, 16).log_slots == 1);  // 8 lanes, 2 slots: 16 threads a row
  CHECK(plan(6464, 16).log_slots == 1);      // by four slots in two turns
  CHECK(plan(6462, 16).log_slots == 2);
  CHECK(plan(10, 16).log_slots == 2);  // a warp a row
}

TEST_CASE("slots are as many as let the rows end first") {
  BalancedPlan plan{};
  const auto log_slots = [&](std::int64_t rows, double mean, std::int64_t k) {
    choose_lanes(plan, k, static_cast<unsigned>(k));
    choose_slots(plan, rows, mean, k);
    return plan.log_slots;
  };
  CHECK(log_slots(6000, 51, 16) == 2);   // 8 lanes: 6000 warps by four slots, 6336 at once
  CHECK(log_slots(8000, 51, 16) == 1);   // 8000 by four
  CHECK(log_slots(15000, 51, 16) == 0);  // 7500 by two
  CHECK(log_slots(30000, 51, 8) == 2);   // 7500 by two, 15,000 by four
  CHECK(log_slots(3000, 8, 8) == 2);     // half a batch each
  plan.band = true;
  CHECK(log_slots(3000, 8, 8) == 1);
}
