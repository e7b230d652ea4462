// Memory for the probes of memory: fresh pages from the system, which go back to it afterwards, so
// that neither an earlier block's pages nor the allocator's settings matter to a rate, and no rate
// leaves pages behind that a kernel then runs on.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace sparserepro {

/// `bytes` of zeros, aligned to a page, on huge pages where the system grants them; each page is
/// placed by the thread that touches it first. Neither copyable nor movable. Throws std::bad_alloc.
class MappedMemory {
 public:
  explicit MappedMemory(std::size_t bytes)
      : bytes_(bytes),
        data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ == MAP_FAILED) {
      throw std::bad_alloc();
    }
    ::madvise(data_, bytes_, MADV_HUGEPAGE);  // a hint
  }
  ~MappedMemory() { ::munmap(data_, bytes_); }
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  char* data() { return static_cast<char*>(data_); }
  std::size_t size() const { return bytes_; }

 private:
  std::size_t bytes_;
  void* data_;
};

}  // namespace sparserepro
