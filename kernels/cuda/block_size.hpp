// The parameter `block_size`, and what a block cannot have.
#pragma once

#include <string>

#include "cuda/device_info.hpp"
#include "harness/params.hpp"

namespace sparserepro {

inline constexpr std::int64_t max_block_threads = 1024;

inline Parameter block_size_parameter(std::int64_t fallback) {
  return {"block_size", fallback, {}, "threads per block"};
}

inline std::string block_size_refusal(const Params& params) {
  return params.integer("block_size") <= max_block_threads
             ? ""
             : "a block has at most " + std::to_string(max_block_threads) + " threads";
}

inline std::string power_of_two_refusal(const Params& params) {
  const std::int64_t threads = params.integer("block_size");
  return (threads & (threads - 1)) == 0
             ? ""
             : "the tree of sums needs a power of two of threads, not " + std::to_string(threads);
}

/// "" without a device, where nothing runs anyway.
inline std::string shared_memory_refusal(std::int64_t bytes, const std::string& what) {
  return !gpu_info() || bytes <= gpu_info()->shared_bytes_per_block
             ? ""
             : what + " need " + std::to_string(bytes) + " bytes of shared memory; a block has " +
                   std::to_string(gpu_info()->shared_bytes_per_block);
}

}  // namespace sparserepro
