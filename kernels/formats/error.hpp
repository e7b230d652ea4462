// Errors that reach the user as one line on stderr and exit code 1.
#pragma once

#include <stdexcept>
#include <string>

#include "sparserepro/error.hpp"

namespace sparserepro {

/// A data structure breaks its own invariant.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace sparserepro
