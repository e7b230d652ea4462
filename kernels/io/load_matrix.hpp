// A matrix from where the user says: a Matrix Market file or a generator's spec.
#pragma once

#include <string>

#include "formats/matrix.hpp"

namespace sparserepro {

/// Loads `source`: a generator spec ("name" or "name:key=value,..." with a known generator's name),
/// else a path to .mtx or .mtx.gz. Throws InputError with a one-line message.
Matrix load_matrix(const std::string& source);

}  // namespace sparserepro
