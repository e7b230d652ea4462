// Matrices of files in binary form, so that a file is parsed once on a machine.
//
// One file for each source, in a folder of the user: name of the source, a digest of its path, and
// ".csr". It holds the matrix and everything else that reading tells, the SHA-256 of the text
// included, so that a record is the same with it and without. Its matrix is read into ordinary
// arrays and not mapped: arrays of a driver lie on huge pages, all or none, and nobody can change
// one while it is measured.
//
//   used      while path, number, size and times of the source are those of its reading, and the
//             content has the hash that the header states
//   replaced  when the source has changed; when it is damaged, shortened or of another format,
//             which a note names
//   written   to a temporary file, which then takes the name: of two jobs at once either wins, and
//             readers never see a part
//   deleted   the least recently used, when together they would exceed the limit. A user may
//             delete any of them at any time.
//
// A disk that is full, a folder that cannot be written or a matrix above the limit costs a note;
// the matrix is parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "formats/matrix.hpp"
#include "io/file_stamp.hpp"

namespace sparserepro {

/// A source of matrices: one version of a file.
struct MatrixSource {
  std::string path;  ///< absolute, without links
  FileStamp stamp;
};

class MatrixCache {
 public:
  /// Smaller files are parsed within milliseconds, and not kept.
  static constexpr std::uint64_t least_source_bytes = std::uint64_t{2} << 20;

  /// Keeps nothing with an empty `folder`.
  MatrixCache(std::string folder, std::uint64_t limit_bytes);

  /// SPARSEREPRO_CACHE names the folder, or is "no"; unset, it is sparserepro in XDG_CACHE_HOME or
  /// in ~/.cache. SPARSEREPRO_CACHE_GIB is the limit, 20 unless it is set. Throws InputError where
  /// it is no positive number.
  static MatrixCache of_user();

  /// The matrix of `source`, without name, source and read_seconds; nothing if it is not there.
  /// Adds a note where a file is there and cannot be used.
  std::optional<Matrix> find(const MatrixSource& source, std::vector<std::string>& notes) const;

  /// Keeps `matrix`, which was read from `source`. Adds a note where it cannot.
  void keep(const MatrixSource& source, const Matrix& matrix,
            std::vector<std::string>& notes) const;

  /// The file of a source.
  std::string file_of(const std::string& path) const;

 private:
  bool serves(const MatrixSource& source) const;
  void make_room(std::uint64_t bytes, const std::string& file) const;

  std::string folder_;
  std::uint64_t limit_bytes_;
};

}  // namespace sparserepro
