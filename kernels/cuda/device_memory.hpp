// Workspace on the device in the caller's memory: the same code counts its bytes and places its
// arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cuda/check.hpp"
#include "formats/ceil_div.hpp"

namespace sparserepro {

/// A piece of device memory that is handed out from its beginning, each part aligned to 256 bytes;
/// or no memory, for counting.
class DeviceMemory {
 public:
  /// Counts: parts have no address.
  DeviceMemory() = default;
  /// `begin` is a multiple of 256.
  DeviceMemory(void* begin, std::size_t bytes) : begin_(static_cast<char*>(begin)), size_(bytes) {}

  /// Throws InputError when less than `bytes` are left.
  void* take(std::size_t bytes) {
    const std::size_t at = taken_;
    taken_ += ceil_div(bytes, alignment) * alignment;
    if (begin_ == nullptr || bytes == 0) {
      return nullptr;
    }
    if (taken_ > size_) {
      throw InputError("the workspace has " + std::to_string(size_) + " bytes; at least " +
                       std::to_string(taken_) + " are needed");
    }
    return begin_ + at;
  }
  /// In all parts so far.
  std::size_t bytes() const { return taken_; }

  static constexpr std::size_t alignment = 256;

 private:
  char* begin_ = nullptr;
  std::size_t size_ = 0, taken_ = 0;
};

/// The caller's workspace. Throws InputError where it is smaller than `needed` or not aligned.
inline DeviceMemory device_workspace(void* begin, std::size_t bytes, std::size_t needed) {
  if (needed > 0 && (begin == nullptr || bytes < needed)) {
    throw InputError("the workspace has " + std::to_string(begin == nullptr ? 0 : bytes) +
                     " bytes; " + std::to_string(needed) + " are needed");
  }
  if (reinterpret_cast<std::uintptr_t>(begin) % DeviceMemory::alignment != 0) {
    throw InputError("the workspace must begin at a multiple of 256 bytes");
  }
  return {begin, bytes};
}

/// `count` elements of T in a DeviceMemory, which outlives this. Without an address while that
/// counts: then the operations do nothing.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(std::size_t count, DeviceMemory& memory)
      : data_(static_cast<T*>(memory.take(count * sizeof(T)))), size_(count) {}

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return size_ * sizeof(T); }

  /// Sets every byte.
  void fill_bytes(int byte, cudaStream_t stream) {
    if (data_ != nullptr) {
      CUDA_CHECK(cudaMemsetAsync(data_, byte, bytes(), stream));
    }
  }
  /// Copies all elements to host memory; complete once `stream` is synchronised.
  void copy_to(T* host, cudaStream_t stream) const {
    if (data_ != nullptr) {
      CUDA_CHECK(cudaMemcpyAsync(host, data_, bytes(), cudaMemcpyDeviceToHost, stream));
    }
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace sparserepro
