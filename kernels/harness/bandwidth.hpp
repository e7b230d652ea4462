// What this machine's memory delivers at most, measured now: the rates that bounds stand on.
// docs/bounds.md derives the bounds and says what each rate assumes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sparserepro {

/// Bytes read plus bytes written per second by one way to stream through memory.
struct StreamRate {
  std::string name;  ///< of the StreamKernel
  double bytes_per_s{};
};

/// Bytes per second of a way that moves each byte of a piece of `bytes` `moved` times in `seconds`.
constexpr double stream_rate(int moved, double bytes, double seconds) {
  return moved * bytes / seconds;
}

/// Each of the two arrays that stream_rates() moves: twice the last-level cache, but at least 64
/// and at most 512 MiB, since virtual machines report the cache of the whole socket, and at most
/// an eighth of the memory.
std::int64_t stream_array_bytes(std::int64_t last_level_cache_bytes, std::int64_t memory_bytes);

/// All ways to stream (plain, streaming and memcpy copies, reads, writes) with `threads` OpenMP
/// threads on huge pages where the system grants them, with the widest vectors of the processor;
/// the best of a few passes each. Takes about a second.
std::vector<StreamRate> measure_stream_rates(int threads);

/// The same, measured by the first call of each thread count.
const std::vector<StreamRate>& stream_rates(int threads);

/// The highest of stream_rates(): no algorithm moves more bytes per second from and to memory.
double copy_bandwidth(int threads);

/// Useful bytes per second of random reads of rows of `row_bytes`, a multiple of 8, from a table of
/// `table_bytes`, with `threads` OpenMP threads; with and without prefetches, the best of a few
/// passes. A table of more than 512 MiB counts as one of 512 MiB, which is no slower. Measured once
/// for each kind of call (up to 0.4 s).
double gather_bandwidth(int threads, std::int64_t row_bytes, std::int64_t table_bytes);

}  // namespace sparserepro
