// Highest rates of this machine's memory, measured when they are first asked for. Lower bounds of
// times are computed from them; docs/bounds.md derives the bounds and states their assumptions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sparserepro {

/// Rate of one stream kernel.
struct StreamRate {
  std::string name;      ///< of the StreamKernel
  double bytes_per_s{};  ///< bytes read plus bytes written per second
};

/// Rate in bytes per second of a kernel that moves each byte of an array of `bytes` bytes `moved`
/// times in `seconds` seconds.
constexpr double stream_rate(int moved, double bytes, double seconds) {
  return moved * bytes / seconds;
}

/// Bytes of each of the two arrays that stream_rates() moves: twice the last-level cache, at least
/// 64 MiB, at most 512 MiB and an eighth of the memory. The limit of 512 MiB exists since virtual
/// machines report the cache of the whole socket.
std::int64_t stream_array_bytes(std::int64_t last_level_cache_bytes, std::int64_t memory_bytes);

/// The highest of `rates`, in bytes per second; 0 of none.
double highest_rate(const std::vector<StreamRate>& rates);

/// Rates of all stream kernels (plain, streaming and memcpy copies, reads, writes) with `threads`
/// OpenMP threads: the best of four passes each, with the widest vectors of the processor, on huge
/// pages where the system grants them. Takes about a second.
std::vector<StreamRate> measure_stream_rates(int threads);

/// measure_stream_rates(threads), measured by the first call for each number of threads.
const std::vector<StreamRate>& stream_rates(int threads);

/// highest_rate(stream_rates(threads)): the copy bandwidth of lower bounds.
double copy_bandwidth(int threads);

/// Bytes per second that `threads` OpenMP threads read from a table of `table_bytes` bytes, in
/// random rows of `row_bytes` bytes, a multiple of 8: the best of three passes with and three
/// without prefetches. A table of more than 512 MiB is measured as one of 512 MiB, which is no
/// slower. Measured once for each set of arguments, in up to 0.4 s.
double gather_bandwidth(int threads, std::int64_t row_bytes, std::int64_t table_bytes);

}  // namespace sparserepro
