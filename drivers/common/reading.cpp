#include "common/reading.hpp"

#include <filesystem>
#include <iostream>
#include <system_error>

#include "common/table.hpp"
#include "formats/error.hpp"

namespace sparserepro {

void require_apart(const std::string& source, const std::string& output) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_regular_file(output, error) && fs::equivalent(source, output, error)) {
    throw InputError("cannot write " + output + ": it is the source " + source);
  }
}

void require_two_outputs(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  if (one.empty() || other.empty() || (one == "-") != (other == "-")) {
    return;
  }
  std::error_code error;
  const auto named = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path, error), error);
  };
  const bool device = fs::exists(one, error) && !fs::is_regular_file(one, error);
  if (one == "-" ||
      (!device && (named(one) == named(other) || fs::equivalent(one, other, error)))) {
    throw InputError("cannot write two outputs to " + other);
  }
}

std::string reading_time(const Matrix& matrix) {
  return significant(matrix.read_seconds, 3) + " s" + (matrix.from_cache ? ", from the cache" : "");
}

void print_reading(std::ostream& out, const Matrix& matrix, const std::string& driver) {
  for (const std::string& note : matrix.notes) {
    std::cerr << driver << ": " << note << '\n';
  }
  if (matrix.origin == "file") {
    out << "read " << matrix.source << " in " << reading_time(matrix) << '\n';
  }
}

}  // namespace sparserepro
