// Matrices in binary form: what is kept comes back bit by bit, and nothing that is damaged,
// outdated or foreign is used.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "io/block_hash.hpp"
#include "io/matrix_cache.hpp"
#include "support/catch.hpp"
#include "support/kept_matrix.hpp"
#include "support/scratch.hpp"

namespace {

using namespace sparserepro;
using namespace sparserepro::testing;
namespace fs = std::filesystem;

void check_same(const Matrix& a, const Matrix& b) {
  CHECK(a.field == b.field);
  CHECK(a.symmetry == b.symmetry);
  CHECK(a.sha256 == b.sha256);
  CHECK(a.csr.rows == b.csr.rows);
  CHECK(a.csr.cols == b.csr.cols);
  CHECK(a.csr.row_ptr == b.csr.row_ptr);
  CHECK(a.csr.col_idx == b.csr.col_idx);
  REQUIRE(a.csr.values.size() == b.csr.values.size());
  CHECK((a.csr.values.empty() || std::memcmp(a.csr.values.data(), b.csr.values.data(),
                                             a.csr.values.size() * sizeof(double)) == 0));
  CHECK(a.entries_in_file == b.entries_in_file);
  CHECK(a.explicit_zeros == b.explicit_zeros);
}

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

/// The note of a file that is not used.
std::string refusal(const MatrixCache& cache) {
  std::vector<std::string> notes;
  CHECK(!cache.find(source, notes));
  REQUIRE(notes.size() == 1);
  const std::string begin = "cache file " + cache.file_of(source.path) + " is not used: ";
  CHECK(notes[0].starts_with(begin));
  return notes[0].substr(std::min(begin.size(), notes[0].size()));
}

}  // namespace

TEST_CASE("what is kept comes back") {
  const ScratchFolder folder;
  const MatrixCache cache(folder.path() + "/new/folder", gib);
  for (const std::string field : {"real", "integer", "pattern"}) {
    std::vector<std::string> notes;
    const Matrix matrix = example(field);
    cache.keep(source, matrix, notes);
    const auto found = cache.find(source, notes);
    CHECK(notes.empty());
    REQUIRE(found);
    check_same(*found, matrix);
  }
  Matrix empty = example();
  empty.csr = {};
  std::vector<std::string> notes;
  cache.keep(source, empty, notes);
  const auto found = cache.find(source, notes);
  REQUIRE(found);
  check_same(*found, empty);
  CHECK(files_in(folder.path() + "/new/folder").size() == 1);
}

TEST_CASE("a matrix of many blocks comes back") {
  const ScratchFolder folder;
  const MatrixCache cache(folder.path(), gib);
  Matrix matrix = example();
  constexpr std::int64_t n = 300001;
  matrix.csr = Csr<std::int64_t, double>(n, n, n);
  for (std::int64_t i = 0; i < n; ++i) {
    matrix.csr.row_ptr[i] = i;
    matrix.csr.col_idx[i] = static_cast<index_t>(n - 1 - i);
    matrix.csr.values[i] = 1.0 / static_cast<double>(i + 1);
  }
  matrix.csr.row_ptr[n] = n;
  std::vector<std::string> notes;
  cache.keep(source, matrix, notes);
  const auto found = cache.find(source, notes);
  REQUIRE(found);
  check_same(*found, matrix);
}

TEST_CASE("a source that has changed in any way is not in the cache") {
  const ScratchFolder folder;
  const MatrixCache cache(folder.path(), gib);
  kept(cache);
  std::vector<std::string> notes;
  REQUIRE(cache.find(source, notes));
  for (const auto change :
       {+[](MatrixSource& s) { ++s.stamp.inode; }, +[](MatrixSource& s) { ++s.stamp.bytes; },
        +[](MatrixSource& s) { ++s.stamp.modified_ns; },
        +[](MatrixSource& s) { ++s.stamp.changed_ns; },
        +[](MatrixSource& s) { s.path = "/other/a.mtx"; }}) {
    MatrixSource other = source;
    change(other);
    CHECK(!cache.find(other, notes));
  }
  CHECK(notes.empty());
  fs::copy_file(cache.file_of(source.path), cache.file_of("/other/a.mtx"));  // of another source
  CHECK(!cache.find({"/other/a.mtx", source.stamp}, notes));
}

