#include "io/text_stream.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "formats/buffer.hpp"
#include "formats/error.hpp"

namespace sparserepro {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";
// Largest compression ratio of deflate, which codes at most 258 bytes in 2 bits.
constexpr std::size_t max_gzip_ratio = 1032;

}  // namespace

/// Inflates the members of a gzip file one after the other.
class TextFile::Inflater {
 public:
  explicit Inflater(TextFile& file)
      : file_(file), input_(std::min<std::size_t>(std::size_t{1} << 18, file.stamp_.bytes)) {
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) {
      file_.fail("zlib cannot start");
    }
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void rewind() {
    inflateReset(&stream_);
    stream_.avail_in = 0;
    between_members_ = ended_ = false;
  }

  std::size_t read(char* to, std::size_t bytes) {
    std::size_t written = 0;
    while (written < bytes && !ended_) {
      if (between_members_ && !begin_member()) {
        ended_ = true;
        break;
      }
      if (stream_.avail_in == 0 && !refill()) {
        file_.fail("the gzip data is truncated");
      }
      const auto step = static_cast<uInt>(
          std::min<std::size_t>(bytes - written, std::numeric_limits<uInt>::max()));
      stream_.next_out = reinterpret_cast<Bytef*>(to + written);
      stream_.avail_out = step;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      written += step - stream_.avail_out;
      if (status == Z_STREAM_END) {
        between_members_ = true;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        file_.fail(std::string("the gzip data is damaged") +
                   (stream_.msg != nullptr ? std::string(" (") + stream_.msg + ")" : ""));
      }
    }
    return written;
  }

 private:
  /// Adds bytes of the file behind those that are left; false at its end.
  bool refill() {
    std::copy_n(stream_.next_in, stream_.avail_in, reinterpret_cast<Bytef*>(input_.data()));
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    const std::size_t count =
        file_.read_file(input_.data() + stream_.avail_in, input_.size() - stream_.avail_in);
    stream_.avail_in += static_cast<uInt>(count);
    return count > 0;
  }

  /// Begins the member that follows; false if nothing but padding does.
  bool begin_member() {
    while (stream_.avail_in < gzip_magic.size() && refill()) {
    }
    const auto rest = [&] {
      return std::string_view(reinterpret_cast<const char*>(stream_.next_in), stream_.avail_in);
    };
    if (rest().starts_with(gzip_magic)) {
      inflateReset(&stream_);
      between_members_ = false;
      return true;
    }
    do {
      if (rest().find_first_not_of('\0') != std::string_view::npos) {
        file_.fail("other data follows the gzip data");
      }
      stream_.avail_in = 0;
    } while (refill());
    return false;
  }

  TextFile& file_;
  z_stream stream_{};
  Buffer<char> input_;
  bool between_members_ = false;
  bool ended_ = false;
};

void TextFile::fail(const std::string& what) const {
  throw InputError(path_ + ": " + what);
}

TextFile::TextFile(const std::string& path) : path_(path) {
  // With O_NONBLOCK, a named pipe without a writer is opened at once and refused below.
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info {};
  if (file_ < 0 || ::fstat(file_, &info) != 0) {
    fail(errno == ENOENT ? "no such file" : std::strerror(errno));
  }
  try {
    if (S_ISDIR(info.st_mode)) {
      fail("is a directory, not a matrix file");
    }
    if (!S_ISREG(info.st_mode)) {
      fail("is not a regular file");
    }
    stamp_ = stamp_of(info);
    char magic[gzip_magic.size()] = {};
    read_file(magic, std::min<std::size_t>(sizeof magic, stamp_.bytes));
    at_ = 0;
    if (std::string_view(magic, sizeof magic) == gzip_magic) {
      inflater_ = std::make_unique<Inflater>(*this);
    }
  } catch (...) {
    ::close(file_);
    throw;
  }
}

TextFile::~TextFile() {
  ::close(file_);
}

std::size_t TextFile::read_file(char* to, std::size_t bytes) {
  bytes = std::min<std::size_t>(bytes, stamp_.bytes - at_);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count = ::pread(file_, to + done, bytes - done, static_cast<off_t>(at_ + done));
    if (count < 0 && errno != EINTR) {
      fail(std::string("cannot be read: ") + std::strerror(errno));
    }
    if (count == 0) {
      fail("became shorter while it was read");
    }
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  at_ += bytes;
  return bytes;
}

std::size_t TextFile::read(char* to, std::size_t bytes) {
  return inflater_ ? inflater_->read(to, bytes) : read_file(to, bytes);
}

void TextFile::rewind() {
  at_ = 0;
  if (inflater_) {
    inflater_->rewind();
  }
}

std::size_t TextFile::most_bytes() const {
  return inflater_ ? stamp_.bytes * max_gzip_ratio : stamp_.bytes;
}

void TextFile::require_unchanged() const {
  struct stat info {};
  if (::fstat(file_, &info) != 0 || stamp_of(info).bytes != stamp_.bytes ||
      stamp_of(info).modified_ns != stamp_.modified_ns) {
    fail("changed while it was read");
  }
}

}  // namespace sparserepro
