// omp_partition: every path, storage type and number of threads gives the answer of the reference,
// on the battery and on matrices for which `auto` chooses the path.
#include <algorithm>
#include <string>
#include <vector>

#include "generate/generate.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/selection.hpp"
#include "transpose/omp_partition/columns.hpp"
#include "transpose/omp_partition/direct.hpp"
#include "transpose/omp_partition/plan.hpp"
#include "transpose/omp_partition/sharing.hpp"
#include "transpose/transpose.hpp"

using namespace sparserepro;

namespace {

const Algorithm<TransposeProblem>& omp_partition() {
  const auto& table = transpose_algorithms();
  return *std::find_if(table.begin(), table.end(),
                       [](const auto& algorithm) { return algorithm.name == "omp_partition"; });
}

/// The path that the measures of a run name; "" if they name none or several.
std::string path_of(const Run<TransposeProblem>& run) {
  std::string path;
  for (const auto& [name, value] : run.measures()) {
    if (value == 1.0) {
      path = path.empty() ? name.substr(std::string("path_").size()) : "";
    }
  }
  return path;
}

/// Checks two executions over poison; returns the path that ran.
std::string check(const TransposeProblem& problem, const AnyCsr& reference, const Params& params) {
  CAPTURE(to_string(params));
  const auto run = omp_partition().prepare(problem, params);
  for (int execution = 0; execution < 2; ++execution) {
    run->poison();
    run->execute();
    const CheckOutcome outcome = problem.check(run->result(), reference);
    CAPTURE(execution, outcome.detail);
    CHECK(outcome.ok);
  }
  CHECK(run->workspace_bytes() >= 0);
  return path_of(*run);
}

/// Checks for every storage type and several numbers of threads that `auto` takes `path`, or
/// `of_one` on one thread.
void check_chosen(const Matrix& matrix, const std::string& path, const std::string& of_one) {
  for (const char* const type : {"fp64", "fp32", "pattern"}) {
    for (const std::int64_t bits : {32, 64}) {
      const TransposeProblem problem(matrix, {{"value_type", type}, {"offset_bits", bits}});
      const AnyCsr reference = problem.reference();
      for (const std::int64_t threads : {1, 2, 3, 7}) {
        CAPTURE(matrix.source, type, bits);
        const std::string ran = check(problem, reference, {{"path", "auto"}, {"threads", threads}});
        CHECK(ran == (threads == 1 ? of_one : path));
      }
    }
  }
}
void check_chosen(const Matrix& matrix, const std::string& path) {
  check_chosen(matrix, path, path);
}

/// The path by which one thread scatters columns that come again and again.
const std::string scatter_of_one = has_near_last_level_cache() ? "serial" : "direct";

/// Checks `Method(a, slices, more...)` for every type of values and numbers of slices, eager and
/// not if it can be.
template <template <class, class> class Method, class... More>
void check_method(const Matrix& matrix, More... more) {
  for (const char* const type : {"fp64", "fp32", "pattern"}) {
    const TransposeProblem problem(matrix,
                                   {{"value_type", type}, {"offset_bits", std::int64_t{32}}});
    const AnyCsr reference = problem.reference();
    for (const int slices : {1, 2, 5, 64}) {
      CAPTURE(matrix.source, type, slices);
      std::visit(
          [&]<class Offset, class Value>(const Csr<Offset, Value>& a) {
            Csr<Offset, Value> out(a.cols, a.rows, a.nnz());
            Method<Offset, Value> method(a.view(), slices, more...);
            [[maybe_unused]] int execution = 0;
            for (const bool by_counts : {false, true, false, true}) {
              if constexpr (requires { method.be_eager(true); }) {
                method.be_eager(++execution > 2);
              }
              std::fill(out.col_idx.begin(), out.col_idx.end(), -1);
              method.run({out.row_ptr.data(), out.col_idx.data(), out.values.data()}, by_counts);
              CHECK(problem.check(out, reference).ok);
            }
          },
          problem.matrix());
    }
  }
}

/// Checks each path in fp64.
void check_forced(const Matrix& matrix) {
  const TransposeProblem problem(matrix,
                                 {{"value_type", "fp64"}, {"offset_bits", std::int64_t{32}}});
  const AnyCsr reference = problem.reference();
  for (const char* const path : {"serial", "direct", "columns", "buckets"}) {
    for (const std::int64_t threads : {1, 3}) {
      CAPTURE(matrix.source, path);
      CHECK(check(problem, reference, {{"path", path}, {"threads", threads}}) == path);
    }
  }
}

}  // namespace

