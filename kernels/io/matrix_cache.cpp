#include "io/matrix_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "formats/error.hpp"
#include "io/csr_file.hpp"
#include "io/sha256.hpp"

namespace sparserepro {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Whether a change of the source from now on shows in its stamp, whose times have the steps of the
/// file system: some ms, or seconds where the time is a whole one.
bool shows_later_changes(const FileStamp& stamp) {
  using namespace std::chrono;
  const std::int64_t now =
      duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
  constexpr std::int64_t ms = 1000000;
  return now - stamp.changed_ns > (stamp.changed_ns % (1000 * ms) == 0 ? 2000 * ms : 20 * ms);
}

/// Deletes what the end of a process has left of its writing more than an hour ago.
void remove_leftovers(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::error_code ignored;
    const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ignored);
    if (entry.path().extension() == ".part" && !ignored && age > std::chrono::hours(1)) {
      fs::remove(entry.path(), ignored);
    }
  }
}

}  // namespace

MatrixCache::MatrixCache(std::string folder, std::uint64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

MatrixCache MatrixCache::of_user() {
  double gib = 20;
  if (const std::string text = variable("SPARSEREPRO_CACHE_GIB"); !text.empty()) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), gib);
    if (error != std::errc() || end != text.data() + text.size() || !(gib > 0 && gib < 1e9)) {
      throw InputError("SPARSEREPRO_CACHE_GIB: '" + text + "' is no positive number");
    }
  }
  const auto limit = static_cast<std::uint64_t>(gib * 0x1p30);
  const std::string named = variable("SPARSEREPRO_CACHE");
  if (!named.empty()) {
    return {named == "no" ? "" : named, limit};
  }
  const std::string xdg = variable("XDG_CACHE_HOME"), home = variable("HOME");
  const std::string base = fs::path(xdg).is_absolute()    ? xdg
                           : fs::path(home).is_absolute() ? home + "/.cache"
                                                          : "";
  return {base.empty() ? "" : base + "/sparserepro", limit};
}

std::string MatrixCache::file_of(const std::string& path) const {
  constexpr std::size_t longest = 80;
  const std::string name = fs::path(path).filename().string().substr(0, longest);
  return folder_ + "/" + name + "-" + sha256_hex(path).substr(0, 16) + ".csr";
}

bool MatrixCache::serves(const MatrixSource& source) const {
  return !folder_.empty() && source.stamp.bytes >= least_source_bytes;
}

std::optional<Matrix> MatrixCache::find(const MatrixSource& source,
                                        std::vector<std::string>& notes) const {
  if (!serves(source)) {
    return std::nullopt;
  }
  const std::string file = file_of(source.path);
  struct Descriptor {
    int fd;
    ~Descriptor() {
      if (fd >= 0) {
        ::close(fd);
      }
    }
  } in{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  try {
    if (in.fd < 0) {
      if (errno == ENOENT) {
        return std::nullopt;
      }
      throw CsrFileError{std::strerror(errno)};
    }
    return read_csr_file(in.fd, source.path, source.stamp);
  } catch (const CsrFileOutdated&) {
    return std::nullopt;
  } catch (const CsrFileError& error) {
    notes.push_back("cache file " + file + " is not used: " + error.what);
    return std::nullopt;
  }
}

void MatrixCache::make_room(std::uint64_t bytes, const std::string& file) const {
  struct Kept {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Kept> all;
  std::uint64_t sum = bytes;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    std::error_code error;
    const Kept kept{entry.last_write_time(error), entry.file_size(error), entry.path()};
    if (!error && entry.path().extension() == ".csr" && entry.path() != file) {
      all.push_back(kept);
      sum += kept.bytes;
    }
  }
  std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
  for (std::size_t i = 0; i < all.size() && sum > limit_bytes_; ++i) {
    fs::remove(all[i].path);
    sum -= all[i].bytes;
  }
}

void MatrixCache::keep(const MatrixSource& source, const Matrix& matrix,
                       std::vector<std::string>& notes) const {
  if (!serves(source) || !shows_later_changes(source.stamp)) {
    return;
  }
  const std::string file = file_of(source.path);
  const std::string partial = file + "." + std::to_string(::getpid()) + ".part";
  try {
    const std::uint64_t bytes = csr_file_bytes(matrix);
    if (bytes > limit_bytes_) {
      throw CsrFileError{"it would take " + std::to_string(bytes >> 20) +
                         " MiB, more than the limit (SPARSEREPRO_CACHE_GIB)"};
    }
    fs::create_directories(folder_);
    remove_leftovers(folder_);
    make_room(bytes, file);
    if (fs::space(folder_).available / 2 < bytes) {
      throw CsrFileError{"it would take more than half of the disk's free space"};
    }
    write_csr_file(partial, matrix, source.path, source.stamp);
    fs::rename(partial, file);
  } catch (const CsrFileError& error) {
    notes.push_back(file + " cannot be kept: " + error.what);
  } catch (const fs::filesystem_error& error) {
    notes.push_back(file + " cannot be kept: " + error.code().message());
  }
  std::error_code ignored;
  fs::remove(partial, ignored);
}

}  // namespace sparserepro
