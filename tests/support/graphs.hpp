// Graphs for tests that no generator makes.
#pragma once

#include <string>

#include "support/battery.hpp"

namespace sparserepro::testing {

/// A complete graph on the vertices step * i, i < corners, among vertices without edges. All
/// neighbours of a vertex are congruent modulo every divisor of `step`.
inline Matrix spread_complete_graph(index_t corners, index_t step) {
  std::vector<Entry> entries;
  for (index_t i = 0; i < corners; ++i) {
    for (index_t j = 0; j < corners; ++j) {
      if (i != j) {
        entries.emplace_back(i * step, j * step, 1.0);
      }
    }
  }
  const index_t n = corners * step;
  return matrix_from_entries("complete_graph_in_steps_of_" + std::to_string(step), n, n, entries);
}

}  // namespace sparserepro::testing
