// Reader of sparse matrices in the Matrix Market exchange format (Boisvert, Pozo, Remington: The
// Matrix Market Exchange Formats, NISTIR 5935, 1996).
//
// Read:     coordinate files, real, integer or pattern, general, symmetric or skew-symmetric, plain
//           or gzip; LF or CRLF; blank lines and % comments anywhere after the banner; a leading
//           '+'; integers written like 1e5.
// Kept:     explicit zeros and duplicates, each as an entry of its own.
// Expanded: symmetric and skew-symmetric files; an entry below the diagonal is mirrored, a skew one
//           with changed sign. A skew-symmetric pattern is the structure of such a matrix.
// Refused:  complex and Hermitian values, dense (array) files, an entry above the diagonal of a
//           symmetric file, a diagonal entry of a skew-symmetric one, NaN and infinities unless
//           asked for, and everything that is malformed.
//
// An error is one line, "<file>:<line>: <what is wrong>", and always the first of the file. Memory
// is bound by the size of the file, whatever its size line claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/coo.hpp"
#include "formats/types.hpp"

namespace sparserepro {

/// Banner and size line.
struct MatrixMarketHeader {
  enum class Field { real, integer, pattern };
  enum class Symmetry { general, symmetric, skew_symmetric };

  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  index_t rows{}, cols{};
  std::int64_t entries{};    ///< lines of entries that the size line promises
  std::int64_t size_line{};  ///< number of the size line; lines count from 1
  std::size_t bytes{};       ///< from the banner to the end of the size line
};

/// As the words of the banner: "real", "skew-symmetric", ...
const char* to_string(MatrixMarketHeader::Field field);
const char* to_string(MatrixMarketHeader::Symmetry symmetry);

struct MatrixMarketOptions {
  int threads = 0;                       ///< <= 0: one per processor of the affinity mask
  std::size_t chunk_bytes = 512 * 1024;  ///< text that a thread takes at a time, cut at a newline
  bool allow_nonfinite = false;          ///< accept NaN and infinite values
};

struct MatrixMarketFile {
  MatrixMarketHeader header;
  /// The file's entries in the file's order, then the mirrored ones in the same order. Depends on
  /// neither the number of threads nor the size of the chunks.
  Coo coo;
};

/// Reads the file at `path`. Throws InputError.
MatrixMarketFile read_matrix_market(const std::string& path,
                                    const MatrixMarketOptions& options = {});

/// Reads a file's text; `name` stands for the file in messages. Throws InputError.
MatrixMarketFile parse_matrix_market(std::string_view text, const std::string& name,
                                     const MatrixMarketOptions& options = {});

}  // namespace sparserepro
