// Host arrays whose pages are first touched by the code that fills them.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace sparserepro {

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
    return static_cast<T*>(::operator new(count * sizeof(T), alignment));
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
