#include "harness/params.hpp"

#include <charconv>

namespace sparserepro {

std::string to_string(const ParamValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return std::to_string(*number);
  }
  return std::get<std::string>(value);
}

ParamValue parse_param_value(const std::string& text) {
  std::int64_t number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error == std::errc{} && end == last && !text.empty()) {
    return number;
  }
  return text;
}

std::string to_string(const Params& params) {
  std::string out;
  for (const auto& [name, value] : params) {
    out += (out.empty() ? "" : " ") + name + "=" + to_string(value);
  }
  return out;
}

std::string value_refusal(const Parameter& parameter, const ParamValue& value) {
  const std::string given = parameter.name + " = " + to_string(value);
  if (parameter.allowed.empty()) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr) {
      return given + ": an integer is needed";
    }
    if (*number < parameter.minimum) {
      return given + ": must be at least " + std::to_string(parameter.minimum);
    }
    return "";
  }
  std::string list;
  for (const auto& candidate : parameter.allowed) {
    if (candidate == value) {
      return "";
    }
    list += (list.empty() ? "" : ", ") + to_string(candidate);
  }
  return given + ": allowed are " + list;
}

}  // namespace sparserepro
