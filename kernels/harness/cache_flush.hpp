// Emptying of the host's caches between samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sparserepro {

/// Bytes that each of `threads` threads writes to empty the caches:
///
///   2 private_bytes + min(2 last_level_bytes last_level_caches, 1 GiB) / threads
///
/// The limit of 1 GiB exists since virtual machines report the cache of a socket for every
/// processor.
std::int64_t flush_bytes_per_thread(std::int64_t private_bytes, std::int64_t last_level_bytes,
                                    std::int64_t last_level_caches, int threads);

/// Empties the private and last-level caches of all processors of the affinity mask: one OpenMP
/// thread on each writes an array of its own.
void flush_caches();

}  // namespace sparserepro
