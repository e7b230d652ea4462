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

/// Room for the answer, a T, of one kernel on `stream`. The process keeps what it has once
/// allocated, for the next object; any thread and any device may use it.
template <class T>
class HostAnswer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  struct Place {
    T value;
    unsigned ready;
  };

  explicit HostAnswer(cudaStream_t stream) : stream_(stream), place_(take()) { place_->ready = 0; }
  /// After an exception the kernel may not have answered yet: waits for it, then leaves the place.
  ~HostAnswer() {
    if (!has_come() && cudaStreamSynchronize(stream_) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());  // the next launch is not to report it
    }
    Pool& all = pool();
    const std::lock_guard lock(all.mutex);
    all.free.push_back(place_);  // has room: `take` reserved it
  }
  HostAnswer(const HostAnswer&) = delete;
  HostAnswer& operator=(const HostAnswer&) = delete;

  /// Where the kernel writes: value, then __threadfence_system(), then ready = 1.
  Place* place() const { return place_; }

  /// The answer. Looks for `patience`, since it is often there sooner than the driver notices the
  /// end of the kernel; then waits for the stream.
  T wait() const {
    constexpr std::chrono::microseconds patience{200};
    const auto limit = std::chrono::steady_clock::now() + patience;
    while (!has_come() && std::chrono::steady_clock::now() < limit) {
    }
    if (!has_come()) {
      CUDA_CHECK(cudaStreamSynchronize(stream_));
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
  bool has_come() const { return *const_cast<const volatile unsigned*>(&place_->ready) != 0; }

  cudaStream_t stream_;
  Place* place_;
};

}  // namespace sparserepro