// test_transpose.cpp has all storage types and thread counts on the battery.
TEST_CASE("omp_partition: the forced path runs, on the battery too", "[transpose][battery]") {
  for (const auto& [name, matrix, graph] : testing::battery_part()) {
    const TransposeProblem problem(matrix,
                                   {{"value_type", "fp64"}, {"offset_bits", std::int64_t{32}}});
    const AnyCsr reference = problem.reference();
    for (const ParamValue& path : omp_partition().parameters.front().allowed) {
      CAPTURE(name, to_string(path));
      const Params params{{"path", path}, {"threads", std::int64_t{3}}};
      CHECK(omp_partition().refusal(problem, params).empty());
      const std::string ran = check(problem, reference, params);
      CHECK_FALSE(ran.empty());
      CHECK((ran == to_string(path) || to_string(path) == "auto"));
    }
  }
}

TEST_CASE("omp_partition: each path where auto chooses another", "[transpose]") {
  for (const char* const spec :
       {"banded:rows=5000,diagonals=27", "rmat:scale=13",
        "uniform:rows=30000,cols=30000,nnz=100000", "uniform:rows=20000,cols=200,nnz=100000"}) {
    check_forced(generate(spec));
  }
}

TEST_CASE("omp_partition: a forced path whose arrays are too large is refused", "[transpose]") {
  // One array of 4-byte counters for 2^30 columns is the limit of 4 GiB; path columns takes 200
  // bytes a column.
  const auto refusal = [](const std::string& cols, const char* path, std::int64_t threads) {
    const TransposeProblem problem(generate("uniform:rows=3,nnz=5,cols=" + cols),
                                   {{"value_type", "fp64"}, {"offset_bits", std::int64_t{32}}});
    return omp_partition().refusal(problem, {{"path", path}, {"threads", threads}});
  };
  CHECK(refusal("1073741824", "direct", 1).empty());
  CHECK(refusal("1073741825", "direct", 1) ==
        "1 arrays of 1073741825 columns need 4096 MiB; the limit is 4096 MiB");
  CHECK(refusal("1073741824", "direct", 2) ==
        "2 arrays of 1073741824 columns need 8192 MiB; the limit is 4096 MiB");
  CHECK(refusal("21474836", "columns", 1).empty());
  CHECK_FALSE(refusal("21474837", "columns", 1).empty());
  for (const char* const path : {"auto", "serial", "buckets"}) {
    CHECK(refusal("2147483647", path, 7).empty());
  }
}

TEST_CASE("omp_partition: bands and meshes are scattered directly") {
  for (const char* const spec :
       {"banded:rows=5000,diagonals=27", "banded:rows=12000,diagonals=7,half_bandwidth=3000",
        "mesh:width=120,height=100"}) {
    check_chosen(generate(spec), "direct", scatter_of_one);
  }
}

TEST_CASE("omp_partition: few entries go to one thread, more of them where there are but two") {
  const Matrix small = generate("mesh:width=60,height=60");
  const Matrix large = generate("mesh:width=90,height=80");
  CHECK(large.stored() > HostPartitionPolicy::serial_entries);
  CHECK(large.stored() < HostPartitionPolicy::serial_entries_of_two);
  for (const int threads : {1, 2, 3, 16}) {
    CHECK(choose_path(small.csr.view(), threads) == host::TransposePath::serial);
    const bool serially = threads == 2 || (threads == 1 && has_near_last_level_cache());
    CHECK(choose_path(large.csr.view(), threads) ==
          (serially ? host::TransposePath::serial : host::TransposePath::direct));
  }
}

TEST_CASE("omp_partition: columns that often come again are scattered directly") {
  check_chosen(generate("rmat:scale=13"), "direct", scatter_of_one);
  check_chosen(generate("rmat:scale=14"), "direct", scatter_of_one);
}

