// The command line of a driver with every kind of parameter, and the lists that it takes.
#include <algorithm>
#include <cmath>

#include "common/cli.hpp"
#include "common/driver.hpp"
#include "fuzz/targets.hpp"

namespace sparserepro::fuzz {
namespace {

constexpr std::size_t most_words = 64;
constexpr std::size_t most_cells = 1000;  // of a grid that is expanded

const CommandLineSpec& spec() {
  static const CommandLineSpec made{
      .name = "fixture",
      .description = "A driver.",
      .source_help = "Matrix",
      .algorithms = {"serial", "omp_csr", "omp_csr_blocked", "cuda_csr_balanced"},
      .instance_parameters =
          {{"k", std::int64_t{8}, {}, "columns"},
           {"offset_bits", std::int64_t{32}, {std::int64_t{32}, std::int64_t{64}}, "bits"},
           {"x_range",
            std::string("signed"),
            {std::string("signed"), std::string("positive")},
            "range"}},
      .algorithm_parameters = {
          {"threads", std::int64_t{2}, {}, "threads"},
          {"block_size",
           std::int64_t{128},
           {std::int64_t{64}, std::int64_t{128}},
           "threads of a block",
           32},
          {"path", std::string("auto"), {std::string("auto"), std::string("direct")}, "path"}}};
  return made;
}

bool within(double low, double value, double high) {
  return low <= value && value <= high;
}

void require_in_range(const CommandLine& line) {
  const TimingOptions& timing = line.timing;
  require(within(1, timing.min_repetitions, timing.max_repetitions) &&
              within(1, timing.repetitions, timing.max_repetitions) &&
              timing.max_repetitions <= 1000000,
          "numbers of samples are in order");
  require(within(0, timing.precision, 1) && within(0, timing.time_cap_s, 1e6) &&
              within(0, timing.warmup, 1000) && within(0, timing.end_to_end, 1000000) &&
              within(0, line.repeat, 1000000) && timing.seed <= std::uint64_t{1} << 53,
          "options of the timing are in range");
  require(line.huge_pages == "yes" || line.huge_pages == "no", "huge pages are a choice");
  require(std::all_of(
              line.machine_id.begin(), line.machine_id.end(),
              [](char c) { return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || c == '-'; }),
          "a machine's name is of the characters of the records' schema");
  auto left = spec().algorithms;
  for (const std::string& algorithm : line.algorithms) {
    const auto found = std::find(left.begin(), left.end(), algorithm);
    require(found != left.end(), "algorithms are of the table, in its order, once");
    left.erase(left.begin(), found + 1);
  }
}

/// The grid has each combination of the given values, of the types of the defaults.
void require_grid(const CommandLine& line, const std::vector<Parameter>& parameters) {
  std::size_t cells = 1;
  for (const Parameter& parameter : parameters) {
    const auto given = line.values.find(parameter.name);
    cells *= given == line.values.end() ? 1 : given->second.size();
    if (cells > most_cells) {
      return;
    }
  }
  const std::vector<Params> grid = expand_grid(parameters, line.values);
  require(grid.size() == cells, "a grid has each combination");
  for (const Params& params : grid) {
    for (const Parameter& parameter : parameters) {
      const ParamValue& value = params.value(parameter.name);
      require(value.index() == parameter.fallback.index(), "a value has its parameter's type");
      const bool listed = std::find(parameter.allowed.begin(), parameter.allowed.end(), value) !=
                          parameter.allowed.end();
      const bool legal =
          parameter.allowed.empty() ? std::get<std::int64_t>(value) >= parameter.minimum : listed;
      require(value_refusal(parameter, value).empty() == legal, "a value is refused or allowed");
    }
  }
}

}  // namespace

void command_line(std::string_view bytes) {
  std::vector<std::string> words{"fixture"};
  for (std::size_t at = 0; at < bytes.size() && words.size() < most_words;) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    words.emplace_back(bytes.substr(at, end - at));
    at = end + 1;
  }
  std::vector<const char*> argv;
  for (const std::string& word : words) {
    argv.push_back(word.c_str());
  }
  static CommandLineReader reader(spec());
  try {
    const CommandLine line = reader.read(static_cast<int>(argv.size()), argv.data());
    require_in_range(line);
    require_grid(line, spec().instance_parameters);
    require_grid(line, spec().algorithm_parameters);
  } catch (const CommandLineEnd& end) {
    require(end.code == 0 || (end.code == 1 && end.text.starts_with("fixture: ")),
            "a driver ends with help or with a line that names it");
    require(end.text.ends_with('\n'), "a text ends with its line");
  }
}

}  // namespace sparserepro::fuzz
