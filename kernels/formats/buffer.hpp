// Host arrays whose pages are first touched by the code that fills them.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace sparserepro {

/// An array that the memory does not hold; the message names its size.
class ArrayMemoryError : public std::bad_alloc {
 public:
  explicit ArrayMemoryError(std::size_t bytes) noexcept {
    const bool large = bytes >= std::size_t{1} << 30;
    std::snprintf(text_, sizeof text_, "an array of %.1f %s does not fit",
                  static_cast<double>(bytes) * (large ? 0x1p-30 : 0x1p-20), large ? "GiB" : "MiB");
  }
  const char* what() const noexcept override { return text_; }

 private:
  char text_[64];
};

/// Allocator of 64-byte aligned memory that default-initialises: `resize(n)` of a trivial type
/// leaves the elements uninitialised, so that threads place the pages (first touch).
template <class T>
struct DefaultInitAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  DefaultInitAllocator() = default;
  template <class U>
  DefaultInitAllocator(const DefaultInitAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    try {
      return static_cast<T*>(::operator new(count * sizeof(T), alignment));
    } catch (const std::bad_alloc&) {
      throw ArrayMemoryError(count * sizeof(T));
    }
  }
  void deallocate(T* pointer, std::size_t) noexcept { ::operator delete(pointer, alignment); }

  template <class U, class... Args>
  void construct(U* pointer, Args&&... args) {
    if constexpr (sizeof...(Args) == 0 && std::is_trivially_default_constructible_v<U>) {
      ::new (static_cast<void*>(pointer)) U;
    } else {
      ::new (static_cast<void*>(pointer)) U(std::forward<Args>(args)...);
    }
  }

  friend bool operator==(const DefaultInitAllocator&, const DefaultInitAllocator&) { return true; }
};

/// A vector with uninitialised growth for trivial types.
template <class T>
using Buffer = std::vector<T, DefaultInitAllocator<T>>;

}  // namespace sparserepro
