// A text in windows of whole lines, of which the next is read while the present one is parsed.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "formats/buffer.hpp"
#include "io/sha256.hpp"
#include "io/text_stream.hpp"

namespace sparserepro {

class LineWindows {
 public:
  /// Windows of at most `bytes`, or of one line where a line is longer.
  LineWindows(TextStream& text, std::size_t bytes);

  /// Begins with the first window. With `digest`, every byte is added to it as it is read.
  void restart(Sha256* digest = nullptr);
  /// Whole lines, each of which ends in '\n'; empty at the end. The last line of the text gets its
  /// newline if it has none.
  std::string_view window() const { return {present_.bytes.data(), present_.lines}; }
  /// Whether the text ends with the present window.
  bool last() const { return ended_ && present_.lines == present_.bytes_read; }
  /// Reads the lines behind the present window, which it leaves as it is.
  void fetch();
  /// Makes the lines that `fetch` has read the present window.
  void advance() { std::swap(present_, next_); }
  /// Reads more lines into the present window.
  void extend();

 private:
  struct Part {
    Buffer<char> bytes;
    std::size_t lines = 0;       // bytes of whole lines
    std::size_t bytes_read = 0;  // and of the beginning of the line that follows
  };
  void fill(Part& part, std::string_view begin, std::size_t bytes);

  TextStream& text_;
  std::size_t bytes_;
  Part present_, next_;
  bool ended_ = false;
  Sha256* digest_ = nullptr;
};

}  // namespace sparserepro
