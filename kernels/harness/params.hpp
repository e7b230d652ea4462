// Names and values of an algorithm's or a problem instance's parameters.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace sparserepro {

using ParamValue = std::variant<std::int64_t, std::string>;

std::string to_string(const ParamValue& value);

/// Reads an integer when the whole text is one, else keeps the text.
ParamValue parse_param_value(const std::string& text);

/// What a parameter may be. In the grid, on the command line (`block_size` as `--block-size`) and
/// in records it goes by `name`.
struct Parameter {
  std::string name;
  ParamValue fallback;              ///< value when the user gives none
  std::vector<ParamValue> allowed;  ///< empty: any integer from `minimum` up
  std::string help;
  std::int64_t minimum = 1;
};

/// The values of one cell. Lookups of a name that is not there throw std::out_of_range.
class Params {
 public:
  Params() = default;
  Params(std::initializer_list<std::pair<const std::string, ParamValue>> values)
      : values_(values) {}

  void set(const std::string& name, ParamValue value) { values_[name] = std::move(value); }
  bool has(const std::string& name) const { return values_.contains(name); }
  const ParamValue& value(const std::string& name) const { return values_.at(name); }
  std::int64_t integer(const std::string& name) const {
    return std::get<std::int64_t>(values_.at(name));
  }
  const std::string& text(const std::string& name) const {
    return std::get<std::string>(values_.at(name));
  }
  /// OpenMP threads of this cell; 1 for an algorithm without the parameter.
  int threads() const { return has("threads") ? static_cast<int>(integer("threads")) : 1; }

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool empty() const { return values_.empty(); }
  friend bool operator==(const Params&, const Params&) = default;

 private:
  std::map<std::string, ParamValue> values_;
};

/// "block_size=128 k=8", in the order of the names; "" when there are none.
std::string to_string(const Params& params);

/// "" or why `value` is not allowed for `parameter`.
std::string value_refusal(const Parameter& parameter, const ParamValue& value);

}  // namespace sparserepro
