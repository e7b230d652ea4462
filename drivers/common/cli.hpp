// The command line that all problem drivers share.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/measurement.hpp"
#include "harness/params.hpp"

namespace sparserepro {

/// What a driver tells the command line about its problem.
struct CommandLineSpec {
  std::string name;         ///< of the driver
  std::string description;  ///< one paragraph
  std::string source_help;  ///< of the positional argument
  std::vector<std::string> algorithms;
  std::vector<Parameter> instance_parameters;
  std::vector<Parameter> algorithm_parameters;  ///< union over the algorithms, one per name
};

struct CommandLine {
  std::vector<std::string> positionals;
  std::string matrix_name;
  std::vector<std::string> algorithms;                    ///< in the order of the table
  std::map<std::string, std::vector<ParamValue>> values;  ///< only of options that were given
  TimingOptions timing;
  int repeat = 0;
  std::string json;
  std::string machine_id;
  std::string huge_pages = "yes";  ///< takes effect before parsing (common/restart.hpp)
  bool list = false;
  bool quiet = false;
};

/// Parses; prints help or a one-line error and exits where there is nothing more to do.
/// Exit codes: 0 after --help, 1 on a wrong command line.
CommandLine parse_command_line(int argc, char** argv, const CommandLineSpec& spec);

/// The candidate nearest to `word` by edit distance, or "" when none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// Adds what `other` of `algorithm` means and allows to the parameter of the same name of `owner`,
/// which becomes "" once the help names its algorithms.
void add_meaning(Parameter& known, std::string& owner, const Parameter& other,
                 const std::string& algorithm);

}  // namespace sparserepro
