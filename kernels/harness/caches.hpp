// Sizes of the caches of the host's processors.
#pragma once

#include <cstdint>
#include <string>

namespace sparserepro {

/// Where the system does not report caches, sizes are 0 and the count is 1.
struct Caches {
  std::int64_t private_bytes{};     ///< of the largest cache below the last level
  std::int64_t last_level_bytes{};  ///< of one last-level cache
  std::int64_t last_level_count = 1;
};

/// Reads sysfs under the folder `root`. The largest cache of the first processor is the last level.
/// Where every processor lists a last-level cache of its own, the count is 1: virtual machines
/// report the cache of the socket in this form.
Caches read_caches(const std::string& root);

}  // namespace sparserepro
