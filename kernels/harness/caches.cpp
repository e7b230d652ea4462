#include "harness/caches.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

namespace sparserepro {

Caches read_caches(const std::string& root) {
  const std::string processors = root + "/sys/devices/system/cpu/cpu";
  std::set<std::int64_t> sizes;
  int last_level_index = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file(processors + "0/cache/index" + std::to_string(index) + "/size");
    std::int64_t size = 0;
    char unit = 0;
    if (file >> size >> unit) {
      size *= unit == 'M' ? 1 << 20 : 1 << 10;
      last_level_index = sizes.empty() || size > *sizes.rbegin() ? index : last_level_index;
      sizes.insert(size);
    }
  }
  Caches caches;
  if (sizes.empty()) {
    return caches;
  }
  caches.last_level_bytes = *sizes.rbegin();
  caches.private_bytes = sizes.size() > 1 ? *std::next(sizes.rbegin()) : 0;
  std::set<std::string> sharers;
  for (int processor = 0;; ++processor) {
    std::ifstream file(processors + std::to_string(processor) + "/cache/index" +
                       std::to_string(last_level_index) + "/shared_cpu_list");
    std::string list;
    if (!std::getline(file, list)) {
      break;
    }
    sharers.insert(list);
  }
  const bool shared = std::any_of(sharers.begin(), sharers.end(), [](const std::string& list) {
    return list.find_first_of(",-") != std::string::npos;
  });
  caches.last_level_count = shared ? std::ssize(sharers) : 1;
  return caches;
}

}  // namespace sparserepro
