// Oracles that the problem also makes its inputs with.
#pragma once

#include <cstdint>

#include "formats/buffer.hpp"
#include "formats/types.hpp"

namespace sparserepro {

/// Sorts each segment stably by key; `payload`, where given, moves along.
void sort_segments(std::int64_t segment, Buffer<index_t>& keys, Buffer<index_t>* payload);

/// Counts the elements of each bin; [bins+1].
Buffer<index_t> pointers_of(const Buffer<index_t>& index, index_t bins);

}  // namespace sparserepro
