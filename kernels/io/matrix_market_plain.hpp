// Fast parser of the common spelling of an entry: digits, blanks, digits, blanks, a decimal number,
// end of line. It reads each byte once. Private to the reader.
//
// It leaves every other line, errors included, to read_entry, which alone decides what is legal.
// A decimal number m 10^e with an integer m <= 2^53 and |e| <= 22 is one correctly rounded product
// or quotient of two doubles (Clinger, How to Read Floating Point Numbers Accurately, PLDI 1990);
// std::from_chars reads the others.
#pragma once

#include <charconv>
#include <cstdint>

#include "io/matrix_market_line.hpp"

namespace sparserepro::matrix_market {

/// The first character at or after `at` that is neither a space nor a tab.
inline const char* skip_blanks(const char* at) {
  while (*at == ' ' || *at == '\t') {
    ++at;
  }
  return at;
}

/// Appends the digits at `at` to `number`, modulo 2^64, and returns the first character after them.
inline const char* read_digits(const char* at, std::uint64_t& number) {
  for (unsigned digit; (digit = static_cast<unsigned char>(*at) - unsigned{'0'}) < 10; ++at) {
    number = 10 * number + digit;
  }
  return at;
}

/// Reads an index in [1, size] and the blanks after it and returns the first character after both;
/// nullptr if there is no such index.
inline const char* read_plain_index(const char* at, index_t size, index_t& index) {
  std::uint64_t number = 0;
  const char* const end = read_digits(at, number);
  if (end - at > 10 || number - 1 >= static_cast<std::uint64_t>(size)) {
    return nullptr;
  }
  index = static_cast<index_t>(number - 1);
  return skip_blanks(end);
}

/// Reads an integer of at most 15 digits and returns the first character after it; nullptr if there
/// is none.
inline const char* read_plain_integer(const char* at, double& value) {
  const bool negative = *at == '-';
  at += negative;
  std::uint64_t number = 0;
  const char* const end = read_digits(at, number);
  if (end == at || end - at > 15) {
    return nullptr;
  }
  value = static_cast<double>(number);
  value = negative ? -value : value;
  return end;
}

/// Reads a finite decimal number and returns the first character after it; nullptr if there is
/// none.
inline const char* read_plain_real(const char* at, double& value) {
  static constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char* const begin = at;
  const bool negative = *at == '-';
  at += negative;
  std::uint64_t digits = 0;
  const char* end = read_digits(at, digits);
  std::int64_t count = end - at;
  std::int64_t exponent = 0;
  if (*end == '.') {
    const char* const fraction = end + 1;
    end = read_digits(fraction, digits);
    exponent = fraction - end;
    count -= exponent;
  }
  if (count == 0) {
    return nullptr;
  }
  if (*end == 'e' || *end == 'E') {
    ++end;
    const bool negative_power = *end == '-';
    end += negative_power || *end == '+';
    std::uint64_t power = 0;
    const char* const power_end = read_digits(end, power);
    if (power_end == end || power_end - end > 4) {
      return nullptr;
    }
    exponent +=
        negative_power ? -static_cast<std::int64_t>(power) : static_cast<std::int64_t>(power);
    end = power_end;
  }
  if (count <= 19 && digits <= std::uint64_t{1} << 53 && -22 <= exponent && exponent <= 22) {
    value = static_cast<double>(digits);
    value = exponent < 0 ? value / powers_of_ten[-exponent] : value * powers_of_ten[exponent];
    value = negative ? -value : value;
    return end;
  }
  const auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && stop == end ? end : nullptr;
}

/// Reads a line that ends in '\n' and returns the start of the next line. Returns nullptr, with
/// `entry` unspecified, if the line is not in the common spelling or not allowed in the file.
template <MatrixMarketHeader::Field field>
const char* read_plain_entry(const char* at, const MatrixMarketHeader& header, Entry& entry) {
  using Field = MatrixMarketHeader::Field;
  using Symmetry = MatrixMarketHeader::Symmetry;
  at = read_plain_index(skip_blanks(at), header.rows, entry.row);
  if (at == nullptr || !is_blank(at[-1])) {
    return nullptr;
  }
  at = read_plain_index(at, header.cols, entry.col);
  if (at == nullptr) {
    return nullptr;
  }
  if constexpr (field != Field::pattern) {
    if (!is_blank(at[-1])) {
      return nullptr;
    }
    at = field == Field::integer ? read_plain_integer(at, entry.value)
                                 : read_plain_real(at, entry.value);
    if (at == nullptr) {
      return nullptr;
    }
    at = skip_blanks(at);
  }
  at += *at == '\r';
  if (*at != '\n') {
    return nullptr;
  }
  if (header.symmetry != Symmetry::general &&
      (entry.row < entry.col ||
       (header.symmetry == Symmetry::skew_symmetric && entry.row == entry.col))) {
    return nullptr;
  }
  return at + 1;
}

}  // namespace sparserepro::matrix_market