TEST_CASE("a damaged file is named, not used, and made anew") {
  const ScratchFolder folder;
  const MatrixCache cache(folder.path(), gib);
  const std::string file = kept(cache);
  const std::string whole = content(file);
  // The header, row_ptr, col_idx and values: each byte that has a meaning.
  std::vector<std::size_t> places;
  for (const auto& [first, count] :
       {std::pair<std::size_t, std::size_t>{0, 248}, {4096, 32}, {8192, 20}, {12288, 40}}) {
    for (std::size_t at = first; at < first + count; ++at) {
      places.push_back(at);
    }
  }
  REQUIRE(whole.size() == 12288 + 40);
  for (const std::size_t place : places) {
    for (const char bit : {1, -128}) {
      INFO("byte " << place);
      std::string damaged = whole;
      damaged[place] = static_cast<char>(damaged[place] ^ bit);
      write(file, damaged);
      refusal(cache);
    }
  }
  std::string two_signs = whole;  // in words of one lane of the hash
  two_signs[4096 + 7] = static_cast<char>(two_signs[4096 + 7] ^ -128);
  two_signs[4096 + 31] = static_cast<char>(two_signs[4096 + 31] ^ -128);
  write(file, two_signs);
  CHECK(refusal(cache) == "its content is damaged");
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, std::size_t{248},
                                 std::size_t{4096}, std::size_t{9000}, whole.size() - 1}) {
    INFO("size " << size);
    write(file, whole.substr(0, size));
    refusal(cache);
  }
  write(file, whole + '\0');
  CHECK(refusal(cache) == "it has not the size that its header states");
  write(file, std::string(20000, 'x'));
  CHECK(refusal(cache) == "it is another kind of file");
  kept(cache);
  CHECK(content(file) == whole);
}

TEST_CASE("what is no file is named and stays") {
  const ScratchFolder folder;
  const MatrixCache cache(folder.path(), gib);
  fs::create_directory(cache.file_of(source.path));
  CHECK(refusal(cache) == "it is no plain file");
  std::vector<std::string> notes;
  cache.keep(source, example(), notes);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == cache.file_of(source.path) + " cannot be kept: Is a directory");
  CHECK(files_in(folder.path()).size() == 1);
}

TEST_CASE("a matrix that is consistent with its hash but is none is not used") {
  const ScratchFolder folder;
  const MatrixCache cache(folder.path(), gib);
  for (const auto spoil :
       {+[](Matrix& m) { m.csr.row_ptr[1] = 6; }, +[](Matrix& m) { m.csr.row_ptr[0] = 1; },
        +[](Matrix& m) { m.csr.row_ptr[3] = 4; }, +[](Matrix& m) { m.csr.col_idx[2] = 4; },
        +[](Matrix& m) { m.csr.col_idx[2] = -1; }}) {
    Matrix matrix = example();
    spoil(matrix);
    std::vector<std::string> notes;
    cache.keep(source, matrix, notes);
    CHECK(refusal(cache) == "its content is damaged");
  }
}

TEST_CASE("the hash of blocks changes with each bit, with length and with order") {
  std::string bytes(77, '\0');
  const std::uint64_t want = block_hash(bytes.data(), bytes.size());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    CHECK(block_hash(bytes.data(), bytes.size()) != want);
    bytes[bit / 8] = 0;
  }
  CHECK(block_hash(bytes.data(), 76) != want);
  std::string a(64, 'a'), b(64, 'a');
  a[0] = 'b';
  b[32] = 'b';
  CHECK(block_hash(a.data(), 64) != block_hash(b.data(), 64));
}
