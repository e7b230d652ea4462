// Driver of a problem: command line, grid of cells, measurement, table and records.
//
// A problem class P has
//   name                           static; the name of the problem
//   Input, Result                  types; Input has name, source, origin and sha256, as Matrix has
//   instance_parameters()          static; the parameters of an instance
//   P(input, instance)             may throw InputError
//   parameters()                   optional; the parameters on which this instance depends
//   shape(), model(), reference()  see harness/problem.hpp; the reference may have any type
//   reference_arrays()             optional; the arrays of the reference, to see whether they fit
//   check(result, reference)       CheckOutcome
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/affinity.hpp"
#include "common/bench_loop.hpp"
#include "common/cli.hpp"
#include "common/grid.hpp"
#include "common/lock.hpp"
#include "common/reading.hpp"
#include "common/record.hpp"
#include "common/restart.hpp"
#include "common/summary.hpp"
#include "cuda/device_info.hpp"
#include "cuda/multi/device_group.hpp"
#include "formats/error.hpp"
#include "generate/memory_guard.hpp"
#include "harness/build_info.hpp"

namespace sparserepro {

/// What a driver adds to the shared parts: texts, the table of algorithms, the loader of its input.
template <class Problem>
struct Driver {
  std::string description;
  std::string source_help;
  std::string default_source;  ///< used if no positional is given; "": a positional is required
  const std::vector<Algorithm<Problem>>& table;
  std::function<typename Problem::Input(const std::string&)> load;
  /// Makes the source of the positionals. Null: there is one positional, the source.
  std::function<std::string(const std::vector<std::string>&)> source_from_positionals{};
};

/// The catalogue of --list as JSON: problem, instance parameters, algorithms.
template <class Problem>
nlohmann::ordered_json catalogue(const std::vector<Algorithm<Problem>>& table) {
  using json = nlohmann::ordered_json;
  json out = {{"problem", Problem::name},
              {"instance_parameters", json::array()},
              {"algorithms", json::array()}};
  for (const Parameter& parameter : Problem::instance_parameters()) {
    out["instance_parameters"].push_back(describe_parameter(parameter));
  }
  for (const Algorithm<Problem>& algorithm : table) {
    const std::string unavailable = algorithm.unavailable ? algorithm.unavailable() : "";
    json entry = {{"problem", Problem::name},
                  {"name", algorithm.name},
                  {"summary", algorithm.summary},
                  {"source", algorithm.source},
                  {"backend", to_string(algorithm.backend)},
                  {"peer", algorithm.peer},
                  {"baseline", baseline_of(algorithm, table)},
                  {"parameters", json::array()},
                  {"unavailable", unavailable.empty() ? json(nullptr) : json(unavailable)}};
    for (const Parameter& parameter : algorithm.parameters) {
      entry["parameters"].push_back(describe_parameter(parameter));
    }
    out["algorithms"].push_back(entry);
  }
  return out;
}

/// Options of the command line: union of the parameters of all algorithms.
template <class Problem>
CommandLineSpec command_line_spec(const Driver<Problem>& driver,
                                  const std::vector<Algorithm<Problem>>& table) {
  CommandLineSpec spec{.name = Problem::name,
                       .description = driver.description,
                       .source_help = driver.source_help,
                       .algorithms = {},
                       .instance_parameters = Problem::instance_parameters(),
                       .algorithm_parameters = {}};
  std::vector<std::string> owners;  // of algorithm_parameters
  for (const Algorithm<Problem>& algorithm : table) {
    spec.algorithms.push_back(algorithm.name);
    for (const Parameter& parameter : algorithm.parameters) {
      auto& all = spec.algorithm_parameters;
      const auto known = std::find_if(all.begin(), all.end(),
                                      [&](const Parameter& p) { return p.name == parameter.name; });
      if (known == all.end()) {
        all.push_back(parameter);
        owners.push_back(algorithm.name);
      } else {
        std::string& owner = owners[static_cast<std::size_t>(known - all.begin())];
        add_meaning(*known, owner, parameter, algorithm.name);
      }
    }
  }
  return spec;
}

/// Measures every instance of the command line and returns the records, one JSON object a line.
template <class Problem>
std::string measure_all(const Driver<Problem>& driver, const CommandLine& line,
                        const std::vector<Algorithm<Problem>>& table,
                        const std::vector<std::string>& argv) {
  if (line.positionals.empty() && driver.default_source.empty()) {
    throw InputError("the source is missing: " + driver.source_help);
  }
  const std::string source = line.positionals.empty() ? driver.default_source
                             : driver.source_from_positionals
                                 ? driver.source_from_positionals(line.positionals)
                                 : line.positionals.front();
  if (!driver.source_from_positionals && line.positionals.size() > 1) {
    throw InputError("one source is allowed; '" + line.positionals[1] + "' is a second one");
  }
  const std::vector<Params> instances = expand_grid(Problem::instance_parameters(), line.values);
  Progress progress(line.quiet);
  progress.show("loading " + source);
  const typename Problem::Input input = driver.load(source);
  if (instances.size() > 1) {  // the last one may be refused: before the first one is measured
    progress.show("checking the instances");
    check_instances<Problem>(input, instances);
  }
  const bool to_stdout = line.json == "-";
  progress.clear();
  if constexpr (requires { input.from_cache; }) {
    if (!line.quiet) {
      print_reading(to_stdout ? std::cerr : std::cout, input, Problem::name);
    }
  }
  const std::string run_id = new_run_id();
  std::string records;
  std::vector<Params> done;
  for (const Params& given : instances) {
    const Problem problem(input, given);
    const Params instance = instance_of(problem, given);
    if (std::find(done.begin(), done.end(), instance) != done.end()) {
      continue;  // the same instance with other values of parameters that it does not use
    }
    done.push_back(instance);
    const auto asked = make_cells(table, line, problem);
    const bool shared =
        has_one_gpu_alone(asked, std::getenv("SPARSEREPRO_GPU_SLOT"), visible_gpus());
    const MeasurementLock lock(line.quiet, shared);
    release_unused_memory();
    const RecordContext context{
        .problem = Problem::name,
        .matrix_name = line.matrix_name.empty() ? input.name : line.matrix_name,
        .source = input.origin == "file" ? std::filesystem::path(input.source).filename().string()
                                         : input.source,
        .origin = input.origin,
        .sha256 = input.sha256,
        .shape = problem.shape(),
        .instance = instance,
        .timing = line.timing,
        .machine_id = line.machine_id,
        .load_before = load_average(),
        .run_id = run_id,
        .repeat = line.repeat,
        .argv = argv,
        .started_utc = utc_now()};
    std::vector<CellResult> cells = measure(problem, asked, line.timing, progress);
    for (CellResult& cell : cells) {
      const auto named = [&](const auto& algorithm) { return algorithm.name == cell.algorithm; };
      cell.baseline = baseline_of(*std::find_if(table.begin(), table.end(), named), table);
    }
    for (const CellResult& cell : cells) {
      records += line_of(make_record(context, cell));
    }
    if (!line.quiet) {
      progress.clear();
      print_summary(to_stdout ? std::cerr : std::cout, context, cells);
    }
  }
  return records;
}

/// main() of a driver. Returns the exit code: 0, or 1 after one line on stderr.
template <class Problem>
int run_driver(int argc, char** argv, const Driver<Problem>& driver) {
  restart_with_settings(argv);
  if (!cuda_unavailable().empty()) {  // CUDA reserves addresses, which the limit may count
    guard_memory();
  }
  try {
    for (const std::string& refusal : {processor_refusal(), runtimes_refusal()}) {
      if (!refusal.empty()) {
        throw InputError(refusal);
      }
    }
    const auto table = with_threads(driver.table);
    const CommandLine line = parse_command_line(argc, argv, command_line_spec(driver, table));
    for (const std::string& source : line.positionals) {
      require_apart(source, line.json);
    }
    if (line.list) {
      const auto all = catalogue(table);
      if (line.json.empty()) {
        print_catalogue(std::cout, all);
      } else {
        write_text(line.json, text_of(all));
      }
      require_written(std::cout);
      return 0;
    }
    std::vector<std::string> arguments(argv, argv + argc);
    arguments.front() = std::filesystem::path(arguments.front()).filename().string();
    require_writable(line.json);
    if (const std::string note = runtimes_note(openmp_runtimes()); !note.empty() && !line.quiet) {
      std::cerr << Problem::name << ": " << note << '\n';
    }
    const std::string records = measure_all(driver, line, table, arguments);
    if (!line.json.empty()) {
      write_text(line.json, records);
    }
    require_written(std::cout);
    return 0;
  } catch (const std::bad_alloc& error) {
    std::cerr << Problem::name << ": not enough memory for this instance" << memory_words(error)
              << '\n';
  } catch (const std::exception& error) {
    std::cerr << Problem::name << ": " << error.what() << '\n';
  }
  return 1;
}

}  // namespace sparserepro
