// The paths of omp_csr_blocked: which ones a problem may take, which one automatic takes, and how
// many entries a window has.
#include <cstdint>
#include <string>

#include "formats/processor.hpp"
#include "generate/generate.hpp"
#include "spmm/omp_csr_blocked/policy.hpp"
#include "spmm/omp_csr_blocked/product/product.hpp"
#include "spmm/spmm.hpp"
#include "support/catch.hpp"
#include "support/csr_blocked.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

TEST_CASE("windows have a 64th of the entries, within bounds that depend on the columns") {
  CHECK(BlockedPolicy::window_entries(1, 100, 10) == 1 + (1 << 16) / 17);
  CHECK(BlockedPolicy::window_entries(1, 640000, 10) == 10000);
  CHECK(BlockedPolicy::window_entries(1, 1 << 30, 10) == 1 << 15);
  CHECK(BlockedPolicy::window_entries(7, 40, 10) == 1 + (1 << 16) / 23);
  CHECK(BlockedPolicy::window_entries(7, 39, 10) == 1 + (1 << 14) / 23);
  CHECK(BlockedPolicy::window_entries(8, 80, 10) == 1 + (1 << 16) / 24);
  CHECK(BlockedPolicy::window_entries(9, 80, 10) == 1 + (1 << 14) / 25);
  CHECK(BlockedPolicy::window_entries(16, 100, 10) == 1 + (1 << 9));
  CHECK(BlockedPolicy::window_entries(16, 64000, 10) == 1000);
  CHECK(BlockedPolicy::window_entries(16, 1 << 30, 10) == 1 + (1 << 13));
}

TEST_CASE("rows of X that many entries meet lie near, up to a MiB of them") {
  CHECK(BlockedPolicy::near_columns(64, 800, 100) == 1 << 14);
  CHECK(BlockedPolicy::near_columns(256, 800, 100) == 1 << 12);
  CHECK(BlockedPolicy::near_columns(64, 799, 100) == 0);
  CHECK(BlockedPolicy::near_columns(0, 0, 0) == 0);
}

TEST_CASE("a path that cannot take the columns says so") {
  const Matrix matrix = every_layout();
  const int most = csr_blocks::fastest_set<double>().tile_columns;
  const auto refusal = [&](std::int64_t k, const char* path) {
    return blocked().refusal(problem_of(matrix, k, 32), {{"path", path}});
  };
  for (const char* path : {"auto", "rows", "csr"}) {
    CHECK(refusal(1, path).empty());
    CHECK(refusal(most + 1, path).empty());
  }
  for (const char* path : {"lanes", "shifted", "band"}) {
    CHECK(refusal(most, path).empty());
    CHECK(refusal(most + 1, path) == "path " + std::string(path) +
                                         ": slices are made for one tile of columns, at most " +
                                         std::to_string(most) + " here");
  }
  CHECK(refusal(2, "jagged") ==
        "path jagged: for K = 1 in fp64 and fp32, with AVX-512 and fast gathers");
  CHECK(refusal(1, "jagged").empty() == csr_blocks::fastest_set<double>().one_column.jagged);
  CHECK(refusal(1, "band") == "path band: K = 1 stores bands as shifted slices");
  for (const char* path : {"diagonals", "padded"}) {
    const std::string text =
        "path " + std::string(path) + ": for K = 1 in fp64 and fp32, with AVX-512";
    CHECK(refusal(2, path) == text);
    CHECK(refusal(1, path) == (csr_blocks::fastest_set<double>().one_column.diagonals ? "" : text));
  }
}

namespace {

/// That a plan holds whose product is right.
std::int64_t bytes_of(const Matrix& matrix, std::int64_t k, const char* path, std::int64_t calls) {
  const SpmmProblem problem = problem_of(matrix, k, 32);
  const auto run =
      blocked().prepare(problem, {{"path", path}, {"threads", std::int64_t{2}}, {"calls", calls}});
  run->preprocess();
  run->poison();
  run->execute();
  CHECK(problem.check(run->result(), problem.reference()).ok);
  return run->workspace_bytes();
}

}  // namespace

TEST_CASE("auto makes bundles where enough calls follow, and else none") {
  const Matrix matrix = every_layout();
  const auto bytes = [&](std::int64_t k, const char* path, std::int64_t calls) {
    return bytes_of(matrix, k, path, calls);
  };
  const std::int64_t copy = 8 * matrix.csr.nnz();
  for (const std::int64_t k : {1, 8, 16, 70}) {
    const std::int64_t paying = BlockedPolicy::paying_calls(k);
    CAPTURE(k, paying);
    CHECK(bytes(k, "auto", 0) >= copy);
    CHECK(bytes(k, "auto", paying) >= copy);
    CHECK(bytes(k, "rows", 1) >= copy);
    CHECK(bytes(k, "auto", paying - 1) < copy / 8);
    CHECK(bytes(k, "csr", 0) == bytes(k, "auto", 1));
  }
}

