// The rounds of the sampling loop on a fake clock: their order, when a cell ends, and when all
// samples are taken once more.
#include <algorithm>
#include <set>

#include "support/catch.hpp"
#include "support/scripted_cell.hpp"

namespace sparserepro {

using namespace testing;

TEST_CASE("most samples disturbed: all are taken once more, the calmer attempt stands",
          "[sampling]") {
  const auto count = [](int n) { return 1.0 + n; };
  ScriptedCell calm(count);
  const Timing second =
      sample(calm, exactly(4), ScriptedWaits({1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0}));
  CHECK(second.disturbance.attempts == std::vector<double>{0.75, 0.25});
  CHECK(second.kernel_s == std::vector<double>{12.0, 14.0, 16.0, 18.0});
  CHECK(second.disturbance.disturbed == 1);
  CHECK(second.stop == "repetitions");

  ScriptedCell busy(count);
  const Timing first =
      sample(busy, exactly(4), ScriptedWaits({1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0}));
  CHECK(first.disturbance.attempts == std::vector<double>{0.75, 0.75});
  CHECK(first.kernel_s == std::vector<double>{4.0, 6.0, 8.0, 10.0});

  ScriptedCell half(count);  // not more than the share
  CHECK(sample(half, exactly(4), ScriptedWaits({1.0, 0.0, 1.0, 0.0})).disturbance.attempts.size() ==
        1);
  ScriptedCell never(count);
  TimingOptions options = exactly(4);
  options.again = 1.0;
  CHECK(sample(never, options, ScriptedWaits({1.0, 1.0, 1.0, 1.0})).disturbance.attempts.size() ==
        1);
}

TEST_CASE("the time cap ends a cell, but not before the least number of samples", "[sampling]") {
  TimingOptions options{.warmup = 1,
                        .repetitions = 25,
                        .min_repetitions = 10,
                        .max_repetitions = 100,
                        .precision = 0.0,
                        .time_cap_s = 3.0};
  ScriptedCell slow(always(2.0));
  Timing timing = sample(slow, options);
  CHECK(timing.stop == "time_cap");
  CHECK(timing.kernel_s.size() == 10);

  ScriptedCell faster(always(0.25));
  timing = sample(faster, options);
  CHECK(timing.stop == "time_cap");
  CHECK(timing.kernel_s.size() == 12);  // 3 s of timed executions

  ScriptedCell short_ones(always(1.05e-5));  // a batch of 11: 0.1155 ms a sample
  options.time_cap_s = 0.0023;
  CHECK(sample(short_ones, options).kernel_s.size() == 20);
}

TEST_CASE("half the interval's width over the median ends a cell", "[sampling]") {
  // Of 25 samples 1.00, 1.01, ..., 1.24 the interval is from the 8th to the 18th: 1.07 to 1.17,
  // half of which is 4.46 % of the median 1.12. A sample is every other execution.
  const auto spread = [](int n) { return 1.0 + 0.01 * (n / 2 * 7 % 25); };
  TimingOptions options{.warmup = 0,
                        .repetitions = 25,
                        .min_repetitions = 10,
                        .max_repetitions = 26,
                        .precision = 0.0447,
                        .time_cap_s = 1e9};
  ScriptedCell within([=](int n) { return spread(n - 2); });  // the estimate takes two executions
  Timing timing = sample(within, options);
  CHECK(timing.stop == "precision");
  CHECK(timing.kernel_s.size() == 25);

  options.precision = 0.0445;
  ScriptedCell beyond([=](int n) { return spread(n - 2); });
  timing = sample(beyond, options);
  CHECK(timing.stop == "repetitions");
  CHECK(timing.kernel_s.size() == 26);
}

TEST_CASE("preparation is sampled as often as the kernel, by itself", "[sampling]") {
  ScriptedCell cell(always(1.0));
  cell.prepares = true;
  TimingOptions options = exactly(4);
  Timing timing = sample(cell, options);
  CHECK(timing.preprocess_s == std::vector<double>{6.0, 7.0, 8.0, 9.0});  // the first is untimed
  CHECK(cell.clock.take_log().starts_with("prepare " + repeated("[ prepare ]", 4) + " discard"));

  ScriptedCell flushed(always(1.0));
  flushed.prepares = true;
  options.flush = true;
  timing = sample(flushed, options);
  CHECK(timing.preprocess_s == std::vector<double>{5.0, 6.0, 7.0, 8.0});
  CHECK(flushed.clock.take_log().starts_with(repeated("flush [ prepare ]", 4) + " flush"));

  ScriptedCell capped(always(1.0));
  capped.prepares = true;
  options = exactly(25);
  options.flush = false;
  options.min_repetitions = 3;
  options.time_cap_s = 10.0;
  CHECK(sample(capped, options).preprocess_s.size() == 3);
}

namespace {

/// The order of the samples with this seed, one letter a cell.
std::string order(std::uint64_t seed) {
  std::string letters;
  std::vector<std::unique_ptr<ScriptedCell>> cells;
  std::vector<Sampler*> samplers;
  std::vector<Timing> timings(6);
  std::vector<Timing*> pointers;
  for (std::size_t c = 0; c < timings.size(); ++c) {
    const auto timed = [&letters, c](int n) {  // executions are alternately untimed and timed
      letters += n % 2 == 1 ? std::string(1, static_cast<char>('a' + c)) : "";
      return 1.0;
    };
    cells.push_back(std::make_unique<ScriptedCell>(timed));
    samplers.push_back(cells.back().get());
    pointers.push_back(&timings[c]);
  }
  TimingOptions options = exactly(5);
  options.seed = seed;
  Progress progress(true);
  ScriptedWaits waits;
  sample_interleaved(samplers, pointers, options, progress, waits);
  return letters.substr(timings.size());  // without the samples of the estimates
}

}  // namespace

TEST_CASE("cells are sampled side by side in an order of the seed", "[sampling]") {
  const std::string first = order(1);
  REQUIRE(first.size() == 30);
  std::set<std::string> rounds;
  for (int round = 0; round < 5; ++round) {
    std::string cells = first.substr(6 * round, 6);
    rounds.insert(cells);
    std::sort(cells.begin(), cells.end());
    CHECK(cells == "abcdef");  // each cell once a round
  }
  CHECK(rounds.size() > 1);
  CHECK(order(1) == first);
  CHECK(order(2) != first);
}

}  // namespace sparserepro
