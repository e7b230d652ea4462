// The sampling loop on a fake clock: what precedes a sample, and what is timed.
#include <cmath>
#include <new>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/scripted_cell.hpp"

namespace sparserepro {

using namespace testing;

TEST_CASE("warm: untimed executions precede each sample, releases stay outside", "[sampling]") {
  ScriptedCell cell([](int n) { return 1.0 + n; });
  const Timing timing = sample(cell, exactly(3, 2));
  // Two warm-up executions, one sample of the estimate of the batch, three samples. The clock
  // tells how long untimed executions take, too.
  CHECK(cell.clock.take_log() == repeated("discard [ run ]", 2 + 4 * 2));
  CHECK(timing.warmup_s == std::vector<double>{1.0, 2.0});
  CHECK(timing.kernel_s == std::vector<double>{6.0, 8.0, 10.0});
  CHECK(timing.batch == 1);
  CHECK(timing.clock == "fake");
  CHECK(timing.stop == "repetitions");
  CHECK_FALSE(timing.queued.has_value());
  CHECK(timing.clock_mhz.empty());
}

TEST_CASE("three untimed executions on the host, fewer that take 0.1 s, one on a device",
          "[sampling]") {
  struct Case {
    double seconds;
    int untimed;
  };
  for (const auto& [seconds, untimed] :
       {Case{2e-3, 3}, Case{0.04, 3}, Case{0.06, 2}, Case{0.11, 1}, Case{30.0, 1}}) {
    CAPTURE(seconds);
    // Untimed executions are the earlier ones of a sample; the estimate takes a sample as well.
    ScriptedCell cell([&](int n) {
      const bool timed = n % (untimed + 1) == untimed;
      return timed ? seconds : 1.01 * seconds;
    });
    const Timing timing = sample(cell, exactly(3));
    CHECK(cell.clock.take_log() == repeated("discard [ run ]", 4 * (untimed + 1)));
    REQUIRE(timing.kernel_s.size() == 3);
    for (const double sampled : timing.kernel_s) {
      CHECK(sampled == Approx(seconds));
    }
  }
  for (const double seconds : {2e-3, 30.0}) {
    ScriptedCell cell(always(seconds));
    cell.timer().spans = true;
    sample(cell, exactly(3));
    CHECK(cell.clock.take_log() == repeated("discard run discard [ run ]", 4));
  }
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
  ScriptedCell cell([](int n) { return n < 5 ? 1e-3 : 1.05e-5; });
  const Timing timing = sample(cell, exactly(6, 2));
  CHECK(timing.batch == 11);  // a tenth more than 0.1 ms
  REQUIRE(timing.kernel_s.size() == 6);
  for (const double seconds : timing.kernel_s) {
    CHECK(seconds == Approx(1.05e-5));  // of one execution
  }
  const std::string log = cell.clock.take_log();
  const std::string last = repeated("discard [ run ]", 3 + 11);
  CHECK(log.ends_with(repeated(last, 6)));
}

TEST_CASE("the batch grows until its samples are long enough", "[sampling]") {
  // Executions within a long batch are faster than single ones.
  ScriptedCell cell([](int n) { return n < 18 ? 5e-5 : 4e-6; });
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
  CHECK(cell.clock.take_log().ends_with("discard run discard [ run | run | run | run ]"));
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
  cell.timer().spans = true;
  cell.timer().next_facts = {good, slow, good, slow, good, good};
  const Timing timing = sample(cell, exactly(3));
  CHECK(timing.throttled == 2);
  CHECK(timing.kernel_s == std::vector<double>{6.0, 10.0, 12.0});
  CHECK(timing.clock_mhz == std::vector<double>(3, 1900.0));
  CHECK(timing.queued == true);

  ScriptedCell hot(always(1.0));
  hot.timer().spans = true;
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
  cell.timer().spans = true;
  cell.timer().next_facts.assign(100, facts);
  const Timing timing = sample(cell, exactly(3), ScriptedWaits({1.0, 1.0, 1.0}));
  CHECK(timing.disturbance.waited.empty());
  CHECK(timing.disturbance.disturbed == 0);
  CHECK(timing.disturbance.attempts == std::vector<double>{0.0});
}

}  // namespace sparserepro
