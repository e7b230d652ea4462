// What tells one version of a file from another without reading it.
#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace sparserepro {

/// Number, size and times of a file.
struct FileStamp {
  std::uint64_t inode{};
  std::uint64_t bytes{};
  std::int64_t modified_ns{};  ///< of the content, since 1970
  std::int64_t changed_ns{};   ///< of the content or the inode, since 1970; nobody can set it

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

inline FileStamp stamp_of(const struct stat& info) {
  constexpr std::int64_t second = 1000000000;
  return {info.st_ino, static_cast<std::uint64_t>(info.st_size),
          info.st_mtim.tv_sec * second + info.st_mtim.tv_nsec,
          info.st_ctim.tv_sec * second + info.st_ctim.tv_nsec};
}

}  // namespace sparserepro
