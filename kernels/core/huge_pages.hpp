// Fewer page faults for large temporary arrays.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include "core/buffer.hpp"

namespace sparserepro {

/// Whether the system grants what advise_huge_pages asks for.
inline bool has_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;  // the one in brackets is in force
  return std::getline(file, modes) && modes.find("[never]") == std::string::npos;
}

/// Asks the system to back the untouched memory of `buffer`, its spare capacity included, with huge
/// pages; a hint that changes speed alone. Not for matrices and operands that several algorithms
/// read, so that their page size does not depend on where a matrix comes from.
template <class T>
void advise_huge_pages(Buffer<T>& buffer) {
  constexpr std::uintptr_t page = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer.data());
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + buffer.capacity() * sizeof(T)) / page * page;
  if (first < last) {
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
}

}  // namespace sparserepro
