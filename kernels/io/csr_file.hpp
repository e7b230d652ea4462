// A file of a matrix in CSR: a header of one page, then row_ptr, col_idx and values, each from a
// page on. Numbers are those of the machine; a pattern has no values.
#pragma once

#include <string>

#include "formats/matrix.hpp"
#include "io/file_stamp.hpp"

namespace sparserepro {

/// Why a file of a matrix cannot be read or written.
struct CsrFileError {
  std::string what;
};

/// The source of the matrix has changed since.
struct CsrFileOutdated {};

/// Bytes of the file of a matrix.
std::uint64_t csr_file_bytes(const Matrix& matrix);

/// Writes `matrix`, which was read from `path` at `stamp`, to the new file `file`. Throws
/// CsrFileError; part of a file may then be there.
void write_csr_file(const std::string& file, const Matrix& matrix, const std::string& path,
                    const FileStamp& stamp);

/// Reads a file, checks its hash and that it is a matrix, and marks it as used now. Throws
/// CsrFileError if it is no such file, damaged or of another version of the format, and
/// CsrFileOutdated if it is of another version of `path`, InputError if the matrix exceeds the
/// memory.
Matrix read_csr_file(int descriptor, const std::string& path, const FileStamp& stamp);

}  // namespace sparserepro
