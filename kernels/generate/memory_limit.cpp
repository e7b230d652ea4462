#include "generate/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <utility>

namespace sparserepro {
namespace {

void lower(MemoryLimit& limit, double bytes, const std::string& of) {
  if (bytes < limit.bytes) {
    limit = {bytes, of};
  }
}

/// By the files `name` in the folder `root` + `group` and in those above it up to `root`.
void lower_by_groups(MemoryLimit& limit, const std::string& root, std::string group,
                     const char* name) {
  for (;;) {
    std::ifstream file(root + group + "/" + name);
    if (double bytes = 0; file >> bytes) {  // "max" is no number
      lower(limit, bytes, "the control group");
    }
    const std::size_t end = group.rfind('/');
    if (end == std::string::npos) {
      return;
    }
    group.resize(end);
  }
}

}  // namespace

MemoryLimit memory_limit() {
  MemoryLimit limit{
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)),
      "this machine"};
  std::ifstream groups("/proc/self/cgroup");  // lines "number:controllers:group"
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      lower_by_groups(limit, "/sys/fs/cgroup", group, "memory.max");
    } else if ((',' + controllers + ',').find(",memory,") != std::string::npos) {
      lower_by_groups(limit, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    }
  }
  rlimit most{};
  for (const auto& [resource, name] :
       {std::pair{RLIMIT_AS, "ulimit -v"}, std::pair{RLIMIT_DATA, "ulimit -d"}}) {
    if (getrlimit(resource, &most) == 0 && most.rlim_cur != RLIM_INFINITY) {
      lower(limit, static_cast<double>(most.rlim_cur), name);
    }
  }
  return limit;
}

}  // namespace sparserepro
