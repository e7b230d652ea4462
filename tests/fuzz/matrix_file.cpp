// A file that holds the bytes: opened by its name, inflated, read, converted to CSR.
#include <sys/mman.h>
#include <unistd.h>

#include "formats/error.hpp"
#include "formats/matrix.hpp"
#include "fuzz/csr_check.hpp"
#include "io/matrix_market.hpp"
#include "io/text_file.hpp"

namespace sparserepro::fuzz {
namespace {

constexpr index_t most_rows = 1 << 12;  // a size line may ask for more row pointers than is fast

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

}  // namespace

void matrix_file(std::string_view bytes) {
  static MemoryFile file;
  const std::string& path = file.holding(bytes);
  try {
    const TextFile text(path);
    require(bytes.starts_with("\x1f\x8b") || text.text() == bytes, "a plain file is its text");
    const MatrixMarketFile read = parse_matrix_market(text.text(), path, {.threads = 1});
    if (read.header.rows <= most_rows && read.header.cols <= most_rows) {
      const auto csr = coo_to_csr(read.coo, 1);
      require_valid(csr, false);
      require(csr.nnz() == static_cast<std::int64_t>(read.coo.row_idx.size()),
              "CSR has every entry");
    }
  } catch (const InputError& error) {
    require(std::string_view(error.what()).starts_with(path + ":"), "an error names its file");
  }
}

}  // namespace sparserepro::fuzz
