// Matrices that a spec string describes. A spec gives the same bits on every machine and for every
// number of threads.
#pragma once

#include <string>
#include <vector>

#include "formats/matrix.hpp"

namespace sparserepro {

/// One `key=value` of a spec: an integer or a decimal number in [low, high].
struct GeneratorKey {
  std::string name;
  std::string fallback;  ///< text of the default value
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

/// Whether the text before the first ':', or the whole text, is the name of a family.
bool is_generator_spec(const std::string& source);

/// Builds the matrix of `spec`: "name" or "name:key=value,key=value". In each row columns ascend
/// and are distinct. The fields sha256 and read_seconds stay empty (io/load_matrix.hpp sets them).
/// `threads` <= 0 means all processors; the matrix does not depend on `threads`. Throws InputError
/// for an unknown name or key, a value out of its range, values that contradict each other, or a
/// matrix that exceeds the memory.
Matrix generate(const std::string& spec, int threads = 0);

}  // namespace sparserepro
