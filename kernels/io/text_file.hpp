// A whole text file in memory: plain files are mapped, gzip files are inflated.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "formats/buffer.hpp"
#include "io/shrinking_file.hpp"

namespace sparserepro {

/// Read-only text of a file; valid for the lifetime of the object.
class TextFile {
 public:
  /// Opens `path`. A file that begins with the magic bytes of gzip (RFC 1952) is inflated, all of
  /// its members, whatever its name. Throws InputError "<path>: <what is wrong>" for a file that is
  /// missing or unreadable, a directory, a device, or damaged gzip data. A file that becomes
  /// shorter while it is read ends the process (io/shrinking_file.hpp).
  explicit TextFile(const std::string& path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  std::string_view text() const { return text_; }

 private:
  void* mapping_ = nullptr;
  std::optional<ShrinkingFileWatch> watch_;
  std::size_t mapped_bytes_ = 0;
  Buffer<char> inflated_;
  std::string_view text_;
};

/// Inflates all members of the gzip file `compressed`; zero bytes after the last member are
/// padding. Throws InputError, which names `path`, for damaged data.
Buffer<char> inflate_gzip(std::string_view compressed, const std::string& path);

}  // namespace sparserepro
