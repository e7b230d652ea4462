// A small matrix in a cache of matrices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/matrix_cache.hpp"
#include "io/sha256.hpp"
#include "support/catch.hpp"

namespace sparserepro::testing {

inline constexpr std::uint64_t gib = std::uint64_t{1} << 30;
inline const MatrixSource source{
    "/data/a.mtx", {.inode = 7, .bytes = 3 << 20, .modified_ns = 11, .changed_ns = 12}};

/// 3 x 4 with an explicit zero, a negative zero, a NaN and a repeated position.
inline Matrix example(const std::string& field = "real") {
  Matrix matrix;
  matrix.field = field;
  matrix.symmetry = "skew-symmetric";
  matrix.sha256 = sha256_hex("text");
  matrix.csr = Csr<std::int64_t, double>(3, 4, 5);
  matrix.csr.row_ptr = {0, 2, 2, 5};
  matrix.csr.col_idx = {0, 3, 1, 1, 2};
  matrix.csr.values = {1.5, 0, -0.0, std::numeric_limits<double>::quiet_NaN(), 7};
  if (field == "pattern") {
    matrix.csr.values = {1, 1, 1, 1, 1};
  }
  matrix.entries_in_file = 9;
  matrix.explicit_zeros = 2;
  return matrix;
}

/// Keeps the example of `source` and returns its file.
inline std::string kept(const MatrixCache& cache, const MatrixSource& from = source) {
  std::vector<std::string> notes;
  cache.keep(from, example(), notes);
  CHECK(notes.empty());
  return cache.file_of(from.path);
}

inline std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path().filename().string());
  }
  return files;
}

}  // namespace sparserepro::testing
