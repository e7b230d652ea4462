#include "common/cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <numeric>
#include <sstream>
#include <utility>

#include "common/reading.hpp"
#include "formats/error.hpp"
#include "harness/build_info.hpp"

namespace sparserepro {
namespace {

std::string option_name(std::string parameter) {
  std::replace(parameter.begin(), parameter.end(), '_', '-');
  return "--" + parameter;
}

std::string describe(const Parameter& parameter) {
  std::string text = parameter.help + " [" + to_string(parameter.fallback) + "]";
  for (std::size_t i = 0; i < parameter.allowed.size(); ++i) {
    text += (i == 0 ? "; one of " : ", ") + to_string(parameter.allowed[i]);
  }
  return text;
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replace, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
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

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best_distance <= std::max<std::size_t>(2, word.size() / 2) ? best : "";
}

CommandLine read_command_line(int argc, const char* const* argv, const CommandLineSpec& spec) {
  CommandLine line;
  CLI::App app{spec.description, spec.name};
  app.set_version_flag("--version", build_info().version + " (" + build_info().commit + ")");
  app.get_formatter()->column_width(34);
  app.footer(
      "A cell is one algorithm with one value of each parameter, measured on one instance. The "
      "samples of a\ncell are times of its kernel. `matrix_info --help` names the generators of "
      "matrices.\n" +
      std::string(cache_help));
  app.add_option("source", line.positionals, spec.source_help);
  app.add_option("--matrix-name", line.matrix_name,
                 "Name of the matrix in tables and records [name of the file or of the generator]");

  std::vector<std::string> asked{"all"};
  app.add_option("-a,--algorithm", asked,
                 "Algorithms to measure, with commas between them, or all [all]")
      ->delimiter(',');
  std::map<std::string, std::vector<std::string>> texts;
  const auto refuse = [&](const std::string& why) {
    throw CommandLineEnd{1, spec.name + ": " + why + '\n'};
  };
  const auto add_parameters = [&](const std::vector<Parameter>& parameters, const char* group) {
    for (const Parameter& parameter : parameters) {
      app.add_option(option_name(parameter.name), texts[parameter.name], describe(parameter))
          ->delimiter(',')
          ->group(group);
    }
  };
  add_parameters(spec.instance_parameters,
                 "Instance (one value, or several with commas between them)");
  add_parameters(spec.algorithm_parameters,
                 "Algorithm parameters (one value, or several with commas between them)");

  TimingOptions& timing = line.timing;
  std::string cache = "warm";
  const char* const group = "Timing";
  const auto count = CLI::Range(1, 1000000);
  app.add_option("-r,--repetitions", timing.repetitions,
                 "Samples of a cell before --precision may end it")
      ->check(count)
      ->capture_default_str()
      ->group(group);
  app.add_option("--min-repetitions", timing.min_repetitions,
                 "Samples of a cell before --time-cap may end it")
      ->check(count)
      ->capture_default_str()
      ->group(group);
  app.add_option("--max-repetitions", timing.max_repetitions, "Most samples of a cell")
      ->check(count)
      ->capture_default_str()
      ->group(group);
  app.add_option("--precision", timing.precision,
                 "End a cell when half the width of the median's 95 % interval, divided by the "
                 "median, is at most this")
      ->check(number(0.0, 1.0, "a number from 0 to 1"))
      ->capture_default_str()
      ->group(group);
  app.add_option("--time-cap", timing.time_cap_s,
                 "End a cell when its timed executions take this many seconds")
      ->check(number(0.0, 1e6, "a number of seconds from 0 to 1000000"))
      ->capture_default_str()
      ->group(group);
  app.add_option("--again", timing.again,
                 "Take all samples once more when a larger share of those on the host was "
                 "disturbed by other programs, and keep the calmer ones; 1: never")
      ->check(number(0.0, 1.0, "a number from 0 to 1"))
      ->capture_default_str()
      ->group(group);
  app.add_option("--warmup", timing.warmup, "Untimed executions of a cell before its first sample")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--end-to-end", timing.end_to_end,
         "End-to-end cycles of a cell (allocation, transfers, preparation, kernel) for each "
         "kind of host memory; 0: none")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str()
      ->group(group);
  app.add_option("--cache", cache,
                 "Before each sample; warm: one untimed execution, flushed: the caches are emptied")
      ->check(CLI::IsMember({"warm", "flushed"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--seed", timing.seed, "Seed of the random order in which cells are sampled")
      ->check(number(0.0, 0x1p53, "an integer from 0 to 2^53"))
      ->capture_default_str()
      ->group(group);

  app.add_option(
         "--repeat", line.repeat,
         "Number of this run in the records, where the same command runs several times; such "
         "runs show the spread between runs")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str()
      ->group(group);

  app.add_option(
      "--json", line.json,
      "Write the records to this file, one JSON object per line; - means standard output");
  app.add_option("--machine-id", line.machine_id,
                 "Name of this machine in the records [made of its processor and cores]")
      ->check(CLI::Validator(machine_name_refusal, "NAME"));
  app.add_option("--huge-pages", line.huge_pages,
                 "yes: all arrays lie on huge pages, matrices and operands included; no: none do")
      ->check(CLI::IsMember({"yes", "no"}))
      ->capture_default_str();
  app.add_flag("--list", line.list,
               "List the algorithms, their parameters and whether they run here, then exit; with "
               "--json as JSON");
  app.add_flag("-q,--quiet", line.quiet, "Print no table and no progress");

  try {
    app.parse(argc, argv);
    line.timing.flush = cache == "flushed";
    order_limits(line.timing, app);
    line.algorithms = select_algorithms(asked, spec.algorithms);
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    app.exit(success, text, text);
    throw CommandLineEnd{0, text.str()};
  } catch (const CLI::ParseError& error) {
    refuse(error.what() + std::string(" (--help shows all options)"));
  } catch (const InputError& error) {
    refuse(error.what());
  }
  for (const auto* parameters : {&spec.instance_parameters, &spec.algorithm_parameters}) {
    for (const Parameter& parameter : *parameters) {
      for (const std::string& text : texts[parameter.name]) {
        const ParamValue value = parse_param_value(text);
        if (value.index() != parameter.fallback.index()) {
          refuse(option_name(parameter.name) + ": '" + text +
                 (std::holds_alternative<std::int64_t>(parameter.fallback)
                      ? "' is not an integer"
                      : "' is a number; it must be a name"));
        }
        line.values[parameter.name].push_back(value);
      }
    }
  }
  return line;
}

CommandLine parse_command_line(int argc, char** argv, const CommandLineSpec& spec) {
  try {
    return read_command_line(argc, argv, spec);
  } catch (const CommandLineEnd& end) {
    (end.code == 0 ? std::cout : std::cerr) << end.text << std::flush;
    std::exit(end.code);
  }
}

void add_meaning(Parameter& known, std::string& owner, const Parameter& other,
                 const std::string& algorithm) {
  if (known.help.find(other.help) == std::string::npos) {
    known.help = (owner.empty() ? known.help : owner + ": " + known.help) + ". " + algorithm +
                 ": " + other.help;
    owner.clear();
  }
  if (known.allowed.empty()) {
    return;  // any integer
  }
  for (const ParamValue& value : other.allowed) {
    if (std::find(known.allowed.begin(), known.allowed.end(), value) == known.allowed.end()) {
      known.allowed.push_back(value);
    }
  }
}

}  // namespace sparserepro
