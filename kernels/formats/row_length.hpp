// Lengths of rows as 32-bit numbers, which most formats store.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "formats/error.hpp"
#include "formats/types.hpp"

namespace sparserepro {

/// `length` entries of row `row`, from 0. Throws InputError where they are more than 2^31 - 1,
/// which only a row with repeated positions can have.
inline index_t row_length(std::int64_t row, std::int64_t length) {
  if (length > std::numeric_limits<index_t>::max()) {
    throw InputError("row " + std::to_string(row) + " has " + std::to_string(length) +
                     " entries; lengths of rows are 32-bit numbers");
  }
  return static_cast<index_t>(length);
}

}  // namespace sparserepro
