// Loading of a matrix from a Matrix Market file or a generator spec.
#pragma once

#include <string>

#include "formats/matrix.hpp"

namespace sparserepro {

/// Loads `source`: a generator spec ("name" or "name:key=value,...", with the name of a generator),
/// else a path to an .mtx or .mtx.gz file. Throws InputError with a one-line message if the spec is
/// wrong, the file cannot be read or is malformed, or CSR is the wrong format for it. A file comes
/// from the user's cache where it is there (io/matrix_cache.hpp), and else is kept in it.
Matrix load_matrix(const std::string& source);

}  // namespace sparserepro
