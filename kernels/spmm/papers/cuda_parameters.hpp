// Parameters that several products on the device have, with the seed's values as defaults.
#pragma once

#include "harness/params.hpp"

namespace sparserepro {

/// The seed found 512 threads best on its card.
inline Parameter spmm_block_size() {
  return {"block_size", std::int64_t{512}, {128, 256, 512, 1024}, "threads of a block"};
}

/// Threads that share one element of Y.
inline Parameter spmm_sub_warp(std::int64_t seed_value) {
  return {"sub_warp", seed_value, {2, 4, 8, 16}, "threads that share an element of Y"};
}

}  // namespace sparserepro
