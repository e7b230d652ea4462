// The memory that this process may take.
#pragma once

#include <string>

namespace sparserepro {

struct MemoryLimit {
  double bytes{};
  std::string of;  ///< what sets it, as in "the control group"
};

/// The least of the machine's memory, the limits of the control group and of those above it
/// (version 2: memory.max; version 1: memory.limit_in_bytes), and the process's limits of address
/// space and data (ulimit -v, -d).
MemoryLimit memory_limit();

}  // namespace sparserepro
