#include "common/lists.hpp"

#include <algorithm>
#include <variant>

#include "common/cli.hpp"
#include "formats/error.hpp"
#include "harness/params.hpp"

namespace sparserepro {

std::vector<std::string> parts_of(const std::string& option,
                                  const std::vector<std::string>& lists) {
  std::vector<std::string> parts;
  for (const std::string& list : lists) {
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      if (end == begin) {
        throw InputError(option + ": '" + list + "' has an empty part");
      }
      parts.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return parts;
}

std::vector<std::int64_t> integers_of(const std::string& option,
                                      const std::vector<std::string>& lists, std::int64_t low,
                                      std::int64_t high) {
  std::vector<std::int64_t> numbers;
  for (const std::string& part : parts_of(option, lists)) {
    const ParamValue value = parse_param_value(part);
    const std::int64_t* const number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number < low || *number > high) {
      throw InputError(option + ": '" + part + "' is not an integer from " + std::to_string(low) +
                       " to " + std::to_string(high));
    }
    numbers.push_back(*number);
  }
  return without_doubles(numbers);
}

}  // namespace sparserepro
