// Reader of sparse matrices in the Matrix Market exchange format (Boisvert, Pozo, Remington: The
// Matrix Market Exchange Formats, NISTIR 5935, 1996).
//
// Read:     coordinate files, real, integer or pattern, general, symmetric or skew-symmetric, plain
//           or gzip; LF or CRLF; blank lines and % comments anywhere after the banner; a leading
//           '+'; integers written like 1e5.
// Kept:     explicit zeros and duplicates, each as an entry of its own.
// Expanded: symmetric and skew-symmetric files. An entry (i, j) below the diagonal adds (j, i), in
//           a skew-symmetric file with changed sign. A skew-symmetric pattern is the structure of
//           such a matrix.
// Refused:  complex and Hermitian values, dense (array) files, an entry above the diagonal of a
//           symmetric file, a diagonal entry of a skew-symmetric file, NaN and infinities unless
//           `allow_nonfinite`, and every other departure from the format.
//
// The message of an error is "<file>:<line>: <what is wrong>", for the first error of the file. The
// memory used is bounded by the size of the file, whatever its size line claims.
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
  std::size_t bytes{};       ///< length of the text up to the end of the size line
};

/// The word of the banner: "real", "skew-symmetric", ...
const char* to_string(MatrixMarketHeader::Field field);
const char* to_string(MatrixMarketHeader::Symmetry symmetry);

/// Options of the reader.
struct MatrixMarketOptions {
  int threads = 0;                       ///< <= 0: one per processor of the affinity mask
  std::size_t chunk_bytes = 512 * 1024;  ///< bytes of text that a thread takes at a time
  bool allow_nonfinite = false;          ///< accept NaN and infinite values
};

/// A file as read: its header and its coordinates.
struct MatrixMarketFile {
  MatrixMarketHeader header;
  /// The entries in the order of the file, then the mirrored ones in the same order. The result
  /// depends on neither the number of threads nor the size of the chunks.
  Coo coo;
};

/// Reads the file at `path`. Throws InputError if it cannot be read or is refused (see above).
MatrixMarketFile read_matrix_market(const std::string& path,
                                    const MatrixMarketOptions& options = {});

/// Reads the text of a file, which messages call `name`. Throws InputError if it is refused.
MatrixMarketFile parse_matrix_market(std::string_view text, const std::string& name,
                                     const MatrixMarketOptions& options = {});

}  // namespace sparserepro
