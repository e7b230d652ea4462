// Names and values of the parameters of an algorithm or of a problem instance.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace sparserepro {

using ParamValue = std::variant<std::int64_t, std::string>;

/// Text of a value, as on the command line.
std::string to_string(const ParamValue& value);

/// The integer that the whole text denotes, else the text.
ParamValue parse_param_value(const std::string& text);

/// Name and allowed values of a parameter. Configuration and records use `name`, the command line
/// its form with hyphens (`block_size` as `--block-size`).
struct Parameter {
  std::string name;
  ParamValue fallback;              ///< default value
  std::vector<ParamValue> allowed;  ///< empty: any integer from `minimum` up
  std::string help;
  std::int64_t minimum = 1;
};

/// Parameter values of one cell. A lookup of an absent name throws std::out_of_range; one of the
/// wrong type throws std::bad_variant_access.
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
  /// OpenMP threads of this cell; 1 where the algorithm has no such parameter.
  int threads() const { return has("threads") ? static_cast<int>(integer("threads")) : 1; }

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool empty() const { return values_.empty(); }
  friend bool operator==(const Params&, const Params&) = default;

 private:
  std::map<std::string, ParamValue> values_;
};

/// "block_size=128 k=8", in alphabetical order; "" if there are none.
std::string to_string(const Params& params);

/// "" if `parameter` may have `value`, else a message that says why not.
std::string value_refusal(const Parameter& parameter, const ParamValue& value);

}  // namespace sparserepro
