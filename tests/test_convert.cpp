// Conversions from coordinates, compared with the reference.
#include <algorithm>
#include <set>
#include <string>

#include "convert/convert.hpp"
#include "convert/policy.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

const std::vector<std::string> orders = {"column_major", "row_major", "random"};

ConvertProblem problem_of(const Matrix& matrix, const std::string& order = "column_major") {
  return ConvertProblem(matrix, {{"order", order}});
}

const Algorithm<ConvertProblem>& algorithm(const std::string& name) {
  const auto& table = convert_algorithms();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& a) { return a.name == name; });
  REQUIRE(found != table.end());
  return *found;
}

std::string refusal(const Algorithm<ConvertProblem>& algorithm, const ConvertProblem& problem,
                    std::int64_t threads = 1) {
  return algorithm.refusal ? algorithm.refusal(problem, {{"threads", threads}}) : "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Executes twice over poison and checks both answers; returns the second.
Converted convert(const Algorithm<ConvertProblem>& algorithm, const ConvertProblem& problem,
                  const ConvertedCsr& reference, std::int64_t threads) {
  const auto run = algorithm.prepare(problem, {{"threads", threads}});
  for (int execution = 1; execution <= 2; ++execution) {
    run->poison();
    run->execute();
    const CheckOutcome outcome = problem.check(run->result(), reference);
    INFO(algorithm.name << ", " << threads << " threads, execution " << execution << ": "
                        << outcome.detail);
    CHECK(outcome.ok);
  }
  return run->result();
}

/// A matrix of 70000 rows and 40000 entries, above the limit of the quadratic methods.
const Matrix& many_rows() {
  static const Matrix matrix = [] {
    std::vector<Entry> entries;
    for (index_t i = 0; i < 40000; ++i) {
      entries.emplace_back(i, i % 7, 1.0 + i);
    }
    return matrix_from_entries("many_rows", 70000, 7, entries);
  }();
  return matrix;
}

bool quadratic(const Algorithm<ConvertProblem>& algorithm) {
  return contains(refusal(algorithm, problem_of(many_rows())), "M*nz");
}

Matrix small_matrix() {
  return matrix_from_entries(
      "small", 4, 3,
      {{0, 0, 1.0}, {0, 2, 2.0}, {0, 2, 3.0}, {2, 1, 4.0}, {3, 0, 5.0}, {3, 1, 6.0}});
}

template <class T>
bool holds(const Buffer<T>& array, std::initializer_list<T> expected) {
  return std::equal(array.begin(), array.end(), expected.begin(), expected.end());
}

}  // namespace

TEST_CASE("every conversion agrees with the reference on the battery") {
  for (const NamedMatrix& named : battery()) {
    const double work = static_cast<double>(named.matrix.csr.rows) * named.matrix.stored();
    for (const std::string& order : orders) {
      INFO(named.name << ", " << order);
      const ConvertProblem problem = problem_of(named.matrix, order);
      const ConvertedCsr reference = problem.reference();
      CHECK_NOTHROW(reference.validate());
      for (const auto& method : convert_algorithms()) {
        const bool slow = quadratic(method) && work > 1e7;
        for (const std::int64_t threads : {1, 2, 3}) {
          const bool once = order == "random" && threads == 2;
          const bool repeats = method.backend == Backend::serial && threads > 1;
          if (refusal(method, problem, threads).empty() && !repeats && (!slow || once)) {
            convert(method, problem, reference, threads);
          }
        }
      }
    }
  }
}

TEST_CASE("linear work is never refused for the battery") {
  for (const NamedMatrix& named : battery()) {
    INFO(named.name);
    const ConvertProblem problem = problem_of(named.matrix);
    for (const auto& method : convert_algorithms()) {
      INFO(method.name);
      CHECK((refusal(method, problem, 3).empty() ||
             static_cast<double>(named.matrix.csr.rows) * named.matrix.stored() >
                 max_quadratic_work));
    }
  }
}

