// A few words that a kernel writes straight into host memory for a call that waits for it: some 8
// us less than a copy to pageable memory.
#pragma once

#include <mutex>
#include <vector>

#include "cuda/check.hpp"

namespace sparserepro {

/// Pinned memory for one T, which all devices see at the same address, while this lives. It is then
/// kept for the slots that follow, until the process ends. Throws where there is none. Any thread
/// may make one.
template <class T>
class HostSlot {
 public:
  HostSlot() : word_(take()) {}
  ~HostSlot() {
    Pool& all = pool();
    const std::lock_guard lock(all.mutex);
    all.free.push_back(word_);  // within what take() reserved
  }
  HostSlot(const HostSlot&) = delete;
  HostSlot& operator=(const HostSlot&) = delete;

  T* get() const { return word_; }

 private:
  struct Pool {
    std::mutex mutex;
    std::vector<T*> free;
    std::size_t made = 0;
  };
  static Pool& pool() {
    static Pool all;
    return all;
  }
  static T* take() {
    Pool& all = pool();
    const std::lock_guard lock(all.mutex);
    if (all.free.empty()) {
      all.free.reserve(all.made + 1);
      void* memory = nullptr;
      CUDA_CHECK(cudaHostAlloc(&memory, sizeof(T), cudaHostAllocMapped | cudaHostAllocPortable));
      ++all.made;
      return static_cast<T*>(memory);
    }
    T* const word = all.free.back();
    all.free.pop_back();
    return word;
  }

  T* word_;
};

}  // namespace sparserepro
