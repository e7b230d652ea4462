// Eviction of the host's caches between samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sparserepro {

/// Bytes that each of `threads` threads must write to empty the caches: twice the private cache of
/// its core, and its share of twice the last-level caches. The shares sum up to 1 GiB at most,
/// since virtual machines report the cache of a whole socket for every processor.
std::int64_t flush_bytes_per_thread(std::int64_t private_bytes, std::int64_t last_level_bytes,
                                    std::int64_t last_level_caches, int threads);

/// Empties the caches of all processors of the affinity mask: one OpenMP thread on each writes an
/// array of its own, so that no private cache and no last-level cache keeps what a run left there.
void flush_caches();

}  // namespace sparserepro
