// The flush of the host's caches: bytes written, and that no core keeps an array in its caches.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "formats/available_cores.hpp"
#include "harness/cache_flush.hpp"
#include "harness/machine.hpp"
#include "harness/timer.hpp"
#include "support/catch.hpp"

namespace sparserepro {
namespace {

/// Pointer chase along a random cycle through the cache lines of an array that fits a private
/// cache.
class Chase {
 public:
  Chase() : next_(lines * words) {
    std::vector<std::int32_t> order(lines);
    std::iota(order.begin(), order.end(), 0);
    std::uint64_t state = 1;
    for (std::int32_t i = lines - 1; i > 0; --i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      std::swap(order[i], order[(state >> 33) % static_cast<std::uint64_t>(i + 1)]);
    }
    for (std::int32_t i = 0; i < lines; ++i) {
      next_[order[i] * words] = order[(i + 1) % lines] * words;
    }
  }
  /// Seconds of one pass through the cycle.
  double once() {
    CpuTimer timer;
    timer.start();
    std::int32_t at = 0;
    for (std::int32_t i = 0; i < lines; ++i) {
      at = next_[at];
    }
    const double seconds = timer.stop();
    end_ = at;  // a use of the result: no read is omitted
    return seconds;
  }

 private:
  static constexpr std::int32_t lines = 2048, words = 16;  // 128 KiB
  std::vector<std::int32_t> next_;
  volatile std::int32_t end_ = 0;
};

}  // namespace

TEST_CASE("each thread writes twice its private cache and its share of the last level", "[flush]") {
  constexpr std::int64_t mebibyte = 1 << 20;
  CHECK(flush_bytes_per_thread(mebibyte, 32 * mebibyte, 1, 4) == 18 * mebibyte);
  CHECK(flush_bytes_per_thread(mebibyte, 32 * mebibyte, 4, 16) == 18 * mebibyte);
  CHECK(flush_bytes_per_thread(mebibyte, 32 * mebibyte, 1, 1) == 66 * mebibyte);
  // 16 processors that each report a cache of 512 MiB: 1 GiB in all.
  CHECK(flush_bytes_per_thread(mebibyte, 512 * mebibyte, 16, 16) == 66 * mebibyte);
  CHECK(flush_bytes_per_thread(0, 10, 1, 3) == 7);
}

TEST_CASE("after a flush no core finds its array in a cache", "[flush]") {
  const int threads = available_cores();
  std::vector<Chase> chases(threads);
  std::vector<std::vector<double>> warm(threads), cold(threads);
  for (int repetition = 0; repetition < 9; ++repetition) {
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; ++t) {
      chases[t].once();
      warm[t].push_back(chases[t].once());
    }
    flush_caches();
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; ++t) {
      cold[t].push_back(chases[t].once());
    }
  }
  const auto median = [](std::vector<double> samples) {
    std::nth_element(samples.begin(), samples.begin() + 4, samples.end());
    return samples[4];
  };
  for (int t = 0; t < threads; ++t) {
    CAPTURE(t, median(warm[t]), median(cold[t]));
    CHECK(median(cold[t]) > 3 * median(warm[t]));
  }
}

}  // namespace sparserepro
