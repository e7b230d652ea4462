#include "io/line_windows.hpp"

#include <algorithm>

namespace sparserepro {

LineWindows::LineWindows(TextStream& text, std::size_t bytes)
    // One byte more than the text, so that its end is noticed at once.
    : text_(text), bytes_(std::max<std::size_t>(std::min(bytes, text.most_bytes() + 1), 1)) {}

void LineWindows::restart(Sha256* digest) {
  text_.rewind();
  digest_ = digest;
  ended_ = false;
  present_.lines = present_.bytes_read = 0;
  fetch();
  advance();
}

void LineWindows::fetch() {
  const std::string_view rest(present_.bytes.data() + present_.lines,
                              present_.bytes_read - present_.lines);
  fill(next_, rest, std::max(bytes_, rest.size()));
}

void LineWindows::extend() {
  fill(next_, {present_.bytes.data(), present_.bytes_read}, 2 * present_.bytes.size());
  advance();
}

/// Reads to `part` the bytes `begin` and those that follow in the text, `bytes` in all, or more
/// until there is a whole line.
void LineWindows::fill(Part& part, std::string_view begin, std::size_t bytes) {
  part.bytes.resize(bytes + 1);  // a newline for the last line
  std::copy(begin.begin(), begin.end(), part.bytes.begin());
  part.bytes_read = begin.size();
  part.lines = 0;
  while (true) {
    if (!ended_) {
      char* const to = part.bytes.data() + part.bytes_read;
      const std::size_t count = text_.read(to, bytes - part.bytes_read);
      ended_ = part.bytes_read + count < bytes;
      part.bytes_read += count;
      if (digest_ != nullptr) {
        digest_->update({to, count});
      }
    }
    if (ended_ && part.bytes_read > 0 && part.bytes[part.bytes_read - 1] != '\n') {
      part.bytes[part.bytes_read++] = '\n';
    }
    part.lines = std::string_view(part.bytes.data(), part.bytes_read).rfind('\n') + 1;
    if (ended_ || part.lines > 0) {
      return;
    }
    bytes *= 2;
    part.bytes.resize(bytes + 1);
  }
}

}  // namespace sparserepro
