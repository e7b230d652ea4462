// Allocations that fail when a test wants them to. One file of a program includes this: it replaces
// operator new and, where the program is linked with --wrap of them, calloc, mmap and munmap.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace sparserepro::testing {

/// Allocations until one fails; below 0: none does.
inline std::atomic<std::int64_t> fuse{-1};
/// Blocks of operator new and mappings that are not released.
inline std::atomic<std::int64_t> live_blocks{0};

/// Whether this allocation fails.
inline bool burns() {
  return fuse.load() >= 0 && fuse.fetch_sub(1) == 0;
}

inline void* take(std::size_t size, std::size_t alignment) noexcept {
  const std::size_t whole = (size + alignment) / alignment * alignment;
  void* const memory = burns() ? nullptr : std::aligned_alloc(alignment, whole);
  live_blocks += memory != nullptr ? 1 : 0;
  if (memory != nullptr) {  // what is never written is not by chance what lay there before
    std::memset(memory, 0xa5, whole < 65536 ? whole : 65536);
  }
  return memory;
}
inline void* take_or_throw(std::size_t size, std::size_t alignment) {
  void* const memory = take(size, alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}
inline void give(void* memory) noexcept {
  live_blocks -= memory != nullptr ? 1 : 0;
  std::free(memory);
}

}  // namespace sparserepro::testing

void* operator new(std::size_t size) {
  return sparserepro::testing::take_or_throw(size, 16);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return sparserepro::testing::take_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return sparserepro::testing::take(size, 16);
}
void operator delete(void* memory) noexcept {
  sparserepro::testing::give(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  sparserepro::testing::give(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  sparserepro::testing::give(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  sparserepro::testing::give(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  sparserepro::testing::give(memory);
}

extern "C" {
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_mmap(void*, std::size_t, int, int, int, off_t);
int __real_munmap(void*, std::size_t);

void* __wrap_calloc(std::size_t count, std::size_t size) {
  return sparserepro::testing::burns() ? nullptr : __real_calloc(count, size);
}
void* __wrap_mmap(void* where, std::size_t bytes, int protection, int flags, int file, off_t at) {
  if (sparserepro::testing::burns()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* const memory = __real_mmap(where, bytes, protection, flags, file, at);
  sparserepro::testing::live_blocks += memory != MAP_FAILED ? 1 : 0;
  return memory;
}
int __wrap_munmap(void* memory, std::size_t bytes) {
  --sparserepro::testing::live_blocks;
  return __real_munmap(memory, bytes);
}
}
