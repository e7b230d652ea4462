#include "generate/memory_guard.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <string>
#include <tuple>

#include "formats/buffer.hpp"
#include "generate/memory_groups.hpp"

namespace sparserepro {
namespace {

/// The number behind each of `keys` in a file of lines "key number", in all.
double sum_of(const std::string& path, std::initializer_list<const char*> keys) {
  std::ifstream file(path);
  double sum = 0;
  for (std::string line; std::getline(file, line);) {
    char key[64];
    double number = 0;
    if (std::sscanf(line.c_str(), "%63s %lf", key, &number) == 2 &&
        std::any_of(keys.begin(), keys.end(),
                    [&](const char* k) { return k == std::string(key); })) {
      sum += number;
    }
  }
  return sum;
}

/// Bytes of this process by their place in /proc/self/statm.
enum class Counted {
  addresses = 0,  ///< what RLIMIT_AS counts
  data = 5        ///< what RLIMIT_DATA counts: private memory that can be written
};
double bytes_of(Counted which) {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  for (int field = 0; field <= static_cast<int>(which); ++field) {
    file >> pages;
  }
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

double free_memory_bytes() {
  double bytes = sum_of("/proc/meminfo", {"MemAvailable:"}) * 1024;
  for_each_memory_group([&](const std::string& folder, int version) {
    double limit = 0, used = 0;
    const char* const usage = version == 1 ? "/memory.usage_in_bytes" : "/memory.current";
    if (group_limit(folder, version, limit) && read_number(folder + usage, used)) {
      // Cached files are given back when memory is short.
      const double files =
          version == 1
              ? sum_of(folder + "/memory.stat", {"total_inactive_file", "total_active_file"})
              : sum_of(folder + "/memory.stat", {"inactive_file", "active_file"});
      bytes = std::min(bytes, std::max(limit - used + files, 0.0));
    }
  });
  return bytes;
}

bool guard_memory() {
  rlimit most{};
  const double free = free_memory_bytes();
  if (getrlimit(RLIMIT_DATA, &most) != 0 || most.rlim_cur != RLIM_INFINITY || free <= 0) {
    return false;
  }
  most.rlim_cur = static_cast<rlim_t>(bytes_of(Counted::data) + free * guarded_share);
  return setrlimit(RLIMIT_DATA, &most) == 0;
}

std::string memory_words(const std::bad_alloc& error) {
  std::string words;
  if (dynamic_cast<const ArrayMemoryError*>(&error) != nullptr) {
    words = std::string(": ") + error.what();
  }
  rlimit most{};
  double least = std::numeric_limits<double>::infinity();
  char text[64] = "";
  for (const auto& [resource, counted, name] :
       {std::tuple{RLIMIT_DATA, Counted::data, ""},
        std::tuple{RLIMIT_AS, Counted::addresses, " (ulimit -v)"}}) {
    if (getrlimit(resource, &most) != 0 || most.rlim_cur == RLIM_INFINITY) {
      continue;
    }
    const auto limit = static_cast<double>(most.rlim_cur);
    if (const double left = std::max(limit - bytes_of(counted), 0.0); left < least) {
      least = left;
      std::snprintf(text, sizeof text, "%.1f of %.1f GiB%s are left", left * 0x1p-30,
                    limit * 0x1p-30, name);
    }
  }
  return *text == '\0' ? words : words + (words.empty() ? ": " : "; ") + text;
}

}  // namespace sparserepro
