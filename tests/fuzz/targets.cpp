#include "fuzz/targets.hpp"

#include <utility>

namespace sparserepro::fuzz {

Target target_of(std::string_view name) {
  constexpr std::pair<std::string_view, Target> table[] = {{"matrix_market", matrix_market},
                                                           {"matrix_file", matrix_file},
                                                           {"generator", generator},
                                                           {"command_line", command_line}};
  for (const auto& [known, target] : table) {
    if (name == known) {
      return target;
    }
  }
  return nullptr;
}

}  // namespace sparserepro::fuzz
