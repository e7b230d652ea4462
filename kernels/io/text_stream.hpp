// Texts that are read in order and more than once: of a plain or gzip file, or in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "io/file_stamp.hpp"

namespace sparserepro {

class TextStream {
 public:
  virtual ~TextStream() = default;
  /// Reads the next bytes to `to` and returns their number, which is below `bytes` only at the
  /// end of the text.
  virtual std::size_t read(char* to, std::size_t bytes) = 0;
  /// Begins again at the first byte.
  virtual void rewind() = 0;
  /// A bound on the length of the text in bytes.
  virtual std::size_t most_bytes() const = 0;
};

/// A text that lies in memory and outlives the object.
class TextInMemory : public TextStream {
 public:
  explicit TextInMemory(std::string_view text) : text_(text) {}
  std::size_t read(char* to, std::size_t bytes) override {
    const std::size_t count = text_.copy(to, bytes, at_);
    at_ += count;
    return count;
  }
  void rewind() override { at_ = 0; }
  std::size_t most_bytes() const override { return text_.size(); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// The text of a file. A file that begins with the magic bytes of gzip (RFC 1952) is inflated, all
/// of its members, whatever its name; zero bytes after the last member are padding.
class TextFile : public TextStream {
 public:
  /// Throws InputError "<path>: <what is wrong>" for a file that is missing or unreadable, a
  /// directory or a device.
  explicit TextFile(const std::string& path);
  ~TextFile() override;
  /// Throws InputError for damaged gzip data, and for a file that has become shorter.
  std::size_t read(char* to, std::size_t bytes) override;
  void rewind() override;
  std::size_t most_bytes() const override;

  /// Of the file as it was opened.
  const FileStamp& stamp() const { return stamp_; }
  /// Throws InputError if size or time of the file's content differ from those of `stamp`.
  void require_unchanged() const;

 private:
  class Inflater;
  std::size_t read_file(char* to, std::size_t bytes);
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  int file_ = -1;
  FileStamp stamp_;
  std::size_t at_ = 0;  // of the file's next byte
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace sparserepro
