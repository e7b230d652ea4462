#include "generate/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <utility>

namespace sparserepro {
namespace {

void lower(MemoryLimit& limit, double bytes, const std::string& of) {
  if (bytes < limit.bytes) {
    limit = {bytes, of};
  }
}

/// By the files `name` in the folder `root`/`group` and in those above it up to `root`.
void lower_by_groups(MemoryLimit& limit, const std::filesystem::path& root,
                     const std::filesystem::path& group, const char* name) {
  for (std::filesystem::path at = group.relative_path();; at = at.parent_path()) {
    std::ifstream file(root / at / name);
    if (double bytes = 0; file >> bytes) {  // "max" is no number
      lower(limit, bytes, "the control group");
    }
    if (at.empty()) {
      return;
    }
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

std::string memory_refusal(index_t rows, std::int64_t entries) {
  constexpr double entry = sizeof(index_t) + sizeof(double);
  const double needed = static_cast<double>(entries) * entry + 32.0 * rows;
  const MemoryLimit limit = memory_limit();
  if (needed <= limit.bytes) {
    return "";
  }
  const auto gib = [](double bytes) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << bytes * 0x1p-30;
    return text.str();
  };
  return std::to_string(rows) + " rows with " + std::to_string(entries) + " entries need " +
         gib(needed) + " GiB; " + limit.of + " allows " + gib(limit.bytes);
}

}  // namespace sparserepro
