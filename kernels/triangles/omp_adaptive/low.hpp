// Triangles of a graph of low degrees, without any preparation.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/graph.hpp"

namespace sparserepro {

/// Triangles whose largest vertex is in [first, last).
using CountLow = std::uint64_t (*)(const GraphView& graph, index_t first, index_t last);

/// Those that this processor can run, the widest vectors first.
std::vector<CountLow> count_low_variants();

}  // namespace sparserepro
