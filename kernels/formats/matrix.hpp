// A matrix as it enters a driver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/csr.hpp"

namespace sparserepro {

struct Matrix {
  std::string name;    ///< short: file stem, or the generator's name
  std::string source;  ///< path as given, or canonical spec with every default written out
  std::string origin;  ///< "file" or "generated"
  std::string field;   ///< "real", "integer" or "pattern"
  std::string symmetry = "general";  ///< as in the file; the matrix here is expanded
  std::string sha256;  ///< of the file's bytes (uncompressed text), or of the canonical spec
  Csr<std::int64_t, double> csr;   ///< rows ascending by column, duplicates in file order;
                                   ///< values are ones for a pattern
  std::int64_t explicit_zeros{};   ///< stored entries whose value is 0
  std::int64_t entries_in_file{};  ///< before symmetric expansion
  double read_seconds{};           ///< parse, take from the cache, or generate
  bool from_cache = false;         ///< of binary matrices (io/matrix_cache.hpp)
  std::vector<std::string> notes;  ///< what went wrong with the cache, which costs time alone

  std::int64_t stored() const { return csr.nnz(); }
};

}  // namespace sparserepro
