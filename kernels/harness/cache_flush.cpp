#include "harness/cache_flush.hpp"

#include <algorithm>
#include <cstddef>

#include "formats/available_cores.hpp"
#include "formats/buffer.hpp"
#include "formats/ceil_div.hpp"
#include "harness/caches.hpp"
#include "harness/machine.hpp"

namespace sparserepro {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t most_shared_bytes = 1024 * mebibyte;

}  // namespace

std::int64_t flush_bytes_per_thread(std::int64_t private_bytes, std::int64_t last_level_bytes,
                                    std::int64_t last_level_caches, int threads) {
  const std::int64_t shared = std::min(2 * last_level_bytes * last_level_caches, most_shared_bytes);
  return 2 * private_bytes + ceil_div(shared, threads);
}

void flush_caches() {
  static const int threads = available_cores();
  static const std::int64_t bytes = [] {
    Caches caches = read_caches("");
    if (caches.last_level_bytes == 0) {
      caches = {.private_bytes = 4 * mebibyte, .last_level_bytes = 64 * mebibyte};
    }
    return flush_bytes_per_thread(caches.private_bytes, caches.last_level_bytes,
                                  caches.last_level_count, threads);
  }();
  static Buffer<char> sweep(static_cast<std::size_t>(bytes) * static_cast<std::size_t>(threads));
  constexpr std::int64_t line = 64;
  // One iteration a thread: each core changes its own array and so evicts its private caches. Line
  // by line: a long memset may pass the caches.
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int thread = 0; thread < threads; ++thread) {
    volatile char* const begin = sweep.data() + thread * bytes;
    for (std::int64_t i = 0; i < bytes; i += line) {
      begin[i] = static_cast<char>(begin[i] + 1);
    }
  }
}

}  // namespace sparserepro
