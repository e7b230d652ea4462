#include "common/cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <sstream>
#include <utility>

#include "common/lists.hpp"
#include "common/reading.hpp"
#include "formats/error.hpp"
#include "harness/build_info.hpp"

namespace sparserepro {
namespace {

std::string describe(const Parameter& parameter) {
  std::string text = parameter.help + " [" + to_string(parameter.fallback) + "]";
  for (std::size_t i = 0; i < parameter.allowed.size(); ++i) {
    text += (i == 0 ? "; one of " : ", ") + to_string(parameter.allowed[i]);
  }
  return text;
}

/// The asked names in the order of the table; "all" means every name. Throws InputError for a name
/// that the table lacks.
std::vector<std::string> select_algorithms(const std::vector<std::string>& asked,
                                           const std::vector<std::string>& table) {
  for (const std::string& name : asked) {
    if (name != "all" && std::find(table.begin(), table.end(), name) == table.end()) {
      const std::string hint = nearest(name, table);
      throw InputError("no algorithm '" + name + "'" +
                       (hint.empty() ? "" : "; did you mean '" + hint + "'?") +
                       " (--list shows all)");
    }
  }
  if (std::find(asked.begin(), asked.end(), "all") != asked.end()) {
    return table;
  }
  std::vector<std::string> selected;
  std::copy_if(table.begin(), table.end(), std::back_inserter(selected), [&](const auto& name) {
    return std::find(asked.begin(), asked.end(), name) != asked.end();
  });
  return selected;
}

/// Takes numbers from `low` to `high`, which are what `words` says; no nan.
CLI::Validator number(double low, double high, const std::string& words) {
  return {[=](std::string& text) -> std::string {
            double value = std::numeric_limits<double>::quiet_NaN();
            const bool read = CLI::detail::lexical_cast(text, value);
            return read && value >= low && value <= high ? "" : "'" + text + "' is not " + words;
          },
          "FLOAT"};
}

/// Takes names of machines as the records' schema has them.
std::string machine_name_refusal(const std::string& name) {
  const auto allowed = [](char c) { return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9'); };
  const bool fits =
      !name.empty() && allowed(name.front()) &&
      std::all_of(name.begin(), name.end(), [&](char c) { return allowed(c) || c == '-'; });
  return fits ? "" : "'" + name + "' is not made of a-z, 0-9 and -, with a letter or digit first";
}

/// Brings the limits of the samples' number into order: one that is not given yields to those that
/// are. Throws InputError where given ones contradict each other.
void order_limits(TimingOptions& timing, const CLI::App& app) {
  if (app.count("--max-repetitions") == 0) {
    timing.max_repetitions =
        std::max({timing.max_repetitions, timing.repetitions, timing.min_repetitions});
    return;
  }
  for (const auto& [name, value] : {std::pair{"--repetitions", &timing.repetitions},
                                    std::pair{"--min-repetitions", &timing.min_repetitions}}) {
    if (*value > timing.max_repetitions && app.count(name) > 0) {
      throw InputError(std::string(name) + " " + std::to_string(*value) +
                       " is more than --max-repetitions " + std::to_string(timing.max_repetitions));
    }
    *value = std::min(*value, timing.max_repetitions);
  }
}

}  // namespace

/// The options, which are built once, and what they write to.
class CommandLineReader::Options {
 public:
  explicit Options(const CommandLineSpec& spec) : spec_(spec), app_(spec.description, spec.name) {
    add_general();
    add_parameters(spec_.instance_parameters,
                   "Instance (one value, or several with commas between them)");
    add_parameters(spec_.algorithm_parameters,
                   "Algorithm parameters (one value, or several with commas between them)");
    add_timing();
    add_records();
  }

  CommandLine read(int argc, const char* const* argv) {
    line_ = {};
    asked_ = {"all"};
    cache_ = "warm";
    for (auto& [name, values] : texts_) {
      values.clear();
    }
    parse(argc, argv);
    read_parameters();
    return line_;
  }

 private:
  void add_general();
  void add_parameters(const std::vector<Parameter>& parameters, const char* group);
  void add_timing();
  void add_records();
  void parse(int argc, const char* const* argv);
  void read_parameters();
  [[noreturn]] void refuse(const std::string& why) const {
    throw CommandLineEnd{1, spec_.name + ": " + why + '\n'};
  }

