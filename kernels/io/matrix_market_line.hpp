// Parsers of single lines of a Matrix Market file. Private to the reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/matrix_market.hpp"

namespace sparserepro::matrix_market {

/// Error in a line; the reader adds the names of file and line.
struct LineError {
  std::string what;
};

/// Whether `c` separates words: a space, a tab or the carriage return of CRLF.
inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Whether a line is blank or a comment.
inline bool is_comment(std::string_view line) {
  for (const char c : line) {
    if (!is_blank(c)) {
      return c == '%';
    }
  }
  return true;
}

/// The words of a line.
std::vector<std::string_view> words_of(std::string_view line);

/// `word` for a message: in quotes, its first 40 bytes, with '?' for bytes that cannot be printed.
std::string quoted(std::string_view word);

/// Reads banner, comments and size line from the start of `text`. Throws InputError, which names
/// the file `name`.
MatrixMarketHeader read_header(std::string_view text, const std::string& name);

/// An entry line.
struct Entry {
  index_t row, col;  // from 0
  double value;      // 1 in a pattern
};

/// Reads an entry in any legal spelling. Throws LineError if it is malformed or not allowed in the
/// file.
Entry read_entry(std::string_view line, const MatrixMarketHeader& header, bool allow_nonfinite);

}  // namespace sparserepro::matrix_market
