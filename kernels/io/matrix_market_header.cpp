// Parser of the banner and the size line of a Matrix Market file.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <utility>

#include "formats/error.hpp"
#include "io/matrix_market_line.hpp"

namespace sparserepro {

const char* to_string(MatrixMarketHeader::Field field) {
  switch (field) {
    case MatrixMarketHeader::Field::real:
      return "real";
    case MatrixMarketHeader::Field::integer:
      return "integer";
    case MatrixMarketHeader::Field::pattern:
      return "pattern";
  }
  return "";
}

const char* to_string(MatrixMarketHeader::Symmetry symmetry) {
  switch (symmetry) {
    case MatrixMarketHeader::Symmetry::general:
      return "general";
    case MatrixMarketHeader::Symmetry::symmetric:
      return "symmetric";
    case MatrixMarketHeader::Symmetry::skew_symmetric:
      return "skew-symmetric";
  }
  return "";
}

namespace matrix_market {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) {
      ++at;
    }
    words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

std::string quoted(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string out = "'";
  for (const char c : word.substr(0, longest)) {
    out += c >= ' ' && c <= '~' ? c : '?';
  }
  return out + (word.size() > longest ? "...'" : "'");
}

namespace {

constexpr const char* supported =
    "supported are coordinate files, real, integer or pattern, general, symmetric or "
    "skew-symmetric";

std::string lower(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

void read_banner(std::string_view line, MatrixMarketHeader& header) {
  using Field = MatrixMarketHeader::Field;
  using Symmetry = MatrixMarketHeader::Symmetry;
  const auto words = words_of(line);
  if (words.empty() || lower(words[0]) != "%%matrixmarket") {
    throw LineError{"not a Matrix Market file: the first line must begin with '%%MatrixMarket'"};
  }
  if (words.size() != 5) {
    throw LineError{"the banner has " + std::to_string(words.size()) +
                    " words; expected '%%MatrixMarket matrix coordinate FIELD SYMMETRY'"};
  }
  const std::string object = lower(words[1]), format = lower(words[2]), field = lower(words[3]),
                    symmetry = lower(words[4]);
  const auto refuse = [](const std::string& what) { throw LineError{what + "; " + supported}; };
  if (object != "matrix") {
    refuse("the file holds a " + quoted(words[1]) + ", not a matrix");
  }
  if (format == "array") {
    refuse("the file holds a dense matrix (array)");
  }
  if (format != "coordinate") {
    refuse("unknown format " + quoted(words[2]));
  }
  if (symmetry == "hermitian") {
    refuse("the file holds a Hermitian matrix of complex values");
  }
  if (field == "complex") {
    refuse("the file holds complex values");
  }
  constexpr std::array fields = {Field::real, Field::integer, Field::pattern};
  const auto known_field =
      std::find_if(fields.begin(), fields.end(), [&](Field f) { return field == to_string(f); });
  if (known_field == fields.end()) {
    refuse("unknown field " + quoted(words[3]));
  }
  constexpr std::array symmetries = {Symmetry::general, Symmetry::symmetric,
                                     Symmetry::skew_symmetric};
  const auto known_symmetry = std::find_if(symmetries.begin(), symmetries.end(),
                                           [&](Symmetry s) { return symmetry == to_string(s); });
  if (known_symmetry == symmetries.end()) {
    refuse("unknown symmetry " + quoted(words[4]));
  }
  header.field = *known_field;
  header.symmetry = *known_symmetry;
}

/// A number of the size line. Throws LineError if it is no integer in [0, largest].
std::int64_t read_count(std::string_view word, const char* what, std::int64_t largest) {
  std::string_view digits = word;
  if (digits.size() > 1 && digits.front() == '+' && digits[1] != '-') {
    digits.remove_prefix(1);
  }
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) {
    throw LineError{std::string("the number of ") + what + " is not an integer: " + quoted(word)};
  }
  if (digits.front() == '-') {
    throw LineError{std::string("the number of ") + what + " is negative: " + quoted(word)};
  }
  if (error == std::errc::result_out_of_range || count > largest) {
    throw LineError{std::string("the number of ") + what + " is too large: " + quoted(word) +
                    "; at most " + std::to_string(largest)};
  }
  return count;
}

void read_size_line(std::string_view line, MatrixMarketHeader& header) {
  const auto words = words_of(line);
  if (words.size() != 3) {
    throw LineError{"the size line has " + std::to_string(words.size()) +
                    " fields; expected 'ROWS COLUMNS ENTRIES'"};
  }
  constexpr std::int64_t largest_index = std::numeric_limits<index_t>::max();
  header.rows = static_cast<index_t>(read_count(words[0], "rows", largest_index));
  header.cols = static_cast<index_t>(read_count(words[1], "columns", largest_index));
  header.entries = read_count(words[2], "entries", std::numeric_limits<std::int64_t>::max());
  if (header.symmetry != MatrixMarketHeader::Symmetry::general && header.rows != header.cols) {
    throw LineError{std::string("a ") + to_string(header.symmetry) +
                    " matrix must be square; this one is " + std::to_string(header.rows) + " x " +
                    std::to_string(header.cols)};
  }
}

}  // namespace

MatrixMarketHeader read_header(std::string_view text, const std::string& name) {
  MatrixMarketHeader header;
  std::int64_t number = 1;
  try {
    if (text.empty()) {
      throw LineError{"the file is empty"};
    }
    for (std::size_t at = 0;; ++number) {
      if (at >= text.size()) {
        --number;
        throw LineError{"the file ends before the size line 'ROWS COLUMNS ENTRIES'"};
      }
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      at = end + 1;
      if (number == 1) {
        read_banner(line, header);
      } else if (!is_comment(line)) {
        read_size_line(line, header);
        header.size_line = number;
        header.bytes = std::min(at, text.size());
        return header;
      }
    }
  } catch (const LineError& error) {
    throw InputError(name + ":" + std::to_string(number) + ": " + error.what);
  }
}

}  // namespace matrix_market
}  // namespace sparserepro
