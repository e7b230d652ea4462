// Fewer page faults and shorter address translations for large arrays.
//
// Drivers decide on huge pages once for the whole process (drivers/common/restart.hpp): every array
// of every algorithm, answers that libraries allocate included, lies on huge pages, or none does.
// The calls of `advise_huge_pages` serve programs that use the kernels without a driver.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/buffer.hpp"
#include "formats/ceil_div.hpp"

namespace sparserepro {

/// Asks the system to back the untouched memory of `buffer`, its spare capacity included, with huge
/// pages; a hint that changes speed alone, and without effect in a process that has them off.
template <class T>
void advise_huge_pages(Buffer<T>& buffer) {
  constexpr std::uintptr_t page = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer.data());
  const std::uintptr_t first = ceil_div(begin, page) * page;
  const std::uintptr_t last = (begin + buffer.capacity() * sizeof(T)) / page * page;
  if (first < last) {
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
}

/// `buffer`, which is empty, with `size` elements on huge pages as above.
template <class T>
void resize_on_huge_pages(Buffer<T>& buffer, std::size_t size) {
  buffer.reserve(size);
  advise_huge_pages(buffer);
  buffer.resize(size);
}

/// Whether large arrays of this process lie on huge pages without being advised: allocates 16 MiB,
/// touches it and reads what backs it. False where the system does not tell.
bool arrays_have_huge_pages();

/// Turns huge pages off for this process and the programs that it starts, advised arrays included;
/// or lets the system's mode decide again. False where the system cannot.
bool disable_huge_pages(bool disable);

/// What backs `address`, from text in the form of /proc/<pid>/smaps: KiB on huge pages in its
/// mapping, 0 when no mapping has it.
std::int64_t huge_kib_at(const std::string& smaps, std::uintptr_t address);

}  // namespace sparserepro
