#include "harness/bandwidth.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "formats/mapped_memory.hpp"
#include "harness/machine.hpp"
#include "harness/stream_kernels.hpp"
#include "harness/timer.hpp"

namespace sparserepro {
namespace {

constexpr std::int64_t min_array_bytes = std::int64_t{64} << 20;
constexpr std::int64_t max_array_bytes = std::int64_t{512} << 20;
constexpr int passes = 4;

std::int64_t array_bytes() {
  return stream_array_bytes(machine_info().last_level_cache_bytes, machine_info().memory_bytes);
}

/// Two arrays on huge pages. Each thread has an equal part of both and touches it first.
class StreamArrays {
 public:
  explicit StreamArrays(int threads)
      : threads_(threads),
        piece_(static_cast<std::size_t>(array_bytes()) / threads / stream_granule * stream_granule),
        from_(piece_ * threads),
        to_(piece_ * threads) {
    run([&](char* to, const char*) {
      std::memset(to, 0, piece_);
      std::memset(from_.data() + (to - to_.data()), 1, piece_);
      return 0;
    });
  }

  /// Seconds of one pass by all threads.
  double seconds(const StreamKernel& kernel) {
    CpuTimer timer;
    timer.start();
    run([&](char* to, const char* from) { return kernel.run(to, from, piece_); });
    return timer.stop();
  }

  double bytes() const { return static_cast<double>(piece_) * threads_; }

 private:
  template <class Body>
  void run(const Body& body) {
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(^ : sum)
    for (int thread = 0; thread < threads_; ++thread) {
      const std::size_t at = thread * piece_;
      sum ^= static_cast<std::uint64_t>(body(to_.data() + at, from_.data() + at));
    }
    sink_ = sum;
  }

  int threads_;
  std::size_t piece_;
  MappedMemory from_, to_;
  volatile std::uint64_t sink_{};  // a use of the sums: no read is omitted
};

}  // namespace

std::int64_t stream_array_bytes(std::int64_t last_level_cache_bytes, std::int64_t memory_bytes) {
  return std::min(std::clamp(2 * last_level_cache_bytes, min_array_bytes, max_array_bytes),
                  std::max(memory_bytes / 8, min_array_bytes));
}

double highest_rate(const std::vector<StreamRate>& rates) {
  double highest = 0.0;
  for (const StreamRate& rate : rates) {
    highest = std::max(highest, rate.bytes_per_s);
  }
  return highest;
}

std::vector<StreamRate> measure_stream_rates(int threads) {
  constexpr double hopeless = 0.75;  // below this share of the best rate: not run again
  const StreamKernels kernels = stream_kernels().front();
  StreamArrays arrays(threads);
  std::vector<StreamRate> rates;
  for (const StreamKernel& kernel : kernels.streams) {
    rates.push_back({kernel.name, 0.0});
  }
  double best = 0.0;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t k = 0; k < rates.size(); ++k) {
      if (pass == 0 || rates[k].bytes_per_s >= hopeless * best) {
        const StreamKernel& kernel = kernels.streams[k];
        rates[k].bytes_per_s =
            std::max(rates[k].bytes_per_s,
                     stream_rate(kernel.moved, arrays.bytes(), arrays.seconds(kernel)));
      }
    }
    best = highest_rate(rates);
  }
  return rates;
}

const std::vector<StreamRate>& stream_rates(int threads) {
  static std::map<int, std::vector<StreamRate>> measured;
  const auto found = measured.find(threads);
  return found != measured.end()
             ? found->second
             : measured.emplace(threads, measure_stream_rates(threads)).first->second;
}

double copy_bandwidth(int threads) {
  return highest_rate(stream_rates(threads));
}

}  // namespace sparserepro
