#include "io/csr_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "formats/available_cores.hpp"
#include "formats/ceil_div.hpp"
#include "formats/error.hpp"
#include "formats/huge_pages.hpp"
#include "generate/memory_limit.hpp"
#include "io/block_hash.hpp"
#include "io/sha256.hpp"

namespace sparserepro {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t block_bytes = std::size_t{1} << 20;
constexpr std::array fields = {"real", "integer", "pattern"};
constexpr std::array symmetries = {"general", "symmetric", "skew-symmetric"};

/// To be raised when the layout changes, or what reading makes of a file.
constexpr std::uint32_t format_version = 1;

struct Header {
  char magic[16];
  std::uint32_t version, byte_order;
  char path_sha256[64], text_sha256[64];
  FileStamp stamp;
  std::int64_t rows, cols, nnz, entries_in_file, explicit_zeros;
  std::uint32_t field, symmetry;  // places in the lists above
  std::uint64_t content_hash;     // of the arrays
  std::uint64_t header_hash;      // of all members before
};
static_assert(sizeof(Header) == 248 && std::is_trivially_copyable_v<Header>);
constexpr char magic[] = "sparserepro csr\n";
constexpr std::uint32_t byte_order = 0x01020304;

std::uint64_t hash_of(const Header& header) {
  return block_hash(&header, offsetof(Header, header_hash));
}

/// An array of the file.
struct Section {
  std::size_t at, bytes;
  char* data;
};

/// The arrays of a matrix, and where they lie.
std::array<Section, 3> sections(Csr<std::int64_t, double>& csr, bool pattern) {
  std::array<Section, 3> all = {
      {{0, csr.row_ptr.size() * sizeof(std::int64_t), reinterpret_cast<char*>(csr.row_ptr.data())},
       {0, csr.col_idx.size() * sizeof(index_t), reinterpret_cast<char*>(csr.col_idx.data())},
       {0, pattern ? 0 : csr.values.size() * sizeof(double),
        reinterpret_cast<char*>(csr.values.data())}}};
  std::size_t at = page;
  for (Section& section : all) {
    section.at = at;
    at += ceil_div(section.bytes, page) * page;
  }
  return all;
}

std::size_t end_of(const std::array<Section, 3>& all) {
  return all.back().at + all.back().bytes;
}

/// Calls f(place in the file, address, bytes) for each block of all arrays, by many threads, and
/// returns the hash of the blocks; f comes first.
template <class Function>
std::uint64_t for_each_block(const std::array<Section, 3>& all, const Function& f) {
  std::vector<std::uint64_t> hashes;
  for (const Section& section : all) {
    const std::size_t first = hashes.size();
    const auto blocks = static_cast<std::int64_t>(ceil_div(section.bytes, block_bytes));
    hashes.resize(first + static_cast<std::size_t>(blocks));
#pragma omp parallel for num_threads(available_cores()) schedule(dynamic)
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::size_t begin = static_cast<std::size_t>(b) * block_bytes;
      const std::size_t bytes = std::min(block_bytes, section.bytes - begin);
      f(section.at + begin, section.data + begin, bytes);
      hashes[first + static_cast<std::size_t>(b)] = block_hash(section.data + begin, bytes);
    }
  }
  return block_hash(hashes.data(), hashes.size() * sizeof(std::uint64_t));
}

/// Reads or writes all of the bytes by `call`, pread or pwrite; 0, or the number of the error, -1
/// for the end of the file.
template <class Call, class Byte>
int transfer(Call call, int file, Byte* data, std::size_t bytes, std::size_t at) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count = call(file, data + done, bytes - done, static_cast<off_t>(at + done));
    if (count == 0) {
      return -1;
    }
    if (count < 0 && errno != EINTR) {
      return errno;
    }
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return 0;
}

std::string text_of(int error) {
  return error == -1 ? "it ends too early" : std::strerror(error);
}

/// Whether the arrays are a matrix in CSR.
bool is_matrix(const Csr<std::int64_t, double>& csr) {
  if (csr.row_ptr.front() != 0 || csr.row_ptr.back() != csr.nnz()) {
    return false;
  }
  bool good = true;
#pragma omp parallel for num_threads(available_cores()) reduction(&& : good)
  for (index_t i = 0; i < csr.rows; ++i) {
    good = good && csr.row_ptr[i] <= csr.row_ptr[static_cast<std::size_t>(i) + 1];
  }
  index_t least = 0, most = -1;
#pragma omp parallel for num_threads(available_cores()) reduction(min : least) reduction(max : most)
  for (std::int64_t p = 0; p < csr.nnz(); ++p) {
    least = std::min(least, csr.col_idx[p]);
    most = std::max(most, csr.col_idx[p]);
  }
  return good && least >= 0 && most < csr.cols;
}

/// Reads the header of a file of so many bytes. Throws CsrFileError.
Header read_header(int file, std::uint64_t bytes) {
  Header header{};
  if (bytes < sizeof header ||
      transfer(::pread, file, reinterpret_cast<char*>(&header), sizeof header, 0) != 0) {
    throw CsrFileError{"it is too short"};
  }
  if (std::string_view(header.magic, sizeof header.magic) != magic) {
    throw CsrFileError{"it is another kind of file"};
  }
  if (header.version != format_version || header.byte_order != byte_order) {
    throw CsrFileError{"it has another version of the format"};
  }
  if (header.header_hash != hash_of(header)) {
    throw CsrFileError{"its header is damaged"};
  }
  constexpr std::int64_t largest = std::numeric_limits<index_t>::max();
  if (header.rows < 0 || header.rows > largest || header.cols < 0 || header.cols > largest ||
      header.nnz < 0 || static_cast<std::uint64_t>(header.nnz) > bytes / sizeof(index_t) ||
      static_cast<std::uint64_t>(header.rows) > bytes / sizeof(std::int64_t) ||
      header.field >= fields.size() || header.symmetry >= symmetries.size()) {
    throw CsrFileError{"its header is wrong"};
  }
  return header;
}

}  // namespace

