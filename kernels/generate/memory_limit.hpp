// The memory that this process may take, and matrices that exceed it.
#pragma once

#include <cstdint>
#include <string>

#include "formats/types.hpp"

namespace sparserepro {

struct MemoryLimit {
  double bytes{};
  std::string of;  ///< what sets it, as in "the control group"
};

/// The least of the machine's memory, the limits of the control group and of those above it
/// (version 2: memory.max; version 1: memory.limit_in_bytes), and the process's limits of address
/// space and data (ulimit -v, -d).
MemoryLimit memory_limit();

/// "" or why a matrix in CSR with so many rows and entries is too large for this process. The
/// system may grant memory that it does not have, and then kills the process that uses it.
std::string memory_refusal(index_t rows, std::int64_t entries);

}  // namespace sparserepro