TEST_CASE("omp_partition: random columns are partitioned, unless a small answer has few counters") {
  const std::string of_one = has_near_last_level_cache() ? "serial" : "buckets";
  check_chosen(generate("uniform:rows=90000,cols=160000,nnz=70000"), "buckets", of_one);
  check_chosen(generate("uniform:rows=700,cols=160000,nnz=70000"), "buckets", of_one);

  const Matrix small = generate("uniform:rows=30000,cols=30000,nnz=100000");
  const auto path_of_small = [view = small.csr.view()](int threads) {
    return choose_path(view, threads);
  };
  const bool near = has_near_last_level_cache();
  CHECK(path_of_small(1) == (near ? host::TransposePath::serial : host::TransposePath::direct));
  for (const int threads : {2, 3, 4}) {
    CHECK(path_of_small(threads) ==
          (near ? host::TransposePath::direct : host::TransposePath::buckets));
  }
  CHECK(path_of_small(12) == host::TransposePath::buckets);

  const Matrix longer = generate("uniform:rows=10000,cols=10000,nnz=100000");
  for (const int threads : {2, 3}) {
    CHECK(choose_path(longer.csr.view(), threads) == host::TransposePath::direct);
  }
  CHECK(choose_path(longer.csr.view(), 4) ==
        (near ? host::TransposePath::direct : host::TransposePath::buckets));
  CHECK(choose_path(generate("uniform:rows=70000,cols=70000,nnz=720000").csr.view(), 1) ==
        (near ? host::TransposePath::direct : host::TransposePath::buckets));

  const Matrix large = generate("uniform:rows=300000,cols=300000,nnz=2100000");
  CHECK(answer_bytes(large.csr.view()) > HostPartitionPolicy::small_answer);
  CHECK(choose_path(large.csr.view(), 2) == host::TransposePath::buckets);
}

TEST_CASE("omp_partition: one thread scatters long columns of a large answer directly") {
  const Matrix band = generate("banded:rows=42000,diagonals=27");
  CHECK(choose_path(band.csr.view(), 1) == host::TransposePath::direct);
  check_forced(band);
  const Matrix mesh = generate("mesh:width=400,height=300");
  CHECK(answer_bytes(mesh.csr.view()) > HostPartitionPolicy::large_answer);
  CHECK(choose_path(mesh.csr.view(), 1) ==
        (has_near_last_level_cache() ? host::TransposePath::serial : host::TransposePath::direct));
  const Matrix road = generate("road:width=300,height=300");
  CHECK(choose_path(road.csr.view(), 1) == host::TransposePath::serial);
  const Matrix short_columns = generate("uniform:rows=200000,cols=200000,nnz=800000");
  CHECK(halves_share_columns(short_columns.csr.view()));
  CHECK(choose_path(short_columns.csr.view(), 1) ==
        (has_near_last_level_cache() ? host::TransposePath::direct : host::TransposePath::buckets));
}

TEST_CASE("omp_partition: a direct scatter with and without prefetches and ranks") {
  for (const char* const spec :
       {"uniform:rows=900,cols=2100,nnz=7000", "uniform:rows=30,cols=40,nnz=37",
        "banded:rows=5000,diagonals=27", "uniform:rows=20,cols=5000,nnz=2000"}) {
    check_method<DirectTranspose>(generate(spec), false);
    check_method<DirectTranspose>(generate(spec), true);
  }
}

TEST_CASE("omp_partition: a slice with more entries of a column than its ranks can count") {
  // 65,537 rows of column 0 alone, then as many of other columns: of two slices one overflows.
  std::vector<testing::Entry> entries;
  for (index_t i = 0; i < 2 * 65537; ++i) {
    entries.emplace_back(i, i < 65537 ? 0 : 1 + i % 700, i + 0.5);
  }
  const Matrix matrix = testing::matrix_from_entries("hub", 2 * 65537, 701, entries);
  check_method<DirectTranspose>(matrix, true);
}

TEST_CASE("omp_partition: few long columns are partitioned and need no sorting") {
  const Matrix even = generate("uniform:rows=20000,cols=2000,nnz=1000000");
  CHECK(columns_alone_pay(even.csr.cols, even.stored(), 7));
  check_chosen(even, "columns");

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
  check_method<ColumnTranspose>(matrix);
}

TEST_CASE("omp_partition: rows and columns that do not share 32 bits") {
  const Matrix matrix = generate("uniform:rows=400000,cols=1100000,nnz=70000");
  CHECK(bucket_shift(1100000, 70000) == 15);  // and 19 bits of row on one thread
  check_chosen(matrix, "buckets");
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
  check_forced(matrix);
}
