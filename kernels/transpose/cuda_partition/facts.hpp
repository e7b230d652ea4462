// What a transposition tells of itself.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sparserepro::partition {

/// Names and values, as records have them.
using Facts = std::vector<std::pair<std::string, double>>;

}  // namespace sparserepro::partition
