#include "common/reading.hpp"

#include <iostream>

#include "common/table.hpp"

namespace sparserepro {

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
