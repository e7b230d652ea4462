// Matrices from a spec string instead of a file: the same bits on every machine and for every
// number of threads.
#pragma once

#include <string>
#include <vector>

#include "formats/matrix.hpp"

namespace sparserepro {

/// One `key=value` of a spec: an integer or a decimal number in [low, high].
struct GeneratorKey {
  std::string name;
  std::string fallback;  ///< value, as it is written, when the spec gives none
  std::string help;
  double low = 0;
  double high = 2147483647;
  bool integer = true;
};

/// One family of matrices.
struct GeneratorInfo {
  std::string name;
  std::string summary;             ///< one line
  std::vector<GeneratorKey> keys;  ///< in canonical order
};

/// All families, in the order in which help texts show them.
const std::vector<GeneratorInfo>& generators();

/// True when the text up to the first ':' is the name of a family, whatever follows.
bool is_generator_spec(const std::string& source);

/// Builds the matrix of `spec`: "name" or "name:key=value,key=value". Rows ascend by column and
/// have no duplicates. The fields sha256 and read_seconds stay empty (io/load_matrix.hpp sets
/// them). `threads` <= 0 uses every processor; the matrix does not depend on it. Throws InputError
/// with one line for an unknown name or key, a bad value, or values that contradict each other.
Matrix generate(const std::string& spec, int threads = 0);

}  // namespace sparserepro
