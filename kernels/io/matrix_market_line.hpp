// One line of a Matrix Market file: its words, its header or its entry. Private to the reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/matrix_market.hpp"

namespace sparserepro::matrix_market {

/// What is wrong with a line; the reader adds file and line number.
struct LineError {
  std::string what;
};

/// Spaces, tabs and the carriage return of CRLF separate words.
inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Whether a line holds no entry: it is blank or a comment.
inline bool is_comment(std::string_view line) {
  for (const char c : line) {
    if (!is_blank(c)) {
      return c == '%';
    }
  }
  return true;
}

/// Splits a line at blanks.
std::vector<std::string_view> words_of(std::string_view line);

/// `word` as a message shows it: in quotes, cut when long, unprintable bytes as '?'.
std::string quoted(std::string_view word);

/// Reads banner, comments and size line from the start of `text`. Throws InputError.
MatrixMarketHeader read_header(std::string_view text, const std::string& name);

struct Entry {
  index_t row, col;  // from 0
  double value;      // 1 in a pattern
};

/// Reads an entry in any legal spelling. Throws LineError.
Entry read_entry(std::string_view line, const MatrixMarketHeader& header, bool allow_nonfinite);

}  // namespace sparserepro::matrix_market
