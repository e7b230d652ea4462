// Facts of the machine that every record states.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sparserepro {

/// Facts of a machine. Those that the system does not report are empty, 0 or "".
struct MachineInfo {
  std::string id;         ///< <processor>-<cores>c-<installation>; the user may name another
  std::string cpu;        ///< model name
  int cores_available{};  ///< logical processors that this process may run on
  std::int64_t memory_bytes{};
  std::int64_t last_level_cache_bytes{};  ///< of all last-level caches together; 0: not reported
  std::string os;                         ///< kernel name, release and architecture
  std::optional<bool> smt{};              ///< several logical processors a core; none: not reported
  std::optional<int> sockets{};           ///< none: not reported
  int numa_nodes = 1;
  std::string governor{};        ///< of the clocks, "/" between different ones; "": not reported
  std::string huge_page_mode{};  ///< "always", "madvise", "never" or "unknown"
  std::string allocator{};       ///< C library, and settings of its malloc other than defaults
};

/// Facts of this machine, read once from /proc, /sys, /etc and uname.
const MachineInfo& machine_info();

/// Facts of a machine, read from /proc, /sys and /etc under the folder `root` and from uname.
MachineInfo read_machine_info(const std::string& root);

/// One-minute load average; a negative number if the system does not report it.
double load_average();

}  // namespace sparserepro
