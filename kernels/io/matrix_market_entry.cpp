// Parser of one entry line of a Matrix Market file, in any legal spelling.
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "io/matrix_market_line.hpp"

namespace sparserepro::matrix_market {
namespace {

using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

/// Least integer that may be the result of rounding: 2^53 + 1 reads as 2^53.
constexpr double first_inexact_integer = 9007199254740992.0;  // 2^53

/// The word without a leading '+', which std::from_chars does not accept.
std::string_view without_plus(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-' && word[1] != '+') {
    word.remove_prefix(1);
  }
  return word;
}

index_t read_index(std::string_view word, const char* what, index_t size) {
  const std::string_view digits = without_plus(word);
  std::int64_t index = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, index);
  if (end != last || error == std::errc::invalid_argument) {
    throw LineError{std::string(what) + " index is not an integer: " + quoted(word)};
  }
  if (digits.front() == '-') {
    throw LineError{std::string(what) + " index is negative: " + quoted(word)};
  }
  if (index == 0 && error == std::errc()) {
    throw LineError{std::string(what) + " index is 0; indices count from 1"};
  }
  if (index > size || error == std::errc::result_out_of_range) {
    throw LineError{std::string(what) + " index " + quoted(word) + " exceeds the " +
                    std::to_string(size) + (what[0] == 'r' ? " rows" : " columns") +
                    " of the matrix"};
  }
  return static_cast<index_t>(index - 1);
}

/// The value of a number beyond the range of std::from_chars. One too small is rounded as by
/// strtod; throws LineError for one too large.
double read_out_of_range(std::string_view word) {
  const double value = std::strtod(std::string(word).c_str(), nullptr);
  if (std::isinf(value)) {
    throw LineError{"value " + quoted(word) + " exceeds the range of double precision"};
  }
  return value;
}

double read_value(std::string_view word, bool integer, bool allow_nonfinite) {
  const std::string_view number = without_plus(word);
  const char* const last = number.data() + number.size();
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), last, value);
  if (error == std::errc::invalid_argument || end != last) {
    const bool fortran = error != std::errc::invalid_argument && (*end == 'd' || *end == 'D');
    throw LineError{"value is not a number: " + quoted(word) +
                    (fortran ? "; write a Fortran exponent D as E" : "")};
  }
  if (error == std::errc::result_out_of_range) {
    value = read_out_of_range(number);
  }
  if (!std::isfinite(value)) {
    if (!allow_nonfinite) {
      throw LineError{"value " + quoted(word) + " is not finite"};
    }
    return value;
  }
  if (integer && value != std::trunc(value)) {
    throw LineError{"value " + quoted(word) + " is not an integer, as the banner promises"};
  }
  if (integer && std::abs(value) >= first_inexact_integer) {
    throw LineError{"integer " + quoted(word) + " reaches 2^53, from where doubles are inexact"};
  }
  return value;
}

}  // namespace

Entry read_entry(std::string_view line, const MatrixMarketHeader& header, bool allow_nonfinite) {
  const auto words = words_of(line);
  const bool pattern = header.field == Field::pattern;
  if (words.size() != (pattern ? 2 : 3)) {
    throw LineError{std::string(pattern ? "expected 2 fields (row, column)"
                                        : "expected 3 fields (row, column, value)") +
                    ", found " + std::to_string(words.size())};
  }
  Entry entry{read_index(words[0], "row", header.rows), read_index(words[1], "column", header.cols),
              1.0};
  if (!pattern) {
    entry.value = read_value(words[2], header.field == Field::integer, allow_nonfinite);
  }
  if (header.symmetry != Symmetry::general && entry.row < entry.col) {
    throw LineError{"entry (" + std::to_string(entry.row + 1) + ", " +
                    std::to_string(entry.col + 1) + ") lies above the diagonal; a " +
                    to_string(header.symmetry) + " file stores the lower triangle"};
  }
  if (header.symmetry == Symmetry::skew_symmetric && entry.row == entry.col) {
    throw LineError{"entry (" + std::to_string(entry.row + 1) + ", " +
                    std::to_string(entry.col + 1) +
                    ") lies on the diagonal, which is zero in a skew-symmetric matrix and not "
                    "stored"};
  }
  return entry;
}

}  // namespace sparserepro::matrix_market
