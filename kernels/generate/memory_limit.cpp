#include "generate/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

#include "generate/memory_groups.hpp"

namespace sparserepro {
namespace {

void lower(MemoryLimit& limit, double bytes, const std::string& of) {
  if (bytes < limit.bytes) {
    limit = {bytes, of};
  }
}

}  // namespace

MemoryLimit memory_limit() {
  MemoryLimit limit{
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)),
      "this machine"};
  for_each_memory_group([&](const std::string& folder, int version) {
    if (double bytes = 0; group_limit(folder, version, bytes)) {
      lower(limit, bytes, "the control group");
    }
  });
  rlimit most{};
  for (const auto& [resource, name] : {std::pair{RLIMIT_AS, "ulimit -v"},
                                       std::pair{RLIMIT_DATA, "the free memory (or ulimit -d)"}}) {
    if (getrlimit(resource, &most) == 0 && most.rlim_cur != RLIM_INFINITY) {
      lower(limit, static_cast<double>(most.rlim_cur), name);
    }
  }
  return limit;
}

}  // namespace sparserepro
