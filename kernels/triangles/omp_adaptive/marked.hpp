// How many numbers of a list are marked in a bitmap.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/types.hpp"

namespace sparserepro {

/// Numbers i of list[0, length) with bit i % 32 of bitmap[i / 32] set.
using CountMarked = std::uint64_t (*)(const std::uint32_t* bitmap, const index_t* list,
                                      index_t length);

/// Those that this processor can run, the widest vectors first.
std::vector<CountMarked> count_marked_variants();

}  // namespace sparserepro
