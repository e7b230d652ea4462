#include "io/text_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "formats/error.hpp"

namespace sparserepro {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";
// Largest compression ratio of deflate, which codes at most 258 bytes in 2 bits.
constexpr std::size_t max_gzip_ratio = 1032;

/// Closes the descriptor at the end of its lifetime; a mapping of the file stays valid.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) {
      ::close(fd);
    }
  }
};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw InputError(path + ": " + what);
}

/// Estimate of the inflated size: the last four bytes of the file, which hold the size of its last
/// member modulo 2^32, limited to what the compressed size allows.
std::size_t announced_size(std::string_view compressed) {
  std::size_t size = 0;
  if (compressed.size() >= 18) {  // header and trailer of a member
    for (std::size_t i = 0; i < 4; ++i) {
      size |= std::size_t{static_cast<unsigned char>(compressed[compressed.size() - 4 + i])}
              << (8 * i);
    }
  }
  return std::min(size, compressed.size() * max_gzip_ratio);
}

}  // namespace

Buffer<char> inflate_gzip(std::string_view compressed, const std::string& path) {
  Buffer<char> out;
  // One extra byte: zlib reports the end of the stream without a larger buffer.
  out.resize(std::max<std::size_t>(announced_size(compressed) + 1, 4096));
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
    fail(path, "zlib cannot start");
  }
  struct End {
    z_stream* stream;
    ~End() { inflateEnd(stream); }
  } end{&stream};

  constexpr std::size_t max_step = std::numeric_limits<uInt>::max();
  std::size_t read = 0;
  std::size_t written = 0;
  while (true) {
    if (written == out.size()) {
      out.resize(2 * out.size());
    }
    const auto in_step = static_cast<uInt>(std::min(compressed.size() - read, max_step));
    const auto out_step = static_cast<uInt>(std::min(out.size() - written, max_step));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data() + read));
    stream.avail_in = in_step;
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
    stream.avail_out = out_step;
    const int status = inflate(&stream, Z_NO_FLUSH);
    read += in_step - stream.avail_in;
    written += out_step - stream.avail_out;
    if (status == Z_STREAM_END) {
      const std::string_view rest = compressed.substr(read);
      if (rest.find_first_not_of('\0') == std::string_view::npos) {
        break;
      }
      if (!rest.starts_with(gzip_magic)) {
        fail(path, "other data follows the gzip data");
      }
      inflateReset(&stream);
    } else if (status == Z_BUF_ERROR || (status == Z_OK && read == compressed.size())) {
      if (stream.avail_out != 0) {
        fail(path, "the gzip data is truncated");
      }
    } else if (status != Z_OK) {
      fail(path, std::string("the gzip data is damaged") +
                     (stream.msg != nullptr ? std::string(" (") + stream.msg + ")" : ""));
    }
  }
  out.resize(written);
  return out;
}

TextFile::TextFile(const std::string& path) {
  // With O_NONBLOCK, a named pipe without a writer is opened at once and refused below.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat info {};
  if (file.fd < 0 || ::fstat(file.fd, &info) != 0) {
    fail(path, errno == ENOENT ? "no such file" : std::strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) {
    fail(path, "is a directory, not a matrix file");
  }
  if (!S_ISREG(info.st_mode)) {
    fail(path, "is not a regular file");
  }
  if (info.st_size == 0) {
    return;
  }
  mapped_bytes_ = static_cast<std::size_t>(info.st_size);
  void* const mapping = ::mmap(nullptr, mapped_bytes_, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (mapping == MAP_FAILED) {
    fail(path, std::string("cannot be read: ") + std::strerror(errno));
  }
  struct Unmap {
    void* mapping;
    std::size_t size;
    ~Unmap() {
      if (mapping != nullptr) {
        ::munmap(mapping, size);
      }
    }
  } owner{mapping, mapped_bytes_};
  watch_.emplace(mapping, mapped_bytes_, path);
  const std::string_view bytes(static_cast<const char*>(mapping), mapped_bytes_);
  if (bytes.starts_with(gzip_magic)) {
    inflated_ = inflate_gzip(bytes, path);
    watch_.reset();
    text_ = {inflated_.data(), inflated_.size()};
  } else {
    mapping_ = std::exchange(owner.mapping, nullptr);
    text_ = bytes;
  }
}

TextFile::~TextFile() {
  if (mapping_ != nullptr) {
    ::munmap(mapping_, mapped_bytes_);
  }
}

}  // namespace sparserepro
