// Parameters of several products on the device; their defaults are the values of the seed.
#pragma once

#include "harness/params.hpp"

namespace sparserepro {

/// Threads of a block. The seed measured 512 as the fastest on its GPU.
inline Parameter spmm_block_size() {
  return {"block_size", std::int64_t{512}, {128, 256, 512, 1024}, "threads per block"};
}

/// Threads that share one element of Y.
inline Parameter spmm_sub_warp(std::int64_t seed_value) {
  return {"sub_warp", seed_value, {2, 4, 8, 16}, "threads that compute one element of Y together"};
}

}  // namespace sparserepro
