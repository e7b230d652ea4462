// Where an allocation of a driver fails, in its reader, its generators or its measurement: each one
// in turn. What comes of it is std::bad_alloc, or what the function documents; nothing leaks, and
// the next call gives the right answer.
#include <algorithm>
#include <string>
#include <vector>

#include "common/driver.hpp"
#include "generate/generate.hpp"
#include "io/load_matrix.hpp"
#include "io/matrix_market.hpp"
#include "support/catch.hpp"
#include "support/each_allocation.hpp"
#include "support/scratch.hpp"
#include "transpose/transpose.hpp"

using namespace sparserepro;
using testing::Ended, testing::fail_each, testing::with_failing;

TEST_CASE("a failing allocation ends the reader with bad_alloc, or a right text with its matrix",
          "[memory]") {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n60 60 400\n";
  for (int entry = 0; entry < 400; ++entry) {
    const int row = 21 + entry / 10 % 40, col = 20 - entry % 20;
    text += std::to_string(row) + (entry % 7 == 0 ? "  " : " ") + std::to_string(col) +
            (entry % 3 == 0 ? " +1.25e-300\n" : " 12345678901234567890123\n");
  }
  const testing::ScratchFolder folder;
  const std::string plain = folder.write("a.mtx", text);
  const std::string packed = folder.write("b.mtx.gz", testing::gzip(text));
  const auto wanted = parse_matrix_market(text, "text", {.threads = 1}).csr;
  Csr<std::int64_t, double> got;
  fail_each(
      [&] { got = parse_matrix_market(text, "text", {.threads = 2, .chunk_bytes = 512}).csr; },
      [&] { return got.col_idx == wanted.col_idx && got.values == wanted.values; });
  for (const std::string& path : {plain, packed}) {
    Matrix matrix;
    const auto want = load_matrix(path).csr;
    fail_each(
        [&] { matrix = load_matrix(path); },
        [&] { return matrix.csr.col_idx == want.col_idx && matrix.csr.values == want.values; });
  }
  // Errors of a text are made within the parallel passes.
  std::string message;
  const std::string wrong = text + "1 1\n1 1 x\n";
  fail_each(
      [&] {
        try {
          parse_matrix_market(wrong, "text", {.threads = 2, .chunk_bytes = 512});
        } catch (const InputError& error) {
          message = error.what();
        }
      },
      [&] { return message.find(":403: ") != std::string::npos; });
}

TEST_CASE("a failing allocation ends a generator with bad_alloc", "[memory]") {
  for (const char* const spec :
       {"uniform:rows=90,cols=50,nnz=400", "uniform:rows=30,cols=20,nnz=500",
        "empty_rows:rows=90,cols=50,nnz=400", "short_rows:rows=30,cols=20",
        "powerlaw:rows=60,cols=60,max_row=20", "banded:rows=300", "circuit:rows=90,dense_length=50",
        "fem:nx=5,ny=5,nz=5", "rmat:scale=7,edge_factor=4", "road:width=20,height=15,permute=1"}) {
    CAPTURE(spec);
    const Matrix want = generate(spec);
    Matrix got;
    fail_each(
        [&] { got = generate(spec); },
        [&] { return got.csr.col_idx == want.csr.col_idx && got.csr.values == want.csr.values; });
  }
}

TEST_CASE("a failing allocation ends the measurement of cells with bad_alloc, or skips one",
          "[memory]") {
  const Matrix matrix = generate("uniform:rows=90,cols=70,nnz=900,seed=4");
  const TransposeProblem problem(
      matrix, {{"value_type", std::string("fp64")}, {"offset_bits", std::int64_t{32}}});
  const auto table = with_threads(transpose_algorithms());
  CommandLine line;
  line.algorithms = {"serial", "omp_scantrans", "omp_mergetrans", "omp_partition"};
  line.values["threads"] = {std::int64_t{1}};
  const auto cells = make_cells(table, line, problem);
  REQUIRE(cells.size() == 4);
  const TimingOptions options{.warmup = 1,
                              .repetitions = 2,
                              .min_repetitions = 2,
                              .max_repetitions = 2,
                              .time_cap_s = 1e-3,
                              .end_to_end = 1};
  Progress progress(true);
  std::vector<CellResult> results;
  const auto call = [&] { results = measure(problem, cells, options, progress); };
  const auto measured = [](const CellResult& cell) { return cell.timing.kernel_s.size() == 2; };
  std::int64_t skipped = 0;
  const auto right = [&] {
    return results.size() == 4 &&
           std::all_of(results.begin(), results.end(), [&](const auto& cell) {
             const bool memory = cell.skipped.starts_with("not enough memory");
             skipped += memory;
             return memory || measured(cell);
           });
  };
  call();
  for (std::int64_t number = 0;; ++number) {
    results = std::vector<CellResult>();
    const std::int64_t before = testing::live_blocks;
    const Ended ended = with_failing(number, call);
    const bool was_right = ended.failed || right();
    results = std::vector<CellResult>();
    const std::int64_t leaked = testing::live_blocks - before;
    CAPTURE(number);
    REQUIRE(was_right);
    REQUIRE(leaked == 0);
    if (!ended.reached) {
      break;
    }
  }
  CHECK(skipped > 10);
  call();
  CHECK(std::all_of(results.begin(), results.end(), measured));
}
