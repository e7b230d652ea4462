#include "core/cache_flush.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include "core/buffer.hpp"
#include "core/machine.hpp"

namespace sparserepro {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t most_shared_bytes = 1024 * mebibyte;

struct Caches {
  std::int64_t private_bytes = 4 * mebibyte;  // where the system does not tell
  std::int64_t last_level_bytes = 64 * mebibyte;
  std::int64_t last_level_caches = 1;
};

/// From sysfs; the largest cache is the last level, and the next smaller one belongs to a core.
Caches read_caches() {
  const std::string root = "/sys/devices/system/cpu/cpu";
  std::set<std::int64_t> sizes;
  int last_level_index = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file(root + "0/cache/index" + std::to_string(index) + "/size");
    std::int64_t size = 0;
    char unit = 0;
    if (file >> size >> unit) {
      size *= unit == 'M' ? mebibyte : 1024;
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
  for (int cpu = 0;; ++cpu) {
    std::ifstream file(root + std::to_string(cpu) + "/cache/index" +
                       std::to_string(last_level_index) + "/shared_cpu_list");
    std::string list;
    if (!std::getline(file, list)) {
      break;
    }
    sharers.insert(list);
  }
  caches.last_level_caches = std::max<std::int64_t>(1, std::ssize(sharers));
  return caches;
}

}  // namespace

std::int64_t flush_bytes_per_thread(std::int64_t private_bytes, std::int64_t last_level_bytes,
                                    std::int64_t last_level_caches, int threads) {
  const std::int64_t shared = std::min(2 * last_level_bytes * last_level_caches, most_shared_bytes);
  return 2 * private_bytes + (shared + threads - 1) / threads;
}

void flush_caches() {
  static const int threads = available_cores();
  static const std::int64_t bytes = [] {
    const Caches caches = read_caches();
    return flush_bytes_per_thread(caches.private_bytes, caches.last_level_bytes,
                                  caches.last_level_caches, threads);
  }();
  static Buffer<char> sweep(static_cast<std::size_t>(bytes) * static_cast<std::size_t>(threads));
  static char fill = 0;
  ++fill;
  char* const begin = sweep.data();
  // One array a thread, not the iterations of a loop shared out: each core must write its own.
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int thread = 0; thread < threads; ++thread) {
    std::memset(begin + thread * bytes, fill, static_cast<std::size_t>(bytes));
  }
}

}  // namespace sparserepro
