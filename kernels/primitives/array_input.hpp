// Random arrays, the input of the primitives.
#pragma once

#include <cstdint>
#include <string>

#include "formats/buffer.hpp"
#include "formats/types.hpp"

namespace sparserepro {

/// A source of arrays of any length. The same seed gives the same elements on every machine and for
/// every number of threads.
struct ArrayInput {
  std::string name = "random";
  std::string source;            ///< canonical spec with every default written out
  std::string origin = "array";  ///< neither a file nor a generated matrix
  std::string sha256;            ///< of the canonical spec
  std::uint64_t seed = 1;
  std::int64_t distinct = 0;  ///< number of different values; 0: no limit

  /// [length] independent uniform integers in [0, limit), or in [0, distinct) where 0 < distinct
  /// < limit. Requires 0 < limit.
  Buffer<index_t> elements(std::int64_t length, index_t limit) const;
};

/// Parses `source`: "random", or "random:" followed by seed=S, distinct=D or both. Throws
/// InputError for another name, an unknown key or a number that cannot be read.
ArrayInput load_array(const std::string& source);

}  // namespace sparserepro
