#include "generate/spec.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "formats/error.hpp"
#include "generate/edit_distance.hpp"

namespace sparserepro::generation {
namespace {

std::string number_text(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr;
  return std::string(text, end);
}

double parse_value(const GeneratorInfo& info, const GeneratorKey& key, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  const bool kind = whole && std::isfinite(value) && (!key.integer || value == std::floor(value));
  require(kind && value >= key.low && value <= key.high,
          info.name + ": " + key.name + " must be " + (key.integer ? "an integer" : "a number") +
              " from " + number_text(key.low) + " to " + number_text(key.high) + ", not '" + text +
              "'");
  return value + 0.0;  // -0 becomes 0
}

}  // namespace

void require(bool condition, const std::string& message) {
  if (!condition) {
    throw InputError(message);
  }
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::size_t> distances;
  for (const std::string& candidate : names) {
    distances.push_back(edit_distance(compared_part(name), candidate));
  }
  return names[static_cast<std::size_t>(std::min_element(distances.begin(), distances.end()) -
                                        distances.begin())];
}

GeneratorKey seed_key() {
  return {"seed", "1", "seed of the random numbers", 0, 0x1p53 - 1, true};
}

SpecValues::SpecValues(const GeneratorInfo& info, const std::string& assignments) : info_(info) {
  std::size_t begin = assignments.empty() ? std::string::npos : 0;
  while (begin != std::string::npos) {
    const std::size_t comma = assignments.find(',', begin);
    const std::string assignment = assignments.substr(begin, comma - begin);
    begin = comma == std::string::npos ? comma : comma + 1;
    const std::size_t equals = assignment.find('=');
    require(equals != std::string::npos,
            info.name + ": expected key=value, not '" + assignment + "'");
    const std::string name = assignment.substr(0, equals);
    const auto key = std::find_if(info.keys.begin(), info.keys.end(),
                                  [&](const GeneratorKey& k) { return k.name == name; });
    if (key == info.keys.end()) {
      std::vector<std::string> names;
      for (const GeneratorKey& k : info.keys) {
        names.push_back(k.name);
      }
      throw InputError(info.name + ": unknown key '" + name + "'; did you mean '" +
                       nearest_name(name, names) + "'?");
    }
    require(!values_.contains(name), info.name + ": " + name + " is given twice");
    values_[name] = parse_value(info, *key, assignment.substr(equals + 1));
  }
  for (const GeneratorKey& key : info.keys) {
    if (!values_.contains(key.name)) {
      values_[key.name] = parse_value(info, key, key.fallback);
    }
  }
}

std::int64_t SpecValues::integer(const std::string& key) const {
  return static_cast<std::int64_t>(values_.at(key));
}

std::string SpecValues::canonical() const {
  std::string text = info_.name;
  for (const GeneratorKey& key : info_.keys) {
    text += (&key == &info_.keys.front() ? ":" : ",") + key.name + "=" +
            number_text(values_.at(key.name));
  }
  return text;
}

}  // namespace sparserepro::generation
