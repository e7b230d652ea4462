// Reference algorithms that the problem also uses to make its inputs.
#pragma once

#include <cstdint>

#include "formats/buffer.hpp"
#include "formats/types.hpp"

namespace sparserepro {

/// Sorts each segment of `segment` keys stably; `payload`, unless null, moves with the keys.
void sort_segments(std::int64_t segment, Buffer<index_t>& keys, Buffer<index_t>* payload);

/// pointers[b] = #{i : index[i] < b} for b in [0, bins]; [bins+1].
Buffer<index_t> pointers_of(const Buffer<index_t>& index, index_t bins);

}  // namespace sparserepro
