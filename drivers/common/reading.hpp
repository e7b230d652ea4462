// What a driver says of the reading of its matrix.
#pragma once

#include <iosfwd>
#include <string>

#include "formats/matrix.hpp"

namespace sparserepro {

/// What --help says of the cache of matrices (io/matrix_cache.hpp).
inline constexpr const char* cache_help =
    "A file of 2 MiB or more is kept in binary form, so that it is parsed once. SPARSEREPRO_CACHE "
    "names\nthe folder [~/.cache/sparserepro], or is `no`; SPARSEREPRO_CACHE_GIB is its largest "
    "size [20].";

/// Throws InputError where writing `output` would overwrite the file `source`: one regular file,
/// whatever their names. Either may be no file.
void require_apart(const std::string& source, const std::string& output);

/// Throws InputError where two outputs would be one: the same file, whatever their names, or both
/// standard output ("-"). Either may be empty, for none.
void require_two_outputs(const std::string& one, const std::string& other);

/// "0.512 s", or "0.0213 s, from the cache".
std::string reading_time(const Matrix& matrix);

/// Prints to `out` how long a file was read, and its notes to stderr, after the driver's name.
/// Prints nothing for a generated matrix.
void print_reading(std::ostream& out, const Matrix& matrix, const std::string& driver);

}  // namespace sparserepro
