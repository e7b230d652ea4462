// Options that take one value or a list with commas between the values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sparserepro {

/// The parts of the lists that `option` was given, in their order. Throws InputError where one is
/// empty.
std::vector<std::string> parts_of(const std::string& option, const std::vector<std::string>& lists);

/// The same as integers, each once. Throws InputError where a part is none from `low` to `high`.
std::vector<std::int64_t> integers_of(const std::string& option,
                                      const std::vector<std::string>& lists, std::int64_t low,
                                      std::int64_t high);

}  // namespace sparserepro
