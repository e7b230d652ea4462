// Graphs that the generators do not make.
#pragma once

#include <string>

#include "support/battery.hpp"

namespace sparserepro::testing {

/// A complete graph whose vertices are numbered step * i, among vertices without edges: every
/// neighbour of a row is congruent modulo any divisor of `step`.
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
