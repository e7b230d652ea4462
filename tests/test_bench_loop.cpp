// The measuring machinery itself: statistics, stop rule, verification, grid.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/driver.hpp"
#include "core/statistics.hpp"
#include "support/catch.hpp"

namespace sparserepro {
namespace {

// A problem small enough to see through: the answer is the number 42.
class Fixture {
 public:
  using Input = int;
  using Result = double;
  static constexpr const char* name = "fixture";
  static std::vector<Parameter> instance_parameters() { return {}; }
  Shape shape() const { return {1, 1, 1, 1}; }
  double reference() const { return 42.0; }
  Model model() const { return {8.0, 0.0}; }
  CheckOutcome check(double result, double reference) const {
    const bool ok = result == reference;
    return {ok, "exact", ok ? 0.0 : 1.0, 0.0, ok ? "" : "not 42", {}};
  }
};

enum class Behaviour { right, wrong, unwritten, stale, slow };

class FixtureRun final : public Run<Fixture> {
 public:
  explicit FixtureRun(Behaviour behaviour) : behaviour_(behaviour) {}
  void poison() override { value_ = std::nan(""); }
  void execute() override {
    ++executions_;
    if (behaviour_ == Behaviour::unwritten) {
      return;
    }
    value_ = behaviour_ == Behaviour::wrong ? 41.0 : 42.0;
    if (behaviour_ == Behaviour::stale && executions_ > 1) {
      value_ += 42.0;  // adds to what the first execution left
    }
    if (behaviour_ == Behaviour::slow) {
      CpuTimer timer;
      timer.start();
      while (timer.stop() < 0.002) {
      }
    }
  }
  double result() override { return value_; }
  std::int64_t workspace_bytes() const override { return 16; }
  Measures measures() const override { return {{"executions", executions_}}; }

 private:
  Behaviour behaviour_;
  double value_ = 0.0;
  int executions_ = 0;
};

Algorithm<Fixture> algorithm(const std::string& name, Behaviour behaviour) {
  return {.name = name,
          .summary = "fixture",
          .source = "none",
          .backend = Backend::serial,
          .prepare = [behaviour](const Fixture&, const Params&) -> std::unique_ptr<Run<Fixture>> {
            return std::make_unique<FixtureRun>(behaviour);
          }};
}

std::vector<CellResult> measure_one(const Algorithm<Fixture>& tested, const TimingOptions& options,
                                    const Params& params = {}) {
  Progress progress(true);
  return measure(Fixture{}, {Cell<Fixture>{&tested, params}}, options, progress);
}

}  // namespace

TEST_CASE("median interval has the exact binomial ranks", "[statistics]") {
  // Sample size, lower rank, upper rank for at least 95 % coverage (1-based order statistics).
  const std::vector<std::tuple<int, int, int>> table = {
      {6, 1, 6},   {7, 1, 7},   {10, 2, 9},   {11, 2, 10},  {15, 4, 12},
      {20, 6, 15}, {25, 8, 18}, {30, 10, 21}, {50, 18, 33}, {100, 40, 61}};
  for (const auto& [n, low, high] : table) {
    std::vector<double> samples;
    for (int i = n; i >= 1; --i) {
      samples.push_back(i);
    }
    const MedianInterval interval = median_interval(samples);
    CAPTURE(n);
    CHECK(interval.valid);
    CHECK(interval.low == low);
    CHECK(interval.high == high);
    CHECK(interval.median == 0.5 * (n + 1));
  }
}

TEST_CASE("five samples or fewer have no 95 % interval", "[statistics]") {
  CHECK_FALSE(median_interval({1, 2, 3, 4, 5}).valid);
  CHECK(median_interval({3, 1, 2}).median == 2);
  CHECK_FALSE(median_interval({}).valid);
}

TEST_CASE("large sample counts keep ordered ranks", "[statistics]") {
  std::vector<double> samples(5000);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = static_cast<double>(i);
  }
  const MedianInterval interval = median_interval(samples);
  CHECK(interval.valid);
  CHECK(interval.low < interval.median);
  CHECK(interval.high > interval.median);
}

TEST_CASE("a wrong, unwritten or stateful answer never gets a time", "[bench]") {
  const TimingOptions options{.warmup = 1, .repetitions = 6, .min_repetitions = 6, .end_to_end = 1};
  CHECK_NOTHROW(measure_one(algorithm("right", Behaviour::right), options));
  CHECK_THROWS_AS(measure_one(algorithm("wrong", Behaviour::wrong), options), WrongAnswer);
  CHECK_THROWS_AS(measure_one(algorithm("unwritten", Behaviour::unwritten), options), WrongAnswer);
  CHECK_THROWS_AS(measure_one(algorithm("stale", Behaviour::stale), options), WrongAnswer);
}

