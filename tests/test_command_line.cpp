// The command line of the drivers, and the grid that it spans.
#include <string>
#include <vector>

#include "common/driver.hpp"
#include "common/lists.hpp"
#include "support/catch.hpp"

namespace sparserepro {
namespace {

CommandLine parsed(std::vector<std::string> words) {
  words.insert(words.begin(), "fixture");
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  CommandLineSpec spec;
  spec.name = "fixture";
  spec.algorithms = {"serial"};
  return parse_command_line(static_cast<int>(argv.size()), argv.data(), spec);
}

}  // namespace

TEST_CASE("each option of the timing reaches the bench loop", "[cli]") {
  const CommandLine line = parsed({"--repetitions",
                                   "31",
                                   "--min-repetitions",
                                   "7",
                                   "--max-repetitions",
                                   "77",
                                   "--precision",
                                   "0.01",
                                   "--time-cap",
                                   "2.5",
                                   "--warmup",
                                   "4",
                                   "--end-to-end",
                                   "6",
                                   "--cache",
                                   "flushed",
                                   "--seed",
                                   "9",
                                   "--repeat",
                                   "3"});
  CHECK(line.timing.repetitions == 31);
  CHECK(line.timing.min_repetitions == 7);
  CHECK(line.timing.max_repetitions == 77);
  CHECK(line.timing.precision == 0.01);
  CHECK(line.timing.time_cap_s == 2.5);
  CHECK(line.timing.warmup == 4);
  CHECK(line.timing.end_to_end == 6);
  CHECK(line.timing.flush);
  CHECK(line.timing.seed == 9);
  CHECK(line.repeat == 3);
  CHECK_FALSE(parsed({}).timing.flush);
  CHECK(parsed({}).repeat == 0);
}

TEST_CASE("the largest number of samples bounds the others, or follows them", "[cli]") {
  CHECK(parsed({"--repetitions", "300"}).timing.max_repetitions == 300);
  CHECK(parsed({"--min-repetitions", "200"}).timing.max_repetitions == 200);
  const TimingOptions few = parsed({"--max-repetitions", "3"}).timing;
  CHECK(few.max_repetitions == 3);
  CHECK(few.repetitions == 3);
  CHECK(few.min_repetitions == 3);
  CHECK(parsed({}).timing.max_repetitions == 100);
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
  CHECK(nearest(std::string(1000, 'x'), names).empty());
}

TEST_CASE("a reader takes each command line for itself", "[cli]") {
  CommandLineSpec spec;
  spec.name = "fixture";
  spec.algorithms = {"serial", "omp_csr"};
  spec.instance_parameters = {{"k", std::int64_t{8}, {}, "columns"}};
  CommandLineReader reader(spec);
  const auto read = [&](std::vector<const char*> words) {
    words.insert(words.begin(), "fixture");
    return reader.read(static_cast<int>(words.size()), words.data());
  };
  const CommandLine full =
      read({"a.mtx", "--k", "1,2", "-r", "7", "--cache", "flushed", "--quiet", "-a", "serial"});
  CHECK(full.positionals == std::vector<std::string>{"a.mtx"});
  CHECK(full.values.at("k").size() == 2);
  CHECK(full.timing.flush);
  CHECK_THROWS_AS(read({"--k", "x"}), CommandLineEnd);
  CHECK_THROWS_AS(read({"--no-such-option"}), CommandLineEnd);
  const CommandLine empty = read({});
  CHECK(empty.positionals.empty());
  CHECK(empty.values.empty());
  CHECK(empty.algorithms == spec.algorithms);
  CHECK(empty.timing.repetitions == TimingOptions{}.repetitions);
  CHECK_FALSE(empty.timing.flush);
  CHECK_FALSE(empty.quiet);
}

TEST_CASE("a value that is given twice is one value", "[cli]") {
  CommandLineSpec spec;
  spec.name = "fixture";
  spec.algorithms = {"serial"};
  spec.instance_parameters = {{"k", std::int64_t{8}, {}, "columns"}};
  spec.algorithm_parameters = {{"layout", "a", {"a", "b"}, "of X"}};
  CommandLineReader reader(spec);
  const char* words[] = {"fixture", "--k", "4,1,4", "--layout", "b,a,b", "--k", "01,2"};
  const CommandLine line = reader.read(7, words);
  CHECK(line.values.at("k") ==
        std::vector<ParamValue>{std::int64_t{4}, std::int64_t{1}, std::int64_t{2}});
  CHECK(line.values.at("layout") == std::vector<ParamValue>{std::string("b"), std::string("a")});
  CHECK(without_doubles(std::vector<int>{2, 2, 1, 2}) == std::vector<int>{2, 1});
}

TEST_CASE("a value that nothing allows is refused, each in a list", "[cli]") {
  CommandLineSpec spec;
  spec.name = "fixture";
  spec.algorithms = {"serial"};
  spec.instance_parameters = {{"k", std::int64_t{8}, {}, "columns"}};
  spec.algorithm_parameters = {
      {"path", "auto", {"auto", "flat"}, "path"},
      {"local_size", "mean", {"mean", std::int64_t{32}, std::int64_t{64}}, "threads"}};
  CommandLineReader reader(spec);
  const auto said = [&](const char* option, const char* values) -> std::string {
    const char* words[] = {"fixture", option, values};
    try {
      reader.read(3, words);
      return "";
    } catch (const CommandLineEnd& end) {
      return end.text;
    }
  };
  CHECK(said("--k", "1,0") == "fixture: k = 0: must be at least 1\n");
  CHECK(said("--path", "flat,flta") == "fixture: path = flta: allowed are auto, flat\n");
  CHECK(said("--path", "flat,7") == "fixture: --path: '7' is a number; it must be a name\n");
  CHECK(said("--local-size", "33") == "fixture: local_size = 33: allowed are mean, 32, 64\n");
  CHECK(said("--local-size", "64,mean,32").empty());
}

TEST_CASE("a parameter of several algorithms allows what any of them does", "[cli]") {
  const Parameter few{"x", std::int64_t{4}, {std::int64_t{4}, std::int64_t{8}}, "a", 4};
  const Parameter other{"x", std::int64_t{8}, {std::int64_t{8}, std::int64_t{16}}, "b", 2};
  const Parameter any{"x", std::int64_t{1}, {}, "c", 0};
  const auto united = [](Parameter first, const Parameter& second) {
    std::string owner = "one";
    add_meaning(first, owner, second, "two");
    return first;
  };
  CHECK(united(few, other).allowed ==
        std::vector<ParamValue>{std::int64_t{4}, std::int64_t{8}, std::int64_t{16}});
  for (const Parameter& both : {united(few, any), united(any, few)}) {
    CHECK(both.allowed.empty());
    CHECK(both.minimum == 0);
  }
}

TEST_CASE("a list has no empty part", "[cli]") {
  using Words = std::vector<std::string>;
  CHECK(parts_of("--k", {"1,2", "3"}) == Words{"1", "2", "3"});
  CHECK(parts_of("--k", {}).empty());
  for (const char* const list : {"", ",", "1,", ",1", "1,,2"}) {
    CAPTURE(list);
    CHECK_THROWS_WITH(parts_of("--k", {"7", list}),
                      "--k: '" + std::string(list) + "' has an empty part");
  }
  CHECK(integers_of("--k", {"3,1,3"}, 1, 3) == std::vector<std::int64_t>{3, 1});
  for (const char* const part : {"0", "4", "x", "1.5"}) {
    CAPTURE(part);
    CHECK_THROWS_WITH(integers_of("--k", {std::string("1,") + part}, 1, 3),
                      "--k: '" + std::string(part) + "' is not an integer from 1 to 3");
  }
}

}  // namespace sparserepro