std::uint64_t csr_file_bytes(const Matrix& matrix) {
  auto& csr = const_cast<Csr<std::int64_t, double>&>(matrix.csr);  // addresses alone
  return end_of(sections(csr, matrix.field == "pattern"));
}

void write_csr_file(const std::string& file, const Matrix& matrix, const std::string& path,
                    const FileStamp& stamp) {
  const auto place = [](const auto& list, const std::string& word) {
    return static_cast<std::uint32_t>(std::find(list.begin(), list.end(), word) - list.begin());
  };
  Header header{};
  std::memcpy(header.magic, magic, sizeof header.magic);
  header.version = format_version;
  header.byte_order = byte_order;
  sha256_hex(path).copy(header.path_sha256, sizeof header.path_sha256);
  matrix.sha256.copy(header.text_sha256, sizeof header.text_sha256);
  header.stamp = stamp;
  header.rows = matrix.csr.rows;
  header.cols = matrix.csr.cols;
  header.nnz = matrix.csr.nnz();
  header.entries_in_file = matrix.entries_in_file;
  header.explicit_zeros = matrix.explicit_zeros;
  header.field = place(fields, matrix.field);
  header.symmetry = place(symmetries, matrix.symmetry);

  auto& csr = const_cast<Csr<std::int64_t, double>&>(matrix.csr);  // which is only read
  const auto all = sections(csr, matrix.field == "pattern");
  struct rlimit largest {};
  if (::getrlimit(RLIMIT_FSIZE, &largest) == 0 && end_of(all) > largest.rlim_cur) {
    throw CsrFileError{std::strerror(EFBIG)};  // a larger one would end the process by a signal
  }
  struct Descriptor {
    int fd;
    ~Descriptor() { ::close(fd); }
  } out{::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (out.fd < 0) {
    throw CsrFileError{std::strerror(errno)};
  }
  // The room first: then a full disk is noticed before anything is written.
  if (const int error = ::posix_fallocate(out.fd, 0, static_cast<off_t>(end_of(all)));
      error != 0 && error != EOPNOTSUPP && error != EINVAL) {
    throw CsrFileError{std::strerror(error)};
  }
  std::atomic<int> error{0};
  header.content_hash = for_each_block(all, [&](std::size_t at, const char* data, std::size_t n) {
    if (error == 0) {
      if (const int failed = transfer(::pwrite, out.fd, data, n, at); failed != 0) {
        error = failed;
      }
    }
  });
  header.header_hash = hash_of(header);
  if (error == 0) {
    error = transfer(::pwrite, out.fd, reinterpret_cast<const char*>(&header), sizeof header, 0);
  }
  if (error != 0) {
    throw CsrFileError{text_of(error)};
  }
}

Matrix read_csr_file(int file, const std::string& path, const FileStamp& stamp) {
  struct stat info {};
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    throw CsrFileError{"it is no plain file"};
  }
  const auto bytes = static_cast<std::uint64_t>(info.st_size);
  const Header header = read_header(file, bytes);
  if (header.stamp != stamp ||
      std::string_view(header.path_sha256, sizeof header.path_sha256) != sha256_hex(path)) {
    throw CsrFileOutdated{};
  }
  if (const std::string refusal = memory_refusal(static_cast<index_t>(header.rows), header.nnz);
      !refusal.empty()) {
    throw InputError(path + ": " + refusal);
  }
  Matrix matrix;
  matrix.field = fields[header.field];
  matrix.symmetry = symmetries[header.symmetry];
  matrix.sha256.assign(header.text_sha256, sizeof header.text_sha256);
  matrix.entries_in_file = header.entries_in_file;
  matrix.explicit_zeros = header.explicit_zeros;
  const bool pattern = matrix.field == "pattern";
  matrix.csr = {static_cast<index_t>(header.rows), static_cast<index_t>(header.cols), header.nnz};
  advise_huge_pages(matrix.csr.col_idx);
  advise_huge_pages(matrix.csr.values);
  const auto all = sections(matrix.csr, pattern);
  if (bytes != end_of(all)) {
    throw CsrFileError{"it has not the size that its header states"};
  }
  std::atomic<int> error{0};
  const std::uint64_t hash = for_each_block(all, [&](std::size_t at, char* data, std::size_t n) {
    if (const int failed = transfer(::pread, file, data, n, at); failed != 0) {
      error = failed;
    }
  });
  if (error != 0) {
    throw CsrFileError{text_of(error)};
  }
  if (hash != header.content_hash || !is_matrix(matrix.csr)) {
    throw CsrFileError{"its content is damaged"};
  }
  if (pattern) {
    auto& values = matrix.csr.values;
#pragma omp parallel for num_threads(available_cores())
    for (std::int64_t p = 0; p < header.nnz; ++p) {
      values[p] = 1.0;
    }
  }
  ::futimens(file, nullptr);  // a hint for the order of deletion
  return matrix;
}

}  // namespace sparserepro
