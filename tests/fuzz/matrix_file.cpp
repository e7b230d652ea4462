// A file that holds the bytes: opened by its name, inflated, read.
#include <sys/mman.h>
#include <unistd.h>

#include "formats/error.hpp"
#include "fuzz/csr_check.hpp"
#include "io/matrix_market.hpp"
#include "io/text_stream.hpp"

namespace sparserepro::fuzz {
namespace {

/// A file in memory that each input overwrites.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(fd_ >= 0, "a file in memory can be made");
    path_ = "/proc/self/fd/" + std::to_string(fd_);
  }
  const std::string& holding(std::string_view bytes) {
    require(::ftruncate(fd_, static_cast<off_t>(bytes.size())) == 0 &&
                ::pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
            "the file in memory can be written");
    return path_;
  }

 private:
  int fd_;
  std::string path_;
};

constexpr std::size_t window = 4096;

std::string all_of(TextFile& text) {
  std::string all;
  char part[window];
  for (std::size_t count = sizeof part; count == sizeof part;) {
    count = text.read(part, sizeof part);
    all.append(part, count);
  }
  return all;
}

}  // namespace

void matrix_file(std::string_view bytes) {
  static MemoryFile file;
  const std::string& path = file.holding(bytes);
  try {
    TextFile text(path);
    require(bytes.starts_with("\x1f\x8b") || all_of(text) == bytes, "a plain file is its text");
    require_valid(read_matrix_market(text, path, {.threads = 1, .window_bytes = window}).csr,
                  false);
  } catch (const InputError& error) {
    require(std::string_view(error.what()).starts_with(path + ":"), "an error names its file");
  }
}

}  // namespace sparserepro::fuzz
