// The control groups that bound the memory of this process.
#pragma once

#include <fstream>
#include <string>

namespace sparserepro {

/// Calls `visit(folder, version)` with the folder of each control group of memory that this process
/// is in, and of those above it, for version 1 or 2 of the interface.
template <class Visit>
void for_each_memory_group(const Visit& visit) {
  std::ifstream groups("/proc/self/cgroup");  // lines "number:controllers:group"
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool one = (',' + controllers + ',').find(",memory,") != std::string::npos;
    if (!one && !controllers.empty()) {
      continue;
    }
    const std::string root = one ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
    std::string group = line.substr(second + 1);
    for (;;) {
      visit(root + group, one ? 1 : 2);
      const std::size_t end = group.rfind('/');
      if (end == std::string::npos) {
        break;
      }
      group.resize(end);
    }
  }
}

/// The number in a file of a group; nothing is written if there is none ("max").
inline bool read_number(const std::string& path, double& number) {
  std::ifstream file(path);
  return static_cast<bool>(file >> number);
}

/// The limit of the group in `folder`; false if it has none.
inline bool group_limit(const std::string& folder, int version, double& bytes) {
  return read_number(folder + (version == 1 ? "/memory.limit_in_bytes" : "/memory.max"), bytes);
}

}  // namespace sparserepro
