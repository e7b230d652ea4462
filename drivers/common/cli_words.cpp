// Words of the command line: names of options, what is wrong with a value, hints at misspelt words,
// and help texts of parameters that several algorithms have.
#include <algorithm>
#include <limits>
#include <string_view>

#include "common/cli.hpp"
#include "generate/edit_distance.hpp"

namespace sparserepro {
namespace {

/// Whether the value is an integer or a name as the default is, or as one of the allowed values.
bool has_type_of(const Parameter& parameter, const ParamValue& value) {
  const auto like = [&](const ParamValue& other) { return other.index() == value.index(); };
  return like(parameter.fallback) ||
         std::any_of(parameter.allowed.begin(), parameter.allowed.end(), like);
}

}  // namespace

std::string option_name(std::string parameter) {
  std::replace(parameter.begin(), parameter.end(), '_', '-');
  return "--" + parameter;
}

std::string given_refusal(const Parameter& parameter, const ParamValue& value) {
  if (has_type_of(parameter, value)) {
    return value_refusal(parameter, value);
  }
  return option_name(parameter.name) + ": '" + to_string(value) +
         (std::holds_alternative<std::int64_t>(parameter.fallback)
              ? "' is not an integer"
              : "' is a number; it must be a name");
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string_view compared = compared_part(word);
  std::string best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(compared, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best_distance <= std::max<std::size_t>(2, compared.size() / 2) ? best : "";
}

void add_meaning(Parameter& known, std::string& owner, const Parameter& other,
                 const std::string& algorithm) {
  if (known.help.find(other.help) == std::string::npos) {
    known.help = (owner.empty() ? known.help : owner + ": " + known.help) + ". " + algorithm +
                 ": " + other.help;
    owner.clear();
  }
  known.minimum = std::min(known.minimum, other.minimum);
  if (known.allowed.empty() || other.allowed.empty()) {
    known.allowed.clear();  // any integer
    return;
  }
  for (const ParamValue& value : other.allowed) {
    if (std::find(known.allowed.begin(), known.allowed.end(), value) == known.allowed.end()) {
      known.allowed.push_back(value);
    }
  }
}

}  // namespace sparserepro
