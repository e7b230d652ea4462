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
// memory used is bounded by the size of the text, whatever its size line claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/csr.hpp"
#include "io/text_stream.hpp"

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
  std::size_t window_bytes = 0;          ///< of text, two of which are in memory; 0: by the threads
  std::size_t chunk_bytes = 128u << 10;  ///< bytes of a window that a thread takes at a time
  bool allow_nonfinite = false;          ///< accept NaN and infinite values
};

/// A file as read: its header and its matrix. The result depends on neither the number of threads
/// nor the size of windows and chunks.
struct MatrixMarketFile {
  MatrixMarketHeader header;
  /// Rows ascend by column, duplicates in the order of the file; a pattern has ones.
  Csr<std::int64_t, double> csr;
  std::string sha256;  ///< of the text
};

/// Reads a text, which messages call `name`. Throws InputError if it is refused (see above), if a
/// row or column for each few bytes of text makes CSR the wrong format, or if it changes between
/// the two passes.
MatrixMarketFile read_matrix_market(TextStream& text, const std::string& name,
                                    const MatrixMarketOptions& options = {});

/// The same of the file at `path`.
MatrixMarketFile read_matrix_market(const std::string& path,
                                    const MatrixMarketOptions& options = {});

/// The same of a text in memory.
MatrixMarketFile parse_matrix_market(std::string_view text, const std::string& name,
                                     const MatrixMarketOptions& options = {});

}  // namespace sparserepro