  CommandLineSpec spec_;
  CLI::App app_;
  CommandLine line_;
  std::vector<std::string> asked_{"all"};
  std::string cache_ = "warm";
  std::map<std::string, std::vector<std::string>> texts_;  // given for each parameter
};

void CommandLineReader::Options::add_general() {
  app_.set_version_flag("--version", build_info().version + " (" + build_info().commit + ")");
  app_.get_formatter()->column_width(34);
  app_.footer(
      "A cell is one algorithm with one value of each parameter, measured on one instance. The "
      "samples of a\ncell are times of its kernel. `matrix_info --help` names the generators of "
      "matrices.\n" +
      std::string(cache_help));
  app_.add_option("source", line_.positionals, spec_.source_help);
  app_.add_option(
      "--matrix-name", line_.matrix_name,
      "Name of the matrix in tables and records [name of the file or of the generator]");

  app_.add_option("-a,--algorithm", asked_,
                  "Algorithms to measure, with commas between them, or all [all]");
}

void CommandLineReader::Options::add_parameters(const std::vector<Parameter>& parameters,
                                                const char* group) {
  for (const Parameter& parameter : parameters) {
    app_.add_option(option_name(parameter.name), texts_[parameter.name], describe(parameter))
        ->group(group);
  }
}

void CommandLineReader::Options::add_timing() {
  TimingOptions& timing = line_.timing;
  const char* const group = "Timing";
  const auto count = CLI::Range(1, 1000000);
  app_.add_option("-r,--repetitions", timing.repetitions,
                  "Samples of a cell before --precision may end it")
      ->check(count)
      ->capture_default_str()
      ->group(group);
  app_.add_option("--min-repetitions", timing.min_repetitions,
                  "Samples of a cell before --time-cap may end it")
      ->check(count)
      ->capture_default_str()
      ->group(group);
  app_.add_option("--max-repetitions", timing.max_repetitions, "Most samples of a cell")
      ->check(count)
      ->capture_default_str()
      ->group(group);
  app_.add_option("--precision", timing.precision,
                  "End a cell when half the width of the median's 95 % interval, divided by the "
                  "median, is at most this")
      ->check(number(0.0, 1.0, "a number from 0 to 1"))
      ->capture_default_str()
      ->group(group);
  app_.add_option("--time-cap", timing.time_cap_s,
                  "End a cell when its timed executions take this many seconds")
      ->check(number(0.0, 1e6, "a number of seconds from 0 to 1000000"))
      ->capture_default_str()
      ->group(group);
  app_.add_option("--again", timing.again,
                  "Take all samples once more when a larger share of those on the host was "
                  "disturbed by other programs, and keep the calmer ones; 1: never")
      ->check(number(0.0, 1.0, "a number from 0 to 1"))
      ->capture_default_str()
      ->group(group);
  app_.add_option("--warmup", timing.warmup, "Untimed executions of a cell before its first sample")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str()
      ->group(group);
  app_.add_option(
          "--end-to-end", timing.end_to_end,
          "End-to-end cycles of a cell (allocation, transfers, preparation, kernel) for each "
          "kind of host memory; 0: none")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str()
      ->group(group);
  app_.add_option(
          "--cache", cache_,
          "Before each sample; warm: untimed executions, on the host three, or fewer if these "
          "take 0.1 s, on a device one, flushed: the caches are emptied")
      ->check(CLI::IsMember({"warm", "flushed"}))
      ->capture_default_str()
      ->group(group);
  app_.add_option("--seed", timing.seed, "Seed of the random order in which cells are sampled")
      ->check(number(0.0, 0x1p53, "an integer from 0 to 2^53"))
      ->capture_default_str()
      ->group(group);

  app_.add_option(
          "--repeat", line_.repeat,
          "Number of this run in the records, where the same command runs several times; such "
          "runs show the spread between runs")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str()
      ->group(group);
}

void CommandLineReader::Options::add_records() {
  app_.add_option(
      "--json", line_.json,
      "Write the records to this file, one JSON object per line; - means standard output");
  app_.add_option("--machine-id", line_.machine_id,
                  "Name of this machine in the records [made of its processor and cores]")
      ->check(CLI::Validator(machine_name_refusal, "NAME"));
  app_.add_option("--huge-pages", line_.huge_pages,
                  "yes: all arrays lie on huge pages, matrices and operands included; no: none do")
      ->check(CLI::IsMember({"yes", "no"}))
      ->capture_default_str();
  app_.add_flag("--list", line_.list,
                "List the algorithms, their parameters and whether they run here, then exit; with "
                "--json as JSON");
  app_.add_flag("-q,--quiet", line_.quiet, "Print no table and no progress");
}

void CommandLineReader::Options::parse(int argc, const char* const* argv) {
  try {
    app_.parse(argc, argv);
    line_.timing.flush = cache_ == "flushed";
    order_limits(line_.timing, app_);
    line_.algorithms = select_algorithms(parts_of("--algorithm", asked_), spec_.algorithms);
    for (auto& [name, values] : texts_) {
      values = parts_of(option_name(name), values);
    }
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    app_.exit(success, text, text);
    throw CommandLineEnd{0, text.str()};
  } catch (const CLI::ParseError& error) {
    refuse(error.what() + std::string(" (--help shows all options)"));
  } catch (const InputError& error) {
    refuse(error.what());
  }
}

void CommandLineReader::Options::read_parameters() {
  for (const auto* parameters : {&spec_.instance_parameters, &spec_.algorithm_parameters}) {
    for (const Parameter& parameter : *parameters) {
      for (const std::string& text : texts_[parameter.name]) {
        const ParamValue value = parse_param_value(text);
        if (const std::string reason = given_refusal(parameter, value); !reason.empty()) {
          refuse(reason);
        }
        line_.values[parameter.name].push_back(value);
      }
      if (const auto given = line_.values.find(parameter.name); given != line_.values.end()) {
        given->second = without_doubles(given->second);
      }
    }
  }
}

CommandLineReader::CommandLineReader(const CommandLineSpec& spec)
    : options_(std::make_unique<Options>(spec)) {}
CommandLineReader::~CommandLineReader() = default;

CommandLine CommandLineReader::read(int argc, const char* const* argv) {
  return options_->read(argc, argv);
}

CommandLine parse_command_line(int argc, char** argv, const CommandLineSpec& spec) {
  try {
    return CommandLineReader(spec).read(argc, argv);
  } catch (const CommandLineEnd& end) {
    (end.code == 0 ? std::cout : std::cerr) << end.text << std::flush;
    std::exit(end.code);
  }
}

}  // namespace sparserepro
