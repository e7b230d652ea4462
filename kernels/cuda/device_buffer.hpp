// Device memory with one owner.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "cuda/check.hpp"
#include "cuda/transfers.hpp"
#include "formats/buffer.hpp"

namespace sparserepro {

/// `count` uninitialised elements of T in device memory, freed by the destructor. Move-only; every
/// operation that touches the device takes a stream, and copies are asynchronous on it, but for
/// those of an end-to-end cycle (cuda/transfers.hpp).
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(std::size_t count, cudaStream_t stream) : size_(count), stream_(stream) {
    if (count > 0) {
      void* pointer = nullptr;
      CUDA_CHECK(cudaMallocAsync(&pointer, count * sizeof(T), stream));
      data_ = static_cast<T*>(pointer);
    }
  }
  /// Allocates and uploads.
  template <class Container>
  DeviceBuffer(const Container& host, cudaStream_t stream) : DeviceBuffer(host.size(), stream) {
    copy_from(host.data(), stream);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        stream_(other.stream_) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) {
      cudaFreeAsync(data_, stream_);  // a destructor does not throw
    }
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return size_ * sizeof(T); }

  /// Copies size() elements from host memory.
  void copy_from(const T* host, cudaStream_t stream) {
    if (size_ > 0) {
      upload(data_, host, bytes(), stream);
    }
  }
  /// Copies size() elements to host memory; complete once `stream` is synchronised.
  void copy_to(T* host, cudaStream_t stream) const {
    if (size_ > 0) {
      download(host, data_, bytes(), stream);
    }
  }
  /// Sets every byte.
  void fill_bytes(int byte, cudaStream_t stream) {
    if (size_ > 0) {
      CUDA_CHECK(cudaMemsetAsync(data_, byte, bytes(), stream));
    }
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  cudaStream_t stream_ = nullptr;
};

}  // namespace sparserepro
