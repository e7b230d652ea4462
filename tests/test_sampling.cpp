// The sampling loop on a fake clock: what precedes a sample, what is timed, and when a cell ends.
#include <algorithm>
#include <cmath>
#include <functional>
#include <new>
#include <set>

#include "common/sampling.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"

namespace sparserepro {
namespace {

/// A cell whose n-th execution (from 0) takes seconds(n). Its other operations take so long that a
/// sample that contains one is detected.
class ScriptedCell final : public Sampler {
 public:
  explicit ScriptedCell(std::function<double(int)> seconds)
      : timer_(clock), seconds_(std::move(seconds)) {}
  void execute() override { clock.pass("run", seconds_(executions_++)); }
  void discard() override { clock.pass("discard", 1000.0); }
  void preprocess() override { clock.pass("prepare", 5.0 + preparations_++); }
  bool has_preprocess() const override { return prepares; }
  std::unique_ptr<Timer> preprocess_timer() const override {
    return std::make_unique<FakeTimer>(clock);
  }
  FakeTimer& timer() override { return timer_; }
  int threads() const override { return 1; }
  void flush() override { clock.pass("flush", 2000.0); }

  mutable FakeClock clock;
  bool prepares = false;

 private:
  FakeTimer timer_;
  std::function<double(int)> seconds_;
  int executions_ = 0, preparations_ = 0;
};

std::function<double(int)> always(double seconds) {
  return [seconds](int) { return seconds; };
}

/// Tells shares of the time of samples, one after the other, and then nothing.
class ScriptedWaits final : public ThreadWaits {
 public:
  ScriptedWaits() = default;
  explicit ScriptedWaits(std::vector<double> shares) : shares_(std::move(shares)) {}
  void begin() override {}
  std::optional<double> longest() const override {
    if (next_ == shares_.size()) {
      return std::nullopt;
    }
    return shares_[next_++] > most_waited ? 1e9 : 0.0;
  }

