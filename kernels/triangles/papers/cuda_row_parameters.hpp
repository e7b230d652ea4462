// Parameters of cuda_block_per_row and cuda_block_per_row_shared.
#pragma once

#include "harness/params.hpp"

namespace sparserepro {

inline Parameter block_size_parameter() {
  return {"block_size",
          std::int64_t{32},
          {std::int64_t{32}, std::int64_t{64}, std::int64_t{128}, std::int64_t{256}},
          "threads per block; one block counts for one row"};
}

inline Parameter atomics_parameter() {
  return {"atomics", "row", {"row", "edge"}, "one atomic addition to the sum per row, or per edge"};
}

}  // namespace sparserepro
