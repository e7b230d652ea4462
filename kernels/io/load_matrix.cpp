#include "io/load_matrix.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "formats/error.hpp"
#include "generate/generate.hpp"
#include "io/matrix_cache.hpp"
#include "io/matrix_market.hpp"
#include "io/sha256.hpp"
#include "io/text_stream.hpp"

namespace sparserepro {
namespace {

/// File name without folder and without .mtx, .gz or .mtx.gz.
std::string stem_of(const std::string& path) {
  std::string stem = std::filesystem::path(path).filename().string();
  for (const std::string extension : {".gz", ".mtx"}) {
    if (stem.ends_with(extension) && stem.size() > extension.size()) {
      stem.resize(stem.size() - extension.size());
    }
  }
  return stem;
}

/// Throws InputError if `source` is a word, with or without ":...", that names neither a file nor a
/// generator: most likely a mistyped generator.
void refuse_unknown_generator(const std::string& source) {
  const std::string word = source.substr(0, source.find(':'));
  if (word.find_first_of("./") != std::string::npos || std::filesystem::exists(source)) {
    return;
  }
  std::string names;
  for (const GeneratorInfo& generator : generators()) {
    names += (names.empty() ? "" : ", ") + generator.name;
  }
  throw InputError(source + ": neither a file nor the spec of a generator; generators are " +
                   names);
}

/// What a file tells. Throws InputError if it is refused.
Matrix parse(TextFile& text, const std::string& source) {
  MatrixMarketFile file = read_matrix_market(text, source);
  text.require_unchanged();
  Matrix matrix;
  matrix.csr = std::move(file.csr);
  matrix.field = to_string(file.header.field);
  matrix.symmetry = to_string(file.header.symmetry);
  matrix.sha256 = std::move(file.sha256);
  matrix.entries_in_file = file.header.entries;
  matrix.explicit_zeros = std::count(matrix.csr.values.begin(), matrix.csr.values.end(), 0.0);
  return matrix;
}

}  // namespace

Matrix load_matrix(const std::string& source) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto elapsed = [begin] {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  if (is_generator_spec(source)) {
    Matrix matrix = generate(source);
    matrix.read_seconds = elapsed();
    matrix.sha256 = sha256_hex(matrix.source);
    return matrix;
  }
  refuse_unknown_generator(source);

  TextFile text(source);
  const MatrixCache cache = MatrixCache::of_user();
  const MatrixSource file{std::filesystem::canonical(source).string(), text.stamp()};
  std::vector<std::string> notes;
  std::optional<Matrix> kept = cache.find(file, notes);
  Matrix matrix = kept ? std::move(*kept) : parse(text, source);
  matrix.from_cache = kept.has_value();
  matrix.read_seconds = elapsed();
  if (!matrix.from_cache) {
    cache.keep(file, matrix, notes);
  }
  matrix.name = stem_of(source);
  matrix.source = source;
  matrix.origin = "file";
  matrix.notes = std::move(notes);
  return matrix;
}

}  // namespace sparserepro
