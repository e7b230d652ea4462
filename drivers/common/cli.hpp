// Command line of the problem drivers.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/measurement.hpp"
#include "harness/params.hpp"

namespace sparserepro {

/// Options and help texts of one driver.
struct CommandLineSpec {
  std::string name;         ///< of the driver
  std::string description;  ///< one paragraph
  std::string source_help;  ///< of the positional argument
  std::vector<std::string> algorithms;
  std::vector<Parameter> instance_parameters;
  std::vector<Parameter> algorithm_parameters;  ///< of all algorithms, one for each name
};

/// The parsed command line.
struct CommandLine {
  std::vector<std::string> positionals;
  std::string matrix_name;
  std::vector<std::string> algorithms;                    ///< in the order of the table
  std::map<std::string, std::vector<ParamValue>> values;  ///< of the given options, each once
  TimingOptions timing;
  int repeat = 0;
  std::string json;
  std::string machine_id;
  std::string huge_pages = "yes";  ///< already in effect (common/restart.hpp)
  bool list = false;
  bool quiet = false;
};

/// What ends a driver before it measures: a text for stdout with code 0, after --help or --version,
/// or a line for stderr with code 1.
struct CommandLineEnd {
  int code;
  std::string text;
};

/// The values in their order, each once.
template <class Value>
std::vector<Value> without_doubles(const std::vector<Value>& values) {
  std::vector<Value> once;
  for (const Value& value : values) {
    if (std::find(once.begin(), once.end(), value) == once.end()) {
      once.push_back(value);
    }
  }
  return once;
}

/// Parses command lines of one driver, each for itself.
class CommandLineReader {
 public:
  explicit CommandLineReader(const CommandLineSpec& spec);
  ~CommandLineReader();
  CommandLineReader(const CommandLineReader&) = delete;
  CommandLineReader& operator=(const CommandLineReader&) = delete;

  /// Throws CommandLineEnd where the driver ends there: with help, or with the reason why a word,
  /// or one of a list, is none that the driver knows.
  CommandLine read(int argc, const char* const* argv);

 private:
  class Options;
  std::unique_ptr<Options> options_;
};

/// Parses the command line. Where the driver ends there, prints the text and exits with the code.
CommandLine parse_command_line(int argc, char** argv, const CommandLineSpec& spec);

/// "--block-size" of the parameter block_size.
std::string option_name(std::string parameter);

/// "" or why the value is none of the parameter, or of the wrong type.
std::string given_refusal(const Parameter& parameter, const ParamValue& value);

/// The candidate with the smallest edit distance to `word`, or "" if that distance exceeds both 2
/// and half the length of `word`.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// Merges `other`, a parameter of `algorithm`, into `known`, the parameter of the same name of
/// `owner`: `known` then allows what either allows, and a different help text is appended. The help
/// then names its algorithms, and `owner` becomes "".
void add_meaning(Parameter& known, std::string& owner, const Parameter& other,
                 const std::string& algorithm);

}  // namespace sparserepro
