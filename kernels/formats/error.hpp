// Errors that reach the user as one line on stderr and exit code 1.
#pragma once

#include <stdexcept>
#include <string>

namespace sparserepro {

/// The user's input (file, generator spec, option) cannot be used; the message says what and where.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A data structure breaks its own invariant.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace sparserepro
