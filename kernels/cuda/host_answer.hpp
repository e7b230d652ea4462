// A small answer of a kernel to the host, without a copy: the kernel writes page-locked memory of
// the host, which looks until it is there.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <type_traits>
#include <vector>

#include "cuda/check.hpp"

namespace sparserepro {

/// Room for a T. The process keeps what it has once allocated, for the next object; any thread and
/// any device may use it.
template <class T>
class HostAnswer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  struct Place {
    T value;
    unsigned ready;
  };

  HostAnswer() : place_(take()) { place_->ready = 0; }
  ~HostAnswer() {
    Pool& all = pool();
    const std::lock_guard lock(all.mutex);
    all.free.push_back(place_);  // has room: `take` reserved it
  }
  HostAnswer(const HostAnswer&) = delete;
  HostAnswer& operator=(const HostAnswer&) = delete;

  /// Where one kernel writes: value, then __threadfence_system(), then ready = 1.
  Place* place() const { return place_; }

  /// The answer of the kernel queued on `stream`. Looks for `patience`, since it is often there
  /// sooner than the driver notices the end of the kernel; then waits for the stream.
  T wait(cudaStream_t stream) const {
    constexpr std::chrono::microseconds patience{200};
    const volatile unsigned& ready = place_->ready;
    const auto limit = std::chrono::steady_clock::now() + patience;
    while (ready == 0 && std::chrono::steady_clock::now() < limit) {
    }
    if (ready == 0) {
      CUDA_CHECK(cudaStreamSynchronize(stream));
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return place_->value;
  }

 private:
  struct Pool {
    std::mutex mutex;
    std::vector<Place*> free;
    std::size_t all = 0;
  };
  /// Never destroyed: the driver may end before static objects do.
  static Pool& pool() {
    static Pool& places = *new Pool;
    return places;
  }
  static Place* take() {
    Pool& places = pool();
    const std::lock_guard lock(places.mutex);
    if (!places.free.empty()) {
      Place* const place = places.free.back();
      places.free.pop_back();
      return place;
    }
    places.free.reserve(places.all + 1);
    void* place = nullptr;
    CUDA_CHECK(cudaHostAlloc(&place, sizeof(Place), cudaHostAllocMapped | cudaHostAllocPortable));
    ++places.all;
    return static_cast<Place*>(place);
  }

  Place* place_;
};

}  // namespace sparserepro
