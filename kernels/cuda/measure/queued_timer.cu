#ifdef SPARSEREPRO_HAS_CUDA

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "cuda/device_buffer.hpp"
#include "cuda/device_info.hpp"
#include "cuda/measure/queued_timer.hpp"
#include "cuda/stream.hpp"

namespace sparserepro {
namespace {

constexpr std::uint64_t most_wait_ns = 100'000'000;
constexpr int losses_that_end_queueing = 2, losses_after_a_success = 8;
constexpr double throttled_share = 0.75;  // of the rated clock, as in NVBench
constexpr auto recovery = std::chrono::milliseconds(50);
constexpr std::uint64_t steps_of_timer = 20;  // of its resolution: the clock is known within 5 %

__device__ std::uint64_t global_timer() {
  std::uint64_t value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
  return value;
}

/// Ends once *released is `region`, or after most_wait_ns, which it says in *timed_out.
__global__ void wait_for_release(const volatile std::uint32_t* released, std::uint32_t region,
                                 volatile std::uint32_t* timed_out) {
  const std::uint64_t begin = global_timer();
  while (*released != region) {
    if (global_timer() - begin > most_wait_ns) {
      *timed_out = region;
      return;
    }
  }
}

/// One block a multiprocessor; where two blocks share one, either's stamp serves.
__global__ void read_clocks(QueuedTimer::Stamp* stamps, std::uint32_t count) {
  std::uint32_t multiprocessor;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  if (multiprocessor < count) {
    stamps[multiprocessor] = {static_cast<std::uint64_t>(clock64()), global_timer()};
  }
}

/// The smallest of a few steps of the timer.
__global__ void read_resolution(std::uint64_t* smallest) {
  constexpr int steps = 16;
  std::uint64_t best = ~std::uint64_t{0};
  std::uint64_t last = global_timer();
  for (int step = 0; step < steps;) {
    const std::uint64_t now = global_timer();
    if (now != last) {
      best = min(best, now - last);
      last = now;
      ++step;
    }
  }
  *smallest = best;
}

std::uint32_t multiprocessors() {
  return static_cast<std::uint32_t>(gpu_info()->multiprocessors);
}

}  // namespace

/// Pinned memory that the device sees at the same addresses.
class QueuedTimer::Shared {
 public:
  Shared() {
    void* pointer = nullptr;
    CUDA_CHECK(cudaHostAlloc(&pointer, bytes(), cudaHostAllocMapped | cudaHostAllocPortable));
    words_ = static_cast<std::uint32_t*>(pointer);
    std::fill_n(static_cast<char*>(pointer), bytes(), '\0');
  }
  ~Shared() { cudaFreeHost(words_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  std::uint32_t* released() { return words_; }
  std::uint32_t* timed_out() { return words_ + 1; }
  /// [multiprocessors], read before the work (which = 0) and after it (1).
  Stamp* stamps(int which) {
    return reinterpret_cast<Stamp*>(words_ + 4) + which * multiprocessors();
  }
  void release(std::uint32_t region) { __atomic_store_n(released(), region, __ATOMIC_SEQ_CST); }
  bool has_timed_out(std::uint32_t region) {
    return __atomic_load_n(timed_out(), __ATOMIC_SEQ_CST) == region;
  }

 private:
  static std::size_t bytes() {
    return 4 * sizeof(std::uint32_t) + 2 * multiprocessors() * sizeof(Stamp);
  }
  std::uint32_t* words_ = nullptr;
};

QueuedTimer::QueuedTimer(cudaStream_t stream)
    : stream_(stream), shared_(std::make_unique<Shared>()), separator_(std::size_t{1}, stream) {
  CUDA_CHECK(cudaEventCreate(&begin_));
  CUDA_CHECK(cudaEventCreate(&end_));
  device_timer_resolution_ns();  // measured now, not within a region
}

QueuedTimer::~QueuedTimer() {
  shared_->release(region_);
  cudaStreamSynchronize(stream_);  // the device may still read or write the shared memory
  cudaEventDestroy(begin_);
  cudaEventDestroy(end_);
}

void QueuedTimer::start() {
  ++region_;
  for (const int which : {0, 1}) {
    std::fill_n(shared_->stamps(which), multiprocessors(), Stamp{});
  }
  if (queueing_) {
    wait_for_release<<<1, 1, 0, stream_>>>(shared_->released(), region_, shared_->timed_out());
    CUDA_CHECK_LAUNCH();
  }
  read_clocks<<<multiprocessors(), 1, 0, stream_>>>(shared_->stamps(0), multiprocessors());
  CUDA_CHECK_LAUNCH();
  CUDA_CHECK(cudaEventRecord(begin_, stream_));
}

void QueuedTimer::separate() {
  separator_.fill_bytes(0, stream_);
}

double QueuedTimer::stop() {
  CUDA_CHECK(cudaEventRecord(end_, stream_));
  read_clocks<<<multiprocessors(), 1, 0, stream_>>>(shared_->stamps(1), multiprocessors());
  CUDA_CHECK_LAUNCH();
  shared_->release(region_);
  CUDA_CHECK(cudaStreamSynchronize(stream_));
  float milliseconds = 0.0F;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));

  facts_ = {.queued = queueing_, .clock_mhz = clock_mhz(), .throttled = false, .lost = false};
  if (queueing_ && shared_->has_timed_out(region_)) {
    facts_.lost = true;
    queueing_ =
        ++lost_in_a_row_ < (held_before_ ? losses_after_a_success : losses_that_end_queueing);
    return 0.0;
  }
  held_before_ = queueing_;
  lost_in_a_row_ = 0;
  facts_.throttled =
      facts_.clock_mhz && *facts_.clock_mhz < throttled_share * gpu_info()->clock_mhz;
  if (facts_.throttled) {
    std::this_thread::sleep_for(recovery);
  }
  return 1e-3 * static_cast<double>(milliseconds);
}

/// Median over the multiprocessors that both kernels have read: the cycles and the timer of one
/// multiprocessor are compared with themselves alone.
std::optional<double> QueuedTimer::clock_mhz() const {
  std::vector<double> clocks;
  for (std::uint32_t m = 0; m < multiprocessors(); ++m) {
    const Stamp before = shared_->stamps(0)[m], after = shared_->stamps(1)[m];
    const std::uint64_t elapsed = after.nanoseconds - before.nanoseconds;
    if (before.nanoseconds != 0 && after.nanoseconds > before.nanoseconds &&
        elapsed >= steps_of_timer * device_timer_resolution_ns()) {
      clocks.push_back(1e3 * static_cast<double>(after.cycles - before.cycles) /
                       static_cast<double>(elapsed));
    }
  }
  if (clocks.empty()) {
    return std::nullopt;
  }
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), middle, clocks.end());
  return *middle;
}

std::uint64_t device_timer_resolution_ns() {
  static const std::uint64_t resolution = [] {
    const Stream stream;
    DeviceBuffer<std::uint64_t> smallest(std::size_t{1}, stream.get());
    read_resolution<<<1, 1, 0, stream.get()>>>(smallest.data());
    CUDA_CHECK_LAUNCH();
    std::uint64_t value = 0;
    CUDA_CHECK(cudaMemcpyAsync(&value, smallest.data(), sizeof value, cudaMemcpyDeviceToHost,
                               stream.get()));
    stream.synchronize();
    return value;
  }();
  return resolution;
}

}  // namespace sparserepro

#endif