 private:
  std::vector<double> shares_;
  mutable std::size_t next_ = 0;
};

Timing sample(ScriptedCell& cell, const TimingOptions& options,
              ScriptedWaits waits = ScriptedWaits()) {
  Progress progress(true);
  Timing timing;
  sample_interleaved({&cell}, {&timing}, options, progress, waits);
  return timing;
}

/// Options for exactly `samples` samples, whatever their spread.
TimingOptions exactly(int samples, int warmup = 0) {
  return {.warmup = warmup,
          .repetitions = samples,
          .min_repetitions = samples,
          .max_repetitions = samples,
          .precision = 0.0,
          .time_cap_s = 1e9};
}

std::string repeated(const std::string& text, int times) {
  std::string line;
  for (int i = 0; i < times; ++i) {
    line += (i == 0 ? "" : " ") + text;
  }
  return line;
}

}  // namespace

TEST_CASE("warm: an untimed execution precedes each sample, releases stay outside", "[sampling]") {
  ScriptedCell cell([](int n) { return 1.0 + n; });
  const Timing timing = sample(cell, exactly(3, 2));
  // Two warm-up executions, one sample of the estimate of the batch, three samples.
  CHECK(cell.clock.take_log() ==
        repeated("discard [ run ]", 2) + " " + repeated("discard run discard [ run ]", 4));
  CHECK(timing.warmup_s == std::vector<double>{1.0, 2.0});
  CHECK(timing.kernel_s == std::vector<double>{6.0, 8.0, 10.0});
  CHECK(timing.batch == 1);
  CHECK(timing.clock == "fake");
  CHECK(timing.stop == "repetitions");
  CHECK_FALSE(timing.queued.has_value());
  CHECK(timing.clock_mhz.empty());
}

TEST_CASE("flushed: the caches are emptied before each sample, which is one execution",
          "[sampling]") {
  ScriptedCell cell(always(1e-6));
  TimingOptions options = exactly(3, 1);
  options.flush = true;
  const Timing timing = sample(cell, options);
  CHECK(cell.clock.take_log() == "discard [ run ] " + repeated("flush discard [ run ]", 3));
  CHECK(timing.batch == 1);
}

TEST_CASE("a cell without memory for a sample is left, and the others go on", "[sampling]") {
  for (const int last : {0, 4}) {  // in the warm-up, and among the samples
    ScriptedCell lacking([=](int n) { return n != last ? 1.0 : throw std::bad_alloc(); });
    ScriptedCell cell(always(2.0));
    Progress progress(true);
    Timing first, second;
    ScriptedWaits waits;
    sample_interleaved({&lacking, &cell}, {&first, &second}, exactly(3), progress, waits);
    CHECK(first.lack.starts_with("not enough memory"));
    CHECK(first.kernel_s.size() < 3);
    CHECK(second.lack.empty());
    CHECK(second.kernel_s == std::vector<double>(3, 2.0));
  }
}

TEST_CASE("all warm-ups that are asked for are made and none is a sample", "[sampling]") {
  for (const int warmup : {0, 1, 5}) {
    ScriptedCell cell([=](int n) { return n < warmup ? 7.0 : 2.0; });
    const Timing timing = sample(cell, exactly(6, warmup));
    CHECK(timing.warmup_s == std::vector<double>(warmup, 7.0));
    CHECK(timing.kernel_s == std::vector<double>(6, 2.0));
  }
}

TEST_CASE("a short sample is a batch of 0.1 ms, set from the steady state", "[sampling]") {
  // The first executions are slow; by their times one execution would be enough.
  ScriptedCell cell([](int n) { return n < 3 ? 1e-3 : 1.05e-5; });
  const Timing timing = sample(cell, exactly(6, 2));
  CHECK(timing.batch == 11);  // a tenth more than 0.1 ms
  REQUIRE(timing.kernel_s.size() == 6);
  for (const double seconds : timing.kernel_s) {
    CHECK(seconds == Approx(1.05e-5));  // of one execution
  }
  const std::string log = cell.clock.take_log();
  const std::string last = "discard run " + repeated("discard [ run ]", 11);
  CHECK(log.ends_with(repeated(last, 6)));
}

TEST_CASE("the batch grows until its samples are long enough", "[sampling]") {
  // Executions within a long batch are faster than single ones.
  ScriptedCell cell([](int n) { return n < 10 ? 5e-5 : 4e-6; });
  const Timing timing = sample(cell, exactly(6));
  CHECK(timing.batch * 4e-6 >= 1e-4);
  CHECK(timing.batch <= 28);
}

TEST_CASE("executions of 0.1 ms and more are not batched", "[sampling]") {
  ScriptedCell longer(always(2e-4)), shorter(always(9e-5));
  CHECK(sample(longer, exactly(6)).batch == 1);
  CHECK(sample(shorter, exactly(6)).batch == 2);
}

TEST_CASE("on a device one region spans a batch, which is bounded", "[sampling]") {
  ScriptedCell cell(always(1e-7));
  cell.timer().spans = true;
  cell.timer().most = 4;
  const Timing timing = sample(cell, exactly(6));
  CHECK(timing.batch == 4);
  CHECK(timing.kernel_s.front() == Approx(1e-7));
  CHECK(cell.clock.take_log().ends_with("discard run discard [ run run run run ]"));
}

TEST_CASE("a lost region is run again, its warm execution included", "[sampling]") {
  ScriptedCell cell([](int n) { return 1.0 + n; });
  cell.timer().spans = true;
  const RegionFacts lost{.queued = true, .clock_mhz = {}, .throttled = false, .lost = true};
  const RegionFacts queued{.queued = true, .clock_mhz = 1900.0, .throttled = false, .lost = false};
  const RegionFacts plain{.queued = false, .clock_mhz = {}, .throttled = false, .lost = false};
  cell.timer().next_facts = {queued, queued, lost, lost, plain, queued};  // [0]: of the estimate
  const Timing timing = sample(cell, exactly(3));
  CHECK(timing.kernel_s == std::vector<double>{4.0, 10.0, 12.0});
  CHECK(timing.queued == false);  // one sample was not
  REQUIRE(timing.clock_mhz.size() == 3);
  CHECK(timing.clock_mhz[0] == 1900.0);
  CHECK(std::isnan(timing.clock_mhz[1]));
}

TEST_CASE("throttled samples are dropped and counted, but for those beyond the tenth",
          "[sampling]") {
  const RegionFacts good{.queued = true, .clock_mhz = 1900.0, .throttled = false, .lost = false};
  const RegionFacts slow{.queued = true, .clock_mhz = 900.0, .throttled = true, .lost = false};
  ScriptedCell cell([](int n) { return 1.0 + n; });
  cell.timer().next_facts = {good, slow, good, slow, good, good};
  const Timing timing = sample(cell, exactly(3));
  CHECK(timing.throttled == 2);
  CHECK(timing.kernel_s == std::vector<double>{6.0, 10.0, 12.0});
  CHECK(timing.clock_mhz == std::vector<double>(3, 1900.0));
  CHECK(timing.queued == true);

  ScriptedCell hot(always(1.0));
  hot.timer().next_facts.assign(100, slow);
  const Timing kept = sample(hot, exactly(3));
  CHECK(kept.throttled == 10);
  CHECK(kept.kernel_s.size() == 3);
  CHECK(kept.clock_mhz == std::vector<double>(3, 900.0));
}

TEST_CASE("disturbed samples are kept and counted, what is not known is neither", "[sampling]") {
  ScriptedCell cell([](int n) { return 1.0 + n; });
  const Timing timing = sample(cell, exactly(4), ScriptedWaits({0.0, 1.0, 0.0}));
  CHECK(timing.kernel_s == std::vector<double>{4.0, 6.0, 8.0, 10.0});
  const Disturbance& found = timing.disturbance;
  REQUIRE(found.waited.size() == 4);
  CHECK(found.waited[0] == 0.0);
  CHECK(found.waited[1] == 1.0);  // no more than the whole time
  CHECK(std::isnan(found.waited[3]));
  CHECK(found.disturbed == 1);
  CHECK(found.attempts == std::vector<double>{0.25});
  CHECK(found.surroundings.others.has_value());
}

TEST_CASE("a sample of a device waits for no processor", "[sampling]") {
  ScriptedCell cell(always(1.0));
  const RegionFacts facts{.queued = true, .clock_mhz = 1900.0, .throttled = false, .lost = false};
  cell.timer().next_facts.assign(100, facts);
  const Timing timing = sample(cell, exactly(3), ScriptedWaits({1.0, 1.0, 1.0}));
  CHECK(timing.disturbance.waited.empty());
  CHECK(timing.disturbance.disturbed == 0);
  CHECK(timing.disturbance.attempts == std::vector<double>{0.0});
}

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
  CHECK(sample(half, exactly(4), ScriptedWaits({1.0, 1.0, 0.0, 0.0})).disturbance.attempts.size() ==
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
