// The measurement of a cell on a fake clock: order of the steps, verification, bounds, end-to-end
// cycles.
#include <algorithm>
#include <cmath>

#include "common/bench_loop.hpp"
#include "formats/buffer.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_problem.hpp"

namespace sparserepro {
namespace {

using namespace testing;

/// Options for exactly three samples and no end-to-end cycle, whatever else the machine does.
TimingOptions three_samples() {
  return {.warmup = 1,
          .repetitions = 3,
          .min_repetitions = 3,
          .max_repetitions = 3,
          .precision = 0.0,
          .time_cap_s = 1e9,
          .end_to_end = 0,
          .again = 1.0};
}

CellResult measure_one(const Fixture& problem, const Algorithm<Fixture>& tested,
                       const TimingOptions& options, const Params& params = {}) {
  Progress progress(true);
  const auto now = [&] { return problem.clock().now_s; };
  return measure(problem, {Cell<Fixture>{&tested, params}}, options, progress, now).front();
}

std::string message_of(Behaviour behaviour) {
  FakeClock clock;
  try {
    measure_one(Fixture(clock), algorithm("tested", behaviour), three_samples());
  } catch (const WrongAnswer& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the answer is verified over poison twice before the samples and once after them",
          "[bench]") {
  FakeClock clock;
  const CellResult cell =
      measure_one(Fixture(clock), algorithm("right", Behaviour::right), three_samples());
  const std::string verified = " discard poison run download check";
  const std::string sampled = " discard [ run ] discard [ run ]";  // the first one untimed
  CHECK(clock.take_log() == "allocate prepare" + verified + verified + " discard [ run ]" +
                                sampled + sampled + sampled + sampled + verified);
  CHECK(cell.timing.kernel_s == std::vector<double>(3, 4.0));  // of the execution alone
  CHECK(cell.timing.warmup_s == std::vector<double>{4.0});
  CHECK(cell.verified_after);
  CHECK(cell.workspace_bytes == 16);
  CHECK(cell.measures == Measures{{"executions", 12.0}});
}

TEST_CASE("with flushed caches no execution precedes a sample", "[bench]") {
  FakeClock clock;
  TimingOptions options = three_samples();
  options.flush = true;
  measure_one(Fixture(clock), algorithm("right", Behaviour::right), options);
  const std::string log = clock.take_log();
  CHECK(log.find("discard [ run ] flush discard [ run ] flush discard [ run ] flush discard "
                 "[ run ] discard poison") != std::string::npos);
}

TEST_CASE("a wrong answer never gets a time, and the error names cell, execution and mismatch",
          "[bench]") {
  CHECK(message_of(Behaviour::right).empty());
  CHECK(message_of(Behaviour::wrong) == "tested: wrong answer in execution 1: not 42");
  CHECK(message_of(Behaviour::unwritten) == "tested: wrong answer in execution 1: not 42");
  CHECK(message_of(Behaviour::stale) == "tested: wrong answer in execution 2: not 42");
  CHECK(message_of(Behaviour::worn) ==
        "tested: wrong answer in the execution after the last sample: not 42");
}

TEST_CASE("bounds are the least times at the rates of the cell's threads", "[bench]") {
  FakeClock clock;
  Fixture problem(clock);
  Algorithm<Fixture> tested = algorithm("right", Behaviour::right);
  tested.parameters = {{"threads", std::int64_t{1}, {}, "threads"}};
  const int cores = machine_info().cores_available;
  for (const std::int64_t threads : {1, cores}) {
    const CellResult cell =
        measure_one(problem, tested, three_samples(), {{"threads", ParamValue{threads}}});
    CHECK(cell.copy_bytes_per_s == 100.0 * static_cast<double>(threads));
    CHECK(cell.bounds.copy_s == Approx(8.0 / static_cast<double>(threads)));
    CHECK(cell.bounds.second_name.empty());
  }
  problem.second = {.name = "gather",
                    .copied_bytes = 700.0,
                    .gathered_bytes = 600.0,
                    .row_bytes = 4,
                    .table_bytes = 50};
  const CellResult cell =
      measure_one(problem, tested, three_samples(), {{"threads", ParamValue{std::int64_t{1}}}});
  CHECK(cell.bounds.second_name == "gather");
  CHECK(cell.bounds.second_s == Approx(700.0 / 100.0 + 600.0 / 200.0));
}

TEST_CASE("an algorithm whose preparation does a part has a model and a bound of its own",
          "[bench]") {
  FakeClock clock;
  Algorithm<Fixture> tested = algorithm("right", Behaviour::right);
  CHECK(measure_one(Fixture(clock), tested, three_samples()).model.bytes == 800.0);
  tested.model = [](const Fixture&) { return Model{.bytes = 200.0, .flops = 3.0, .second = {}}; };
  const CellResult cell = measure_one(Fixture(clock), tested, three_samples());
  CHECK(cell.model.bytes == 200.0);
  CHECK(cell.model.flops == 3.0);
  CHECK(cell.bounds.copy_s == Approx(2.0));
  CHECK(cell.bounds.second_name.empty());
}

TEST_CASE("end to end on the host: whole cycles, the first not kept", "[bench]") {
  FakeClock clock;
  TimingOptions options = three_samples();
  options.end_to_end = 2;
  Algorithm<Fixture> tested = algorithm("right", Behaviour::right);
  int prepared = 0;
  tested.prepare = [&](const Fixture& problem, const Params&) -> std::unique_ptr<Run<Fixture>> {
    clock.now_s += ++prepared == 2 ? 500.0 : 0.0;  // the first cycle, after the verified run
    return std::make_unique<FixtureRun>(problem, Behaviour::right);
  };
  const CellResult cell = measure_one(Fixture(clock), tested, options);
  const std::string cycle = "allocate upload prepare run wait download";
  CHECK(clock.take_log().ends_with("check " + cycle + " " + cycle + " " + cycle));
  REQUIRE(cell.timing.end_to_end.size() == 1);
  const EndToEnd& host = cell.timing.end_to_end.front();
  CHECK(host.transfers == "none");
  CHECK(host.total_s == std::vector<double>(2, 31.5));
  CHECK(host.transfer_s == std::vector<double>(2, 24.0));
  CHECK(host.kernel_s == std::vector<double>(2, 6.5));
  CHECK(host.allocation_s == std::vector<double>(2, 1.0));

  options.time_cap_s = 60.0;  // reached after two cycles, the dropped one included
  CHECK(measure_one(Fixture(clock), algorithm("right", Behaviour::right), options)
            .timing.end_to_end.front()
            .total_s.size() == 1);
  options.end_to_end = 0;
  CHECK(measure_one(Fixture(clock), tested, options).timing.end_to_end.empty());
}

TEST_CASE("end to end on a device: pageable and pinned transfers, staging left out", "[bench]") {
  FakeClock clock;
  TimingOptions options = three_samples();
  options.end_to_end = 1;
  Algorithm<Fixture> tested = algorithm("right", Behaviour::right);
  tested.backend = Backend::cuda;
  const CellResult cell = measure_one(Fixture(clock), tested, options);
  REQUIRE(cell.timing.end_to_end.size() == 2);
  const EndToEnd& pageable = cell.timing.end_to_end[0];
  const EndToEnd& pinned = cell.timing.end_to_end[1];
  CHECK(pageable.transfers == "pageable");
  CHECK(pinned.transfers == "pinned");
  for (const EndToEnd* kind : {&pageable, &pinned}) {
    CHECK(kind->total_s == std::vector<double>{31.5});
    CHECK(kind->transfer_s == std::vector<double>{24.0});
    CHECK(kind->kernel_s == std::vector<double>{6.5});
    CHECK(kind->allocation_s == std::vector<double>{1.0});
  }
  const std::string log = clock.take_log();
  CHECK(log.find("upload_pinned") != std::string::npos);
  CHECK(log.find("run_logged") == std::string::npos);  // copies of the kernel are the kernel's
}

TEST_CASE("more threads than cores, and values outside the allowed ones, are skipped", "[bench]") {
  FakeClock clock;
  Algorithm<Fixture> tested = algorithm("right", Behaviour::right);
  tested.parameters = {{"threads", std::int64_t{1}, {}, "threads"},
                       {"block_size", std::int64_t{32}, {std::int64_t{32}, std::int64_t{64}}, ""}};
  const auto skipped = [&](std::int64_t threads, std::int64_t block_size) {
    const Params params{{"threads", threads}, {"block_size", block_size}};
    return measure_one(Fixture(clock), tested, three_samples(), params).skipped;
  };
  CHECK(skipped(1, 64).empty());
  CHECK(skipped(machine_info().cores_available + 1, 64).find("cores are available") !=
        std::string::npos);
  CHECK(skipped(1, 48) == "block_size = 48: allowed are 32, 64");
}

TEST_CASE("a cell for which memory is not enough is skipped, and the others are measured",
          "[bench]") {
  FakeClock clock;
  const Algorithm<Fixture> large = algorithm("large", Behaviour::too_large);
  const Algorithm<Fixture> device = algorithm("device", Behaviour::too_large_for_device);
  const Algorithm<Fixture> right = algorithm("right", Behaviour::right);
  Progress progress(true);
  const auto results = measure<Fixture>(Fixture(clock), {{&large, {}}, {&right, {}}, {&device, {}}},
                                        three_samples(), progress, [&] { return clock.now_s; });
  CHECK(
      results[0].skipped.starts_with("not enough memory beside the other cells of this instance"));
  CHECK(results[0].timing.kernel_s.empty());
  CHECK(results[1].skipped.empty());
  CHECK(results[1].timing.kernel_s.size() == 3);
  CHECK(results[2].skipped ==
        "not enough memory of the device beside the other cells of this instance");
  CHECK(results[2].timing.kernel_s.empty());
}

TEST_CASE("a cell is skipped as well where memory ends after it was prepared", "[bench]") {
  FakeClock clock;
  const Algorithm<Fixture> end = algorithm("end", Behaviour::too_large_in_the_end);
  const Algorithm<Fixture> probe = algorithm("probe", Behaviour::too_large_to_probe);
  const Algorithm<Fixture> right = algorithm("right", Behaviour::right);
  Progress progress(true);
  const auto results = measure<Fixture>(Fixture(clock), {{&end, {}}, {&probe, {}}, {&right, {}}},
                                        three_samples(), progress, [&] { return clock.now_s; });
  CHECK(results[0].skipped.starts_with(
      "not enough memory beside the other cells of this instance: an array of 3.0 GiB does not "
      "fit"));
  CHECK(results[0].timing.kernel_s.empty());
  CHECK_FALSE(results[0].verified_after);
  CHECK(results[1].skipped.starts_with("not enough memory"));
  CHECK(results[2].skipped.empty());
  CHECK(results[2].timing.kernel_s.size() == 3);
  CHECK(results[2].verified_after);
}

TEST_CASE("a peer's library is the part of its source before the first comma", "[bench]") {
  FakeClock clock;
  Algorithm<Fixture> tested = algorithm("right", Behaviour::right);
  tested.source = "Library 1.2, call";
  CHECK(measure_one(Fixture(clock), tested, three_samples()).library.empty());
  tested.peer = true;
  const CellResult cell = measure_one(Fixture(clock), tested, three_samples());
  CHECK(cell.peer);
  CHECK(cell.library == "Library 1.2");
}

}  // namespace sparserepro
