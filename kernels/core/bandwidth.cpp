#include "core/bandwidth.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
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

double measure_gather(int threads, std::int64_t row_bytes, std::int64_t table_bytes) {
  const std::int64_t words = std::max<std::int64_t>(1, row_bytes / 8);
  const std::int64_t rows = std::max<std::int64_t>(1, table_bytes / (8 * words));
  const std::int64_t reads = std::max<std::int64_t>(1, (std::int64_t{1} << 25) / words);
  Buffer<double> table(rows * words);
  Buffer<std::int32_t> places(reads);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < rows * words; ++i) {
    table[i] = 1.0;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < reads; ++i) {
    std::uint64_t z = static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    places[i] = static_cast<std::int32_t>((z >> 33) % static_cast<std::uint64_t>(rows));
  }
  double best = 0.0;
  [[maybe_unused]] static volatile double sink = 0.0;  // keeps the reads
  CpuTimer timer;
  for (int pass = 0; pass < passes; ++pass) {
    double sum = 0.0;
    timer.start();
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)
    for (std::int64_t i = 0; i < reads; ++i) {
      const double* row = table.data() + places[i] * words;
      for (std::int64_t w = 0; w < words; ++w) {
        sum += row[w];
      }
    }
    best = std::max(best, static_cast<double>(reads * words) * sizeof(double) / timer.stop());
    sink = sum;
  }
  return best;
}

}  // namespace

double gather_bandwidth(int threads, std::int64_t row_bytes, std::int64_t table_bytes) {
  static std::map<std::array<std::int64_t, 3>, double> measured;
  const std::array<std::int64_t, 3> key{threads, row_bytes, table_bytes};
  const auto found = measured.find(key);
  return found != measured.end()
             ? found->second
             : measured.emplace(key, measure_gather(threads, row_bytes, table_bytes)).first->second;
}

double copy_bandwidth(int threads) {
  static std::map<int, double> measured;
  const auto found = measured.find(threads);
  return found != measured.end() ? found->second
                                 : measured.emplace(threads, measure(threads)).first->second;
}

}  // namespace sparserepro
