// The Matrix Market reader. NAME.expect holds the expanded entries of a file of tests/data/valid,
// or the message for a file of tests/data/invalid.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "formats/error.hpp"
#include "io/matrix_market.hpp"
#include "support/catch.hpp"
#include "support/slow_csr.hpp"

namespace {

/// Size of the largest block that a Buffer has allocated; only Buffers use the aligned operator new
/// here.
std::size_t largest_block = 0;

}  // namespace

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SPARSEREPRO_OWN_OPERATORS_TAKEN  // by clang's runtime, which knows their blocks
#endif
#endif
#ifndef SPARSEREPRO_OWN_OPERATORS_TAKEN
// Not inlined: the compiler is to see both or none of a pair.
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  largest_block = std::max(largest_block, size);
  const auto unit = static_cast<std::size_t>(alignment);
  void* const block = std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
  return block != nullptr ? block : throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* block, std::align_val_t) noexcept {
  std::free(block);
}
#endif

namespace {

using namespace sparserepro;
using sparserepro::testing::slow_csr;

const std::filesystem::path data_folder = SPARSEREPRO_TEST_DATA;

std::vector<std::string> matrix_files(const char* folder) {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(data_folder / folder)) {
    if (file.path().extension() == ".mtx") {
      files.push_back(file.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::ifstream open_expectation(const std::string& matrix_file) {
  std::ifstream file(std::filesystem::path(matrix_file).replace_extension(".expect"));
  REQUIRE(file);
  return file;
}

/// Windows and chunks from one line to the whole text, with one thread and with more threads than
/// chunks.
std::vector<MatrixMarketOptions> all_options() {
  std::vector<MatrixMarketOptions> all;
  for (const int threads : {1, 2, 5}) {
    for (const std::size_t chunk_bytes : {1, 7, 64, 1 << 20}) {
      for (const std::size_t window_bytes :
           {std::size_t{1}, 3 * chunk_bytes, std::size_t{1} << 20}) {
        all.push_back(
            {.threads = threads, .window_bytes = window_bytes, .chunk_bytes = chunk_bytes});
      }
    }
  }
  return all;
}

/// Equal bit by bit, so that -0 differs from 0 and NaN equals itself.
bool same_bits(const Csr<std::int64_t, double>& a, const Csr<std::int64_t, double>& b) {
  return a.rows == b.rows && a.cols == b.cols && a.row_ptr == b.row_ptr && a.col_idx == b.col_idx &&
         a.values.size() == b.values.size() &&
         (a.values.empty() ||
          std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0);
}

std::string message_of(const std::string& text, const MatrixMarketOptions& options = {}) {
  try {
    parse_matrix_market(text, "m", options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// A symmetric file with comments, blank lines, CRLF and numbers of many lengths.
std::string awkward_text(int entries) {
  std::mt19937 random(7);
  std::string body;
  for (int e = 0; e < entries; ++e) {
    const unsigned row = 1 + random() % 5000;
    const unsigned col = 1 + random() % row;
    char line[96];
    std::snprintf(line, sizeof line, "%u %u %.*g%s", row, col, 1 + static_cast<int>(random() % 20),
                  std::ldexp(random() - 2e9, static_cast<int>(random() % 80) - 60),
                  random() % 3 == 0 ? "\r\n" : "\n");
    body += random() % 11 == 0 ? "% comment\n" : random() % 13 == 0 ? "\n" : "";
    body += line;
  }
  return "%%MatrixMarket matrix coordinate real symmetric\n5000 5000 " + std::to_string(entries) +
         "\n" + body;
}

}  // namespace

TEST_CASE("every valid file gives the expected entries, however it is cut") {
  const auto files = matrix_files("valid");
  REQUIRE(files.size() >= 25);
  for (const std::string& path : files) {
    INFO(path);
    std::ifstream expectation = open_expectation(path);
    std::string field, symmetry, value;
    Coo want;
    std::int64_t entries = 0;
    expectation >> field >> symmetry >> want.rows >> want.cols >> entries;
    REQUIRE(expectation);
    for (index_t row = 0, col = 0; expectation >> row >> col;) {
      want.row_idx.push_back(row - 1);
      want.col_idx.push_back(col - 1);
      if (field != "pattern") {
        expectation >> value;
        want.values.push_back(std::strtod(value.c_str(), nullptr));
      }
    }
    const auto csr = slow_csr(want);
    for (const MatrixMarketOptions& options : all_options()) {
      INFO(options.threads << " threads, windows of " << options.window_bytes << ", chunks of "
                           << options.chunk_bytes);
      const MatrixMarketFile got = read_matrix_market(path, options);
      CHECK(to_string(got.header.field) == field);
      CHECK(to_string(got.header.symmetry) == symmetry);
      CHECK(got.header.entries == entries);
      CHECK(got.csr.rows == want.rows);
      CHECK(got.csr.cols == want.cols);
      CHECK(got.csr.row_ptr == csr.row_ptr);
      CHECK(got.csr.col_idx == csr.col_idx);
      CHECK(got.csr.values == csr.values);
    }
  }
}

TEST_CASE("every invalid file is refused with its message, however it is cut") {
  const auto files = matrix_files("invalid");
  REQUIRE(files.size() >= 70);
  for (const std::string& path : files) {
    INFO(path);
    std::ifstream expectation = open_expectation(path);
    std::string want;  // "LINE: text"
    REQUIRE(std::getline(expectation, want));
    for (const MatrixMarketOptions& options : all_options()) {
      INFO(options.threads << " threads, chunks of " << options.chunk_bytes);
      std::string got = "no error";
      try {
        read_matrix_market(path, options);
      } catch (const InputError& error) {
        got = error.what();
      }
      INFO(got);
      CHECK(got.substr(0, path.size() + 1 + want.size()) == path + ":" + want);
      CHECK(got.find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("threads and chunks do not change the result") {
  const std::string text = awkward_text(3000);
  const auto want = parse_matrix_market(text, "m", {.threads = 1, .chunk_bytes = text.size()}).csr;
  REQUIRE(want.nnz() > 5000);
  for (const MatrixMarketOptions& options : all_options()) {
    INFO(options.threads << " threads, chunks of " << options.chunk_bytes);
    CHECK(same_bits(parse_matrix_market(text, "m", options).csr, want));
  }
}

TEST_CASE("of many errors the first line is reported, however the file is cut") {
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n9 9 400\n";
  for (int line = 3; line <= 402; ++line) {
    text += line % 50 == 0 ? "10 1\n" : line % 20 == 17 && line > 60 ? "1\n" : "1 1\n";
  }
  for (const MatrixMarketOptions& options : all_options()) {
    CHECK(message_of(text, options) == "m:50: row index '10' exceeds the 9 rows of the matrix");
  }
}

TEST_CASE("a size line that lies costs no memory") {
#ifdef SPARSEREPRO_OWN_OPERATORS_TAKEN
  SKIP("the sanitizer allocates, and tells no sizes");
#endif
  const std::string banner = "%%MatrixMarket matrix coordinate real ";
  for (const std::string symmetry : {"general", "symmetric"}) {
    for (const std::string entries : {"1000000000", "9223372036854775807"}) {
      largest_block = 0;
      CHECK(message_of(banner + symmetry + "\n2147483647 2147483647 " + entries + "\n1 1 1\n") ==
            "m:3: the file ends after 1 of the " + entries + " entries that line 2 promises");
      CHECK(largest_block > 0);
      CHECK(largest_block < 1000);
    }
  }
}

TEST_CASE("all prefixes of a file are refused without a crash") {
  const std::string text = awkward_text(40);
  const std::size_t last_digit = text.find_last_not_of("\r\n");
  for (std::size_t size = 0; size < text.rfind(' '); ++size) {
    INFO(size);
    const std::string message =
        message_of(text.substr(0, size), {.threads = 2, .window_bytes = 50, .chunk_bytes = 9});
    CHECK(message.starts_with("m:"));
  }
  CHECK(message_of(text.substr(0, last_digit + 1)) == "no error");
}

TEST_CASE("a file with single bytes changed is read or refused with one line") {
  const std::string original = awkward_text(20);
  std::mt19937 random(3);
  int refused = 0;
  for (int n = 0; n < 800; ++n) {
    std::string text = original;
    text[random() % text.size()] = static_cast<char>(random() % 256);
    const std::string serial = message_of(text, {.threads = 1, .chunk_bytes = text.size()});
    CHECK(message_of(text, {.threads = 3, .window_bytes = 40, .chunk_bytes = 1}) == serial);
    CHECK(serial.find('\n') == std::string::npos);
    refused += serial != "no error";
  }
  CHECK(refused > 200);
}

TEST_CASE("a text that changes between the two passes is refused") {
  /// Gives one text, and another of the same length from the second reading on.
  class Changing : public TextStream {
   public:
    Changing(std::string first, std::string second)
        : first_(std::move(first)), second_(std::move(second)) {}
    std::size_t read(char* to, std::size_t bytes) override {
      const std::size_t count = (readings_ == 1 ? first_ : second_).copy(to, bytes, at_);
      at_ += count;
      return count;
    }
    void rewind() override {
      ++readings_;
      at_ = 0;
    }
    std::size_t most_bytes() const override { return first_.size(); }

   private:
    std::string first_, second_;
    std::size_t at_ = 0;
    int readings_ = 0;
  };
  const std::string head = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n";
  const auto message = [&](const std::string& first, const std::string& second) -> std::string {
    Changing text(head + first, head + second);
    try {
      read_matrix_market(text, "m");
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string body = "2 1\n3 1\n3 2\n";
  CHECK(message(body, body) == "no error");
  CHECK(message(body, "2 1\n3 1\n3 1\n") == "m: changed while it was read");  // one row longer
  CHECK(message(body, "2 1\n3 1\n3 3\n") == "m: changed while it was read");  // fewer entries
  CHECK(message("1 1\n2 2\n3 3\n", body) == "m: changed while it was read");  // more entries
}

TEST_CASE("many blank lines in a chunk are counted") {
  const std::string blank(40000, '\n');
  const std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 2\n" + blank +
                           "1 1 1.0\n" + blank + "1 1 x\n";
  CHECK(message_of(text, {.threads = 2, .chunk_bytes = 50000}).starts_with("m:80004: "));
}

TEST_CASE("of two errors the earlier one is told, also where it takes longer to find") {
  const std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 2\n" +
                           std::string(std::size_t{8} << 20, ' ') + "1 1 x\n1 1 y\n";
  CHECK(message_of(text, {.threads = 2, .chunk_bytes = 1}) == "m:3: value is not a number: 'x'");
}
