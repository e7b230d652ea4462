// Loading a matrix from a file or a spec, and the conversion of coordinates to CSR.
#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "formats/error.hpp"
#include "formats/matrix.hpp"
#include "generate/generate.hpp"
#include "io/load_matrix.hpp"
#include "io/sha256.hpp"
#include "support/catch.hpp"
#include "support/scratch.hpp"

namespace {

using namespace sparserepro;
using sparserepro::testing::gzip;
using sparserepro::testing::ScratchFolder;

std::string message_of(const std::string& source) {
  try {
    load_matrix(source);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// CSR by a stable sort of the entries by row and column.
Csr<std::int64_t, double> slow_coo_to_csr(const Coo& coo) {
  std::vector<std::size_t> order(coo.row_idx.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(coo.row_idx[a], coo.col_idx[a]) < std::pair(coo.row_idx[b], coo.col_idx[b]);
  });
  Csr<std::int64_t, double> out(coo.rows, coo.cols, 0);
  std::fill(out.row_ptr.begin(), out.row_ptr.end(), 0);
  for (const std::size_t p : order) {
    ++out.row_ptr[coo.row_idx[p] + 1];
    out.col_idx.push_back(coo.col_idx[p]);
    out.values.push_back(coo.values.empty() ? 1.0 : coo.values[p]);
  }
  std::partial_sum(out.row_ptr.begin(), out.row_ptr.end(), out.row_ptr.begin());
  return out;
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

void check_conversion(const Coo& coo) {
  const auto want = slow_coo_to_csr(coo);
  for (const int threads : {1, 2, 5}) {
    INFO(threads << " threads");
    const auto got = coo_to_csr(coo, threads);
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
  Coo coo;
  coo.rows = 4;
  coo.cols = 3;
  coo.row_idx = {3, 0, 3, 0, 3};
  coo.col_idx = {2, 1, 0, 0, 2};
  coo.values = {6, 2, 3, 4, 5};
  const auto csr = coo_to_csr(coo);
  CHECK(csr.row_ptr == Buffer<std::int64_t>{0, 2, 2, 2, 5});
  CHECK(csr.col_idx == Buffer<index_t>{0, 1, 0, 2, 2});
  CHECK(csr.values == Buffer<double>{4, 2, 3, 6, 5});  // duplicates as in the file

  coo.values.clear();
  CHECK(coo_to_csr(coo).values == Buffer<double>{1, 1, 1, 1, 1});
}

TEST_CASE("coordinates to CSR against a stable sort") {
  check_conversion(random_coo(7, 5, 40, 1));
  check_conversion(random_coo(1000, 1000, 300000, 1));   // long enough for five parts
  check_conversion(random_coo(100000, 300, 200000, 1));  // pointers limit the parts
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
