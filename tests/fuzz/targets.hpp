// What is fuzzed: functions that take any bytes. Each lets the code under test read them, and holds
// its answer to properties that need no known answer.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace sparserepro::fuzz {

/// A property does not hold. Nothing else leaves a target.
struct Broken : std::logic_error {
  using std::logic_error::logic_error;
};

/// Throws Broken(what) unless `holds`.
inline void require(bool holds, const char* what) {
  if (!holds) {
    throw Broken(what);
  }
}

/// The text of a Matrix Market file: its matrix does not depend on how the text is cut, and is
/// that of the slow parser of lines.
void matrix_market(std::string_view bytes);
/// A file, plain or gzip: opened, inflated and read; the matrix is valid CSR.
void matrix_file(std::string_view bytes);
/// A spec: the matrix is valid CSR, and its canonical spec gives it again.
void generator(std::string_view bytes);
/// Words of a command line, one a line: what is accepted is in range, and spans its grid.
void command_line(std::string_view bytes);

using Target = void (*)(std::string_view bytes);

/// The target of that name; null if there is none.
Target target_of(std::string_view name);

}  // namespace sparserepro::fuzz
