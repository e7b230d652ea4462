// Loading a matrix from a file or a spec, and the conversion of coordinates to CSR.
#include <random>
#include <string>

#include "formats/error.hpp"
#include "formats/matrix.hpp"
#include "generate/generate.hpp"
#include "io/load_matrix.hpp"
#include "io/matrix_market.hpp"
#include "io/sha256.hpp"
#include "support/catch.hpp"
#include "support/scratch.hpp"
#include "support/slow_csr.hpp"

namespace {

using namespace sparserepro;
using sparserepro::testing::gzip;
using sparserepro::testing::ScratchFolder;
using sparserepro::testing::slow_csr;

std::string message_of(const std::string& source) {
  try {
    load_matrix(source);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Random entries with values 1, 2, 3, ..., so that a wrong order of duplicates is detected. With
/// `skew` > 1 most entries are in rows of low number.
Coo random_coo(index_t rows, index_t cols, int nnz, int skew) {
  std::mt19937 random(17);
  Coo coo;
  coo.rows = rows;
  coo.cols = cols;
  for (int e = 0; e < nnz; ++e) {
    index_t row = static_cast<index_t>(random() % static_cast<unsigned>(rows));
    for (int k = 1; k < skew; ++k) {
      row = static_cast<index_t>(random() % static_cast<unsigned>(row + 1));
    }
    coo.row_idx.push_back(row);
    coo.col_idx.push_back(static_cast<index_t>(random() % static_cast<unsigned>(cols)));
    coo.values.push_back(e);
  }
  return coo;
}

/// Checks the matrix of a file with these entries, in this order.
void check_conversion(const Coo& coo) {
  const auto want = slow_csr(coo);
  std::string text = "%%MatrixMarket matrix coordinate integer general\n" +
                     std::to_string(coo.rows) + " " + std::to_string(coo.cols) + " " +
                     std::to_string(coo.nnz()) + "\n";
  for (std::int64_t e = 0; e < coo.nnz(); ++e) {
    text += std::to_string(coo.row_idx[e] + 1) + " " + std::to_string(coo.col_idx[e] + 1) + " " +
            std::to_string(static_cast<std::int64_t>(coo.values[e])) + "\n";
  }
  for (const int threads : {1, 2, 5}) {
    INFO(threads << " threads");
    const auto got =
        parse_matrix_market(text, "m",
                            {.threads = threads, .window_bytes = 1 << 20, .chunk_bytes = 1 << 15})
            .csr;
    CHECK_NOTHROW(got.validate());
    CHECK(got.rows == coo.rows);
    CHECK(got.cols == coo.cols);
    CHECK(got.row_ptr == want.row_ptr);
    CHECK(got.col_idx == want.col_idx);
    CHECK(got.values == want.values);
  }
}

}  // namespace

TEST_CASE("coordinates to CSR, by hand") {
  const auto csr = parse_matrix_market(
                       "%%MatrixMarket matrix coordinate real general\n4 3 5\n"
                       "4 3 6\n1 2 2\n4 1 3\n1 1 4\n4 3 5\n",
                       "m")
                       .csr;
  CHECK(csr.row_ptr == Buffer<std::int64_t>{0, 2, 2, 2, 5});
  CHECK(csr.col_idx == Buffer<index_t>{0, 1, 0, 2, 2});
  CHECK(csr.values == Buffer<double>{4, 2, 3, 6, 5});  // duplicates as in the file
}

TEST_CASE("coordinates to CSR against a stable sort") {
  check_conversion(random_coo(7, 5, 40, 1));
  check_conversion(random_coo(1000, 1000, 300000, 1));
  check_conversion(random_coo(100000, 300, 200000, 1));  // rows of two entries
  check_conversion(random_coo(2000, 50, 250000, 4));     // crowded rows, many duplicates
  check_conversion(random_coo(1, 100000, 200000, 1));    // one row
  check_conversion(random_coo(200000, 1, 200000, 1));    // one column
  Coo empty;
  check_conversion(empty);
  empty.rows = 5;
  empty.cols = 2;
  check_conversion(empty);
}

TEST_CASE("the digest is of the whole file") {
  const ScratchFolder folder;
  std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 7\n";
  while (text.size() < 10000) {
    text += "% a comment\n";
  }
  CHECK(load_matrix(folder.write("long.mtx", text)).sha256 == sha256_hex(text));
}

TEST_CASE("a file becomes a matrix with its facts") {
  const ScratchFolder folder;
  const std::string text =
      "%%MatrixMarket matrix coordinate integer symmetric\n3 3 4\n3 1 0\n1 1 7\n2 1 -2\n3 3 1\n";
  for (const bool zipped : {false, true}) {
    const std::string path =
        zipped ? folder.write("small.v1.mtx.gz", gzip(text)) : folder.write("small.v1.mtx", text);
    const Matrix matrix = load_matrix(path);
    CHECK(matrix.name == "small.v1");
    CHECK(matrix.source == path);
    CHECK(matrix.origin == "file");
    CHECK(matrix.field == "integer");
    CHECK(matrix.symmetry == "symmetric");
    CHECK(matrix.sha256 == sha256_hex(text));
    CHECK(matrix.entries_in_file == 4);
    CHECK(matrix.explicit_zeros == 2);
    CHECK(matrix.stored() == 6);
    CHECK(matrix.csr.row_ptr == Buffer<std::int64_t>{0, 3, 4, 6});
    CHECK(matrix.csr.col_idx == Buffer<index_t>{0, 1, 2, 0, 0, 2});
    CHECK(matrix.csr.values == Buffer<double>{7, -2, 0, -2, 0, 1});
    CHECK(matrix.read_seconds > 0);
  }
}

TEST_CASE("a pattern gets ones, both signs of a skew-symmetric one too") {
  const ScratchFolder folder;
  const std::string path = folder.write(
      "p.mtx", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n");
  const Matrix matrix = load_matrix(path);
  CHECK(matrix.field == "pattern");
  CHECK(matrix.csr.values == Buffer<double>{1, 1});
}

TEST_CASE("a generator's spec becomes a matrix") {
  const std::string spec = "uniform:rows=20,cols=30,nnz=50,seed=1";
  const Matrix matrix = load_matrix(spec);
  const Matrix want = generate(spec);
  CHECK(matrix.origin == "generated");
  CHECK(matrix.csr.rows == 20);
  CHECK(matrix.csr.cols == 30);
  CHECK(matrix.csr.col_idx == want.csr.col_idx);
  CHECK(matrix.source == want.source);
}

TEST_CASE("a source that is neither file nor spec names the generators") {
  for (const std::string source : {"unifrom:rows=3", "no_such_name", ""}) {
    const std::string message = message_of(source);
    CHECK(message.starts_with(source + ": neither a file nor the spec of a generator"));
    for (const GeneratorInfo& generator : generators()) {
      CHECK(message.find(generator.name) != std::string::npos);
    }
    CHECK(message.find('\n') == std::string::npos);
  }
  CHECK(message_of("missing.mtx") == "missing.mtx: no such file");
  CHECK(message_of("folder/missing") == "folder/missing: no such file");
}

TEST_CASE("a file whose name has neither dot nor folder is read") {
  const ScratchFolder folder;
  folder.write("plain", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const std::string message = message_of("plain");
  std::filesystem::current_path(before);
  CHECK(message == "no error");
}

TEST_CASE("dimensions that dwarf the file are refused before anything is allocated") {
  const ScratchFolder folder;
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  for (const std::string size : {"2147483647 2 1", "2 2147483647 1"}) {
    const std::string path = folder.write("lie.mtx", banner + size + "\n1 1 1\n");
    const std::string message = message_of(path);
    CHECK(message.starts_with(path + ":2: "));
    CHECK(message.ends_with("too sparse for CSR, whose pointers would take 16383 MiB"));
  }
  const std::string path = folder.write("hyper.mtx", banner + "1000000 1000000 1\n1 1 1\n");
  CHECK(load_matrix(path).csr.rows == 1000000);
}
