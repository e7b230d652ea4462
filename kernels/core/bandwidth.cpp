#include "core/bandwidth.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>

#include "core/buffer.hpp"
#include "core/machine.hpp"
#include "core/timer.hpp"

namespace sparserepro {
namespace {

// Each of the two arrays is at least this large; virtual machines report the cache of the whole
// socket, so the size is capped as well.
constexpr std::int64_t min_array_bytes = std::int64_t{64} << 20;
constexpr std::int64_t max_array_bytes = std::int64_t{512} << 20;
constexpr int passes = 7;

std::int64_t array_bytes() {
  return std::clamp(2 * machine_info().last_level_cache_bytes, min_array_bytes, max_array_bytes);
}

double measure(int threads) {
  const std::int64_t words = array_bytes() / static_cast<std::int64_t>(sizeof(double));
  Buffer<double> from(words), to(words);
  double* const source = from.data();
  double* const target = to.data();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < words; ++i) {
    source[i] = 1.0;
    target[i] = 0.0;
  }
  double best = 0.0;
  CpuTimer timer;
  for (int pass = 0; pass < passes; ++pass) {
    timer.start();
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t i = 0; i < words; ++i) {
      target[i] = source[i];
    }
    best = std::max(best, 2.0 * static_cast<double>(words) * sizeof(double) / timer.stop());
  }
  return best;
}

}  // namespace

double copy_bandwidth(int threads) {
  static std::map<int, double> measured;
  const auto found = measured.find(threads);
  return found != measured.end() ? found->second
                                 : measured.emplace(threads, measure(threads)).first->second;
}

void flush_caches() {
  static Buffer<char> sweep(static_cast<std::size_t>(array_bytes()));
  static char fill = 0;
  std::memset(sweep.data(), ++fill, sweep.size());
}

}  // namespace sparserepro