TEST_CASE("answers by hand") {
  const ConvertProblem problem = problem_of(small_matrix());
  CHECK(holds(problem.coo().row_idx, {0, 3, 2, 3, 0, 0}));
  CHECK(holds(problem.coo().col_idx, {0, 0, 1, 1, 2, 2}));
  CHECK(holds(problem.coo().values, {1.0, 5.0, 4.0, 6.0, 2.0, 3.0}));
  const ConvertedCsr reference = problem.reference();
  for (const std::string name : {"coo_to_csr_serial", "coo_to_csr_parallel", "coo_to_csr_linear"}) {
    INFO(name);
    const Converted got = convert(algorithm(name), problem, reference, 2);
    const auto& csr = std::get<ConvertedCsr>(got.matrix);
    CHECK(holds<std::int64_t>(csr.row_ptr, {0, 3, 3, 4, 6}));
    CHECK(holds(csr.col_idx, {0, 2, 2, 1, 0, 1}));
    CHECK(holds(csr.values, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
  }
  for (const std::string name :
       {"coo_to_ellpack_serial", "coo_to_ellpack_parallel", "coo_to_ellpack_linear"}) {
    INFO(name);
    const auto run = algorithm(name).prepare(problem, {{"threads", std::int64_t{2}}});
    run->execute();
    const Converted got = run->result();
    const auto& ellpack = std::get<Ellpack>(got.matrix);
    CHECK(ellpack.width == 3);
    CHECK(holds(ellpack.row_length, {3, 0, 1, 2}));
    CHECK(holds(ellpack.col_idx, {0, 2, 2, 0, 0, 0, 1, 1, 1, 0, 1, 1}));
    CHECK(holds(ellpack.values, {1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 5.0, 6.0, 0.0}));
    REQUIRE(run->measures().size() == 1);
    CHECK(run->measures()[0].first == "padding_factor");
    CHECK(run->measures()[0].second == 2.0);
  }
  for (const std::string name :
       {"coo_to_ellpack_no_zero_padding_serial", "coo_to_ellpack_no_zero_padding_parallel",
        "coo_to_ellpack_no_zero_padding_linear"}) {
    INFO(name);
    const Converted got = convert(algorithm(name), problem, reference, 2);
    const auto& ellpack = std::get<EllpackNoPadding>(got.matrix);
    CHECK(holds(ellpack.row_length, {3, 0, 1, 2}));
    CHECK(holds<std::int64_t>(ellpack.row_offset, {0, 3, 3, 4}));
    CHECK(holds(ellpack.col_idx, {0, 2, 2, 1, 0, 1}));
    CHECK(holds(ellpack.values, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
  }
}

TEST_CASE("orders are permutations of the same entries") {
  for (const NamedMatrix& named : battery()) {
    INFO(named.name);
    std::set<std::vector<std::tuple<index_t, index_t, double>>> sorted;
    for (const std::string& order : orders) {
      const ConvertProblem problem = problem_of(named.matrix, order);
      const Coo& coo = problem.coo();
      std::vector<std::tuple<index_t, index_t, double>> entries;
      for (std::int64_t e = 0; e < coo.nnz(); ++e) {
        entries.emplace_back(coo.row_idx[e], coo.col_idx[e], coo.pattern() ? 1.0 : coo.values[e]);
      }
      if (order == "column_major") {
        CHECK(std::is_sorted(coo.col_idx.begin(), coo.col_idx.end()));
      } else if (order == "row_major") {
        CHECK(std::is_sorted(coo.row_idx.begin(), coo.row_idx.end()));
      } else if (coo.nnz() > 100 && coo.rows > 1) {
        CHECK_FALSE(std::is_sorted(entries.begin(), entries.end()));
        CHECK(problem_of(named.matrix, order).coo().col_idx == coo.col_idx);
      }
      std::sort(entries.begin(), entries.end());
      sorted.insert(entries);
    }
    CHECK(sorted.size() == 1);
  }
}

TEST_CASE("a pattern converts to ones") {
  Matrix matrix = small_matrix();
  matrix.field = "pattern";
  std::fill(matrix.csr.values.begin(), matrix.csr.values.end(), 1.0);
  for (const std::string& order : orders) {
    const ConvertProblem problem = problem_of(matrix, order);
    CHECK(problem.coo().pattern());
    CHECK(problem.model().bytes == 6 * (8 + 12) + 5 * 8);
    const ConvertedCsr reference = problem.reference();
    CHECK(holds(reference.values, {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}));
    for (const auto& method : convert_algorithms()) {
      convert(method, problem, reference, 2);
    }
  }
}

TEST_CASE("only the versions with a critical section leave the order open") {
  const ConvertProblem problem = problem_of(small_matrix());
  for (const auto& method : convert_algorithms()) {
    INFO(method.name);
    const Converted got = convert(method, problem, problem.reference(), 2);
    CHECK((got.order == EntryOrder::any) == contains(method.name, "optimized"));
  }
}

TEST_CASE("a random order may leave entries in their places") {
  std::int64_t fixed = 0;
  for (index_t count = 30; count < 60; ++count) {
    std::vector<Entry> entries;
    for (index_t j = 0; j < count; ++j) {
      entries.emplace_back(0, j, 1.0);
    }
    const Matrix matrix = matrix_from_entries("row", 1, count, entries);
    const ConvertProblem problem = problem_of(matrix, "random");
    const Coo& coo = problem.coo();
    for (index_t place = 0; place < count; ++place) {
      fixed += coo.col_idx[place] == place;
    }
  }
  // Of a random permutation one entry on average, whatever its length.
  CHECK(fixed > 15);
  CHECK(fixed < 60);
}

TEST_CASE("quadratic work is refused with the work and the cap") {
  const ConvertProblem problem = problem_of(many_rows());
  std::set<std::string> refused;
  for (const auto& method : convert_algorithms()) {
    const std::string reason = refusal(method, problem, 2);
    if (!reason.empty()) {
      refused.insert(method.name);
      CHECK(contains(reason, "M*nz = 2.8e+09"));
      CHECK(contains(reason, "the cap is 2e+09"));
    }
  }
  CHECK(refused == std::set<std::string>{"coo_to_csr_parallel", "coo_to_ellpack_serial",
                                         "coo_to_ellpack_parallel",
                                         "coo_to_ellpack_no_zero_padding_parallel"});
}

TEST_CASE("padding beyond the limit is refused with factor and size") {
  std::vector<Entry> entries;
  for (index_t j = 0; j < 5000; ++j) {
    entries.emplace_back(3, j, 1.0);
  }
  const Matrix matrix = matrix_from_entries("one_long_row", 40000, 5000, entries);
  const ConvertProblem problem = problem_of(matrix);
  for (const auto& method : convert_algorithms()) {
    INFO(method.name);
    const bool padded =
        contains(method.name, "ellpack") && !contains(method.name, "no_zero_padding");
    const std::string reason = refusal(method, problem, 2);
    CHECK(reason.empty() == !padded);
    CHECK((!padded || contains(reason, "40000 times the entries (padding factor) in 2288 MiB")));
    CHECK((!padded || contains(reason, "limit is 2048 MiB")));
  }
}

TEST_CASE("cursors beyond the limit are refused with threads and size") {
  const ConvertProblem problem = problem_of(many_rows());
  const std::string reason = refusal(algorithm("coo_to_csr_linear"), problem, 10000);
  CHECK(contains(reason, "10000 threads for 70000 rows need 5340 MiB"));
  CHECK(refusal(algorithm("coo_to_ellpack_linear"), problem, 10000) == reason);
}

TEST_CASE("model bytes by hand") {
  // 6 entries of 16 bytes read, of 12 written, 5 row pointers of 8.
  CHECK(problem_of(small_matrix()).model().bytes == 6 * 16 + 6 * 12 + 5 * 8);
  CHECK(problem_of(small_matrix()).model().flops == 0.0);
}
