// What happens when a mapped file becomes shorter while it is read: the kernel answers a read
// beyond its new end by the signal SIGBUS.
#pragma once

#include <cstddef>
#include <string>

namespace sparserepro {

/// Watches the mapping of one file at a time, in the whole process. While this lives, a read beyond
/// the file's new end prints "<path>: became shorter while it was read" to stderr and ends the
/// process with code 1. Any other SIGBUS, and one of a mapping that a later object has replaced,
/// does what it did before.
class ShrinkingFileWatch {
 public:
  ShrinkingFileWatch(const void* mapping, std::size_t bytes, const std::string& path);
  ~ShrinkingFileWatch();
  ShrinkingFileWatch(const ShrinkingFileWatch&) = delete;
  ShrinkingFileWatch& operator=(const ShrinkingFileWatch&) = delete;

 private:
  const void* mapping_;
};

}  // namespace sparserepro
