// Caches of the host's processors.
#pragma once

#include <cstdint>
#include <string>

namespace sparserepro {

/// Sizes are 0 and the count 1 where the system does not tell.
struct Caches {
  std::int64_t private_bytes{};     ///< of the largest cache below the last level
  std::int64_t last_level_bytes{};  ///< of one last-level cache
  std::int64_t last_level_count = 1;
};

/// From sysfs under the folder `root`; the largest cache of the first processor is the last level.
/// A last-level cache that belongs to one processor alone counts once for all of them: virtual
/// machines list the cache of the socket so for each of their processors.
Caches read_caches(const std::string& root);

}  // namespace sparserepro