TEST_CASE("the error of a wrong answer names algorithm, execution and mismatch", "[bench]") {
  std::string message;
  try {
    measure_one(algorithm("stale", Behaviour::stale), TimingOptions{});
  } catch (const WrongAnswer& error) {
    message = error.what();
  }
  CHECK(message == "stale: wrong answer in execution 2: not 42");
}

TEST_CASE("sampling stops by precision, by the time cap or by the largest count", "[bench]") {
  TimingOptions options{.warmup = 1,
                        .repetitions = 10,
                        .min_repetitions = 6,
                        .max_repetitions = 1000,
                        .precision = 1.0,
                        .end_to_end = 1};
  auto cell = measure_one(algorithm("slow", Behaviour::slow), options).front();
  CHECK(cell.timing.stop == "precision");
  CHECK(cell.timing.kernel_s.size() == 10);

  options.precision = 0.0;
  options.time_cap_s = 0.02;
  cell = measure_one(algorithm("slow", Behaviour::slow), options).front();
  CHECK(cell.timing.stop == "time_cap");
  CHECK(cell.timing.kernel_s.size() >= 6);
  CHECK(cell.timing.kernel_s.size() <= 12);

  options.time_cap_s = 1e9;
  options.max_repetitions = 12;
  cell = measure_one(algorithm("slow", Behaviour::slow), options).front();
  CHECK(cell.timing.stop == "repetitions");
  CHECK(cell.timing.kernel_s.size() == 12);
}

TEST_CASE("short executions are batched, long ones are not", "[bench]") {
  const TimingOptions options{
      .warmup = 1, .repetitions = 6, .min_repetitions = 6, .precision = 1.0, .end_to_end = 1};
  CHECK(measure_one(algorithm("right", Behaviour::right), options).front().timing.batch > 10);
  CHECK(measure_one(algorithm("slow", Behaviour::slow), options).front().timing.batch == 1);
}

TEST_CASE("more threads than cores, and values outside the allowed ones, are skipped", "[bench]") {
  Algorithm<Fixture> tested = algorithm("right", Behaviour::right);
  tested.parameters = {{"threads", std::int64_t{1}, {}, "threads"},
                       {"block_size", std::int64_t{32}, {std::int64_t{32}, std::int64_t{64}}, ""}};
  const auto skipped = [&](std::int64_t threads, std::int64_t block_size) {
    const Params params{{"threads", threads}, {"block_size", block_size}};
    return measure_one(tested, TimingOptions{}, params).front().skipped;
  };
  CHECK(skipped(1, 64).empty());
  CHECK(skipped(100000, 64).find("cores are available") != std::string::npos);
  CHECK(skipped(1, 48) == "block_size = 48: allowed are 32, 64");
}

TEST_CASE("the grid is the cross product, with fallbacks where nothing is given", "[grid]") {
  const std::vector<Parameter> parameters = {{"a", std::int64_t{1}, {}, ""},
                                             {"b", std::string("x"), {}, ""}};
  CHECK(expand_grid(parameters, {}).size() == 1);
  const auto grid = expand_grid(parameters, {{"a", {std::int64_t{1}, std::int64_t{2}}},
                                             {"b", {std::string("x"), std::string("y")}}});
  REQUIRE(grid.size() == 4);
  CHECK(to_string(grid[3]) == "a=2 b=y");
}

TEST_CASE("parameter values are integers only when the whole text is one", "[grid]") {
  CHECK(parse_param_value("12") == ParamValue{std::int64_t{12}});
  CHECK(parse_param_value("12x") == ParamValue{std::string("12x")});
  CHECK(parse_param_value("") == ParamValue{std::string()});
  CHECK(parse_param_value("-3") == ParamValue{std::int64_t{-3}});
}

TEST_CASE("a misspelt name finds its nearest neighbour", "[cli]") {
  const std::vector<std::string> names = {"serial", "omp_scantrans", "omp_mergetrans"};
  CHECK(nearest("omp_scantran", names) == "omp_scantrans");
  CHECK(nearest("seriel", names) == "serial");
  CHECK(nearest("xyz", names).empty());
}

TEST_CASE("a text is written whole or not at all", "[record]") {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string path = (folder / "sparserepro-test-write.txt").string();
  write_text(path, "one\n");
  std::ifstream file(path);
  std::string line;
  CHECK(std::getline(file, line));
  CHECK(line == "one");
  CHECK_FALSE(std::filesystem::exists(path + ".part"));
  std::filesystem::remove(path);
  CHECK_THROWS_AS(write_text((folder / "no-such-folder" / "x").string(), "x"), InputError);
}

}  // namespace sparserepro
