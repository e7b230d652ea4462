// omp_partition on matrices that are large enough for its paths: the reference's answer, whatever
// the path, the storage and the threads.
#include <algorithm>
#include <string>
#include <vector>

#include "generate/generate.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "transpose/omp_partition/columns.hpp"
#include "transpose/omp_partition/policy.hpp"
#include "transpose/transpose.hpp"

using namespace sparserepro;

namespace {

const Algorithm<TransposeProblem>& omp_partition() {
  const auto& table = transpose_algorithms();
  return *std::find_if(table.begin(), table.end(),
                       [](const auto& algorithm) { return algorithm.name == "omp_partition"; });
}

/// Compares two executions over poison; returns whether the columns were partitioned.
bool check(const Matrix& matrix, const std::string& value_type, std::int64_t bits,
           std::int64_t threads) {
  CAPTURE(matrix.source, value_type, bits, threads);
  const TransposeProblem problem(matrix, {{"value_type", value_type}, {"offset_bits", bits}});
  const AnyCsr reference = problem.reference();
  const auto run = omp_partition().prepare(problem, {{"threads", threads}});
  for (int execution = 0; execution < 2; ++execution) {
    run->poison();
    run->execute();
    const CheckOutcome outcome = problem.check(run->result(), reference);
    CAPTURE(execution, outcome.detail);
    CHECK(outcome.ok);
  }
  CHECK(run->workspace_bytes() >= 0);
  return run->measures().front().second == 1.0;
}

bool partitioned(const Matrix& matrix) {
  bool any = false, all = true;
  for (const std::int64_t threads : {1, 2, 3, 7}) {
    for (const char* const type : {"fp64", "fp32", "pattern"}) {
      for (const std::int64_t bits : {32, 64}) {
        const bool here = check(matrix, type, bits, threads);
        any = any || here;
        all = all && here;
      }
    }
  }
  CHECK(any == all);  // the matrix alone decides
  return any;
}

}  // namespace

TEST_CASE("omp_partition: bands and meshes are scattered directly") {
  CHECK_FALSE(partitioned(generate("banded:rows=5000,diagonals=27")));
  CHECK_FALSE(partitioned(generate("banded:rows=9000,diagonals=7,half_bandwidth=3000")));
  CHECK_FALSE(partitioned(generate("mesh:width=90,height=80")));
}

TEST_CASE("omp_partition: an answer that stays in the caches is scattered directly") {
  CHECK_FALSE(partitioned(generate("rmat:scale=13")));
}

TEST_CASE("omp_partition: random columns are partitioned") {
  CHECK(partitioned(generate("uniform:rows=30000,cols=30000,nnz=100000")));
  CHECK(partitioned(generate("rmat:scale=15")));
  CHECK(partitioned(generate("uniform:rows=700,cols=90000,nnz=60000")));
}

TEST_CASE("omp_partition: few long columns are partitioned and need no sorting") {
  const Matrix even = generate("uniform:rows=20000,cols=2000,nnz=1000000");
  CHECK(columns_alone_pay(even.csr.cols, even.stored(), 7));
  CHECK(partitioned(even));

  CHECK_FALSE(columns_alone_pay(2049, 1 << 30, 1));
  CHECK_FALSE(columns_alone_pay(2048, 2048 * 64 - 1, 1));
}

TEST_CASE("omp_partition: columns of 0 to 300 entries, partitioned by themselves") {
  // Row i of 300 has an entry in column c where i >= c: runs begin and end anywhere in a line.
  std::vector<testing::Entry> entries;
  for (index_t i = 0; i < 300; ++i) {
    for (index_t c = 0; c <= i; ++c) {
      entries.emplace_back(i, c, 301.0 * i + c);
    }
  }
  const Matrix matrix = testing::matrix_from_entries("lower", 300, 310, entries);
  for (const char* const type : {"fp64", "fp32", "pattern"}) {
    const TransposeProblem problem(matrix,
                                   {{"value_type", type}, {"offset_bits", std::int64_t{32}}});
    const AnyCsr reference = problem.reference();
    for (const int slices : {1, 2, 5, 64}) {
      CAPTURE(type, slices);
      std::visit(
          [&](const auto& a) {
            auto out = a;
            out = {a.cols, a.rows, a.nnz()};
            ColumnTranspose method(a.view(), slices);
            for (int execution = 0; execution < 2; ++execution) {
              std::fill(out.col_idx.begin(), out.col_idx.end(), -1);
              method.run({out.row_ptr.data(), out.col_idx.data(), out.values.data()});
              CHECK(problem.check(out, reference).ok);
            }
          },
          problem.matrix());
    }
  }
}

TEST_CASE("omp_partition: rows and columns that do not share 32 bits") {
  const Matrix matrix = generate("uniform:rows=400000,cols=1100000,nnz=70000");
  CHECK(bucket_shift(1100000, 70000) == 17);  // and 19 bits of row on one thread
  CHECK(partitioned(matrix));
}

TEST_CASE("omp_partition: a bucket with nearly all entries is sorted by all threads") {
  // Columns 0 and 1 hold three quarters of 400,000 entries, rows the rest at random.
  std::vector<testing::Entry> entries;
  for (index_t i = 0; i < 100000; ++i) {
    entries.emplace_back(i, 0, i + 0.5);
    entries.emplace_back(i, 1, i + 0.25);
    for (index_t e = 1; e <= 2; ++e) {
      entries.emplace_back(
          i, static_cast<index_t>(2 + (std::int64_t{i} * 7919 * e + e * 104729) % 99991), i + e);
    }
  }
  const Matrix matrix = testing::matrix_from_entries("hubs", 100000, 100000, entries);
  for (const std::int64_t threads : {1, 2, 3, 7}) {
    CHECK(check(matrix, "fp64", 32, threads));
  }
}

TEST_CASE("omp_partition: the width of the buckets") {
  CHECK(bucket_shift(1, 1000000) == 0);
  CHECK(bucket_shift(1 << 20, 16 << 20) == 9);  // 2048 buckets
  CHECK(bucket_shift(1 << 20, 1 << 20) == 13);  // 128 buckets of 8192 entries
  CHECK(bucket_shift((1 << 20) + 1, 1 << 20) == 14);
  CHECK(bucket_shift(2147483647, 10000) == 20);  // the most buckets
}