TEST_CASE(
    "few calls at K = 1 get no diagonals of shared rows, nor bundles of long scattered ones") {
  const auto bytes_an_entry = [](const Matrix& matrix, std::int64_t calls) {
    return static_cast<double>(bytes_of(matrix, 1, "auto", calls)) /
           static_cast<double>(matrix.csr.nnz());
  };
  const bool has_diagonals = csr_blocks::fastest_set<double>().one_column.diagonals;
  const double copy = 8, padded = has_diagonals ? 16 : copy;  // values alone
  const Matrix band = band_with_holes(4000),
               fem = generate("fem:stencil=9,nx=40,ny=40,nz=1,dofs=2");
  for (const std::int64_t few : {20, 63}) {
    CHECK((bytes_an_entry(band, few) < copy / 2) == !has_diagonals);
    CHECK(bytes_an_entry(fem, few) >= copy);
    CHECK(bytes_an_entry(fem, few) < 16);
    CHECK(bytes_an_entry(generate("uniform:rows=3000,cols=3000,nnz=33000"), few) < copy / 2);
    CHECK(bytes_an_entry(generate("uniform:rows=3000,cols=3000,nnz=30000"), few) >= copy);
  }
  for (const std::int64_t many : {0, 64}) {
    CHECK(bytes_an_entry(band, many) >= padded);
    CHECK(bytes_an_entry(fem, many) >= copy);
    CHECK(bytes_an_entry(generate("uniform:rows=3000,cols=3000,nnz=33000"), many) >= copy);
  }
}

TEST_CASE("bundles of longer rows at K = 1 where slices take rows of any length") {
  for (const int jagged_bytes : {0, 2, 4, 8}) {
    CHECK(BlockedPolicy::one_column_short_rows(12, jagged_bytes) == 11);
    CHECK(BlockedPolicy::one_column_short_rows(0, jagged_bytes) == (jagged_bytes == 8   ? 64
                                                                    : jagged_bytes == 4 ? 96
                                                                                        : 32));
  }
}

TEST_CASE("bundles of any rows for a cache line of columns, if X is not too large") {
  CHECK(BlockedPolicy::line_columns(sizeof(double)) == 8);
  CHECK(BlockedPolicy::line_columns(sizeof(float)) == 16);
  CHECK(BlockedPolicy::few_columns_short_rows(2 << 20, false) == 48);
  CHECK(BlockedPolicy::few_columns_short_rows((2 << 20) + 1, false) == 32);
  CHECK(BlockedPolicy::few_columns_short_rows(0, true) == 7);
  for (const std::int64_t k : {2, 3, 4, 8, 16}) {
    CHECK(BlockedPolicy::few_columns_x_bytes(false, k) > std::int64_t{1} << 60);
    CHECK((BlockedPolicy::few_columns_x_bytes(true, k) == 16 << 20) == (k >= 4));
  }
}

TEST_CASE("auto makes bundles of rows that share columns or are short, and else none") {
  const auto has_bundles = [](const Matrix& matrix, std::int64_t k) {
    const SpmmProblem problem = problem_of(matrix, k, 32);
    const auto run = blocked().prepare(
        problem, {{"path", "auto"}, {"threads", std::int64_t{2}}, {"calls", std::int64_t{0}}});
    run->preprocess();
    return run->workspace_bytes() >= 8 * matrix.csr.nnz();
  };
  const Matrix fem = generate("fem:stencil=9,nx=20,ny=20,nz=1,dofs=2");
  const Matrix mesh = generate("fem:stencil=5,nx=60,ny=50,nz=1,dofs=1");
  const Matrix uniform = generate("uniform:rows=3000,cols=3000,nnz=30000");
  const Matrix six_a_row = generate("uniform:rows=3000,cols=3000,nnz=20999");
  const Matrix many_a_row = generate("uniform:rows=1000,cols=3000,nnz=40000");
  const Matrix long_rows = generate("uniform:rows=1000,cols=3000,nnz=64000");
  const Matrix few_columns = generate("uniform:rows=9000,cols=50,nnz=20000");
  const Matrix short_rows = generate("short_rows:rows=9000,cols=90000,per_row=3");
  const Matrix large_x = generate("short_rows:rows=9000,cols=600000,per_row=3");
  const auto set = csr_blocks::fastest_set<double>();
  const int tile = set.tile_columns;
  for (const std::int64_t k : {1, 2, 7, 8, 9, 100}) {
    CAPTURE(k);
    const bool few = k <= 8, any = few && (k != 7 || set.vector_columns >= 7);
    CHECK(has_bundles(fem, k));
    CHECK(has_bundles(mesh, k) == (k <= tile));
    CHECK(has_bundles(uniform, k) == any);
    CHECK(has_bundles(many_a_row, k) == (any && (k > 1 || set.one_column.jagged)));
    CHECK(has_bundles(six_a_row, k) == few);
    CHECK_FALSE(has_bundles(long_rows, k));
    CHECK(has_bundles(few_columns, k));
    CHECK(has_bundles(short_rows, k) == few);  // X of 5.8 MB at K = 8
    CHECK(has_bundles(large_x, k) == (few && (k < 4 || !has_near_last_level_cache())));
  }
}
