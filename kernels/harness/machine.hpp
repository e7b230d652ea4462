// Facts of the machine that a record carries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sparserepro {

struct MachineInfo {
  std::string id;   ///< slug of processor, core count and installation; the user may name another
  std::string cpu;  ///< model name
  int cores_available{};  ///< logical processors that this process may run on
  std::int64_t memory_bytes{};
  std::int64_t last_level_cache_bytes{};  ///< of all together; 0 when the system does not tell
  std::string os;                         ///< kernel name, release and architecture
  std::optional<bool> smt{};              ///< several logical processors a core; none: not told
  std::optional<int> sockets{};           ///< none: not told
  int numa_nodes = 1;
  std::string governor{};        ///< of the clocks, "/" between different ones; "": not told
  std::string huge_page_mode{};  ///< "always", "madvise", "never" or "unknown"
  std::string allocator{};       ///< the C library and its malloc settings that are not defaults
};

/// Read once from /proc, /sys, /etc and uname.
const MachineInfo& machine_info();

/// The same, read anew from /proc, /sys and /etc under the folder `root`.
MachineInfo read_machine_info(const std::string& root);

/// One-minute load average, or a negative number when the system does not tell.
double load_average();

}  // namespace sparserepro
