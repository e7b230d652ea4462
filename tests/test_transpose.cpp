// Transposition: every algorithm on the battery, an answer by hand, and the check itself.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "support/battery.hpp"
#include "support/catch.hpp"
#include "transpose/transpose.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

using WideCsr = Csr<std::int64_t, double>;

Params storage(const std::string& value_type, std::int64_t offset_bits) {
  return {{"value_type", value_type}, {"offset_bits", offset_bits}};
}

Params defaults(const Algorithm<TransposeProblem>& algorithm, std::int64_t threads) {
  Params params{{"threads", threads}};
  for (const Parameter& parameter : algorithm.parameters) {
    params.set(parameter.name, parameter.fallback);
  }
  return params;
}

/// The defaults with several numbers of threads (1 for a serial algorithm); with 1 and 3 threads,
/// each other value of each parameter with the defaults of the others.
std::vector<Params> cells(const Algorithm<TransposeProblem>& algorithm) {
  std::vector<Params> out;
  for (const std::int64_t threads : {1, 2, 3, 7}) {
    if (algorithm.backend != Backend::omp && threads != 1) {
      continue;
    }
    out.push_back(defaults(algorithm, threads));
    for (const Parameter& parameter : algorithm.parameters) {
      for (const ParamValue& value : parameter.allowed) {
        if (value != parameter.fallback && (threads == 1 || threads == 3)) {
          out.push_back(defaults(algorithm, threads));
          out.back().set(parameter.name, value);
        }
      }
    }
  }
  return out;
}

const Algorithm<TransposeProblem>& named(const std::string& name) {
  const auto& table = transpose_algorithms();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& a) { return a.name == name; });
  REQUIRE(found != table.end());
  return *found;
}

/// Whether the cell can run on the host. A peer may be missing or refuse the matrix.
bool runs_here(const Algorithm<TransposeProblem>& algorithm, const TransposeProblem& problem,
               const Params& params) {
  return algorithm.backend != Backend::cuda && (!algorithm.applies || algorithm.applies(problem)) &&
         (!algorithm.unavailable || algorithm.unavailable().empty()) &&
         (!algorithm.refusal || algorithm.refusal(problem, params).empty());
}

/// Checks two executions of one run over poison, which reveal elements that are not written and
/// state that an execution leaves behind.
void check_run(const Algorithm<TransposeProblem>& algorithm, const TransposeProblem& problem,
               const AnyCsr& reference, const Params& params) {
  CAPTURE(algorithm.name, to_string(params));
  const auto run = algorithm.prepare(problem, params);
  run->preprocess();
  CHECK(run->workspace_bytes() >= 0);
  for (int execution = 1; execution <= 2; ++execution) {
    run->poison();
    const CheckOutcome poisoned = problem.check(run->result(), reference);
    // An algorithm that moves values alone has none to poison in a matrix without entries.
    CHECK((!poisoned.ok || (run->has_preprocess() && problem.shape().stored == 0)));
    run->execute();
    const CheckOutcome outcome = problem.check(run->result(), reference);
    CAPTURE(execution, outcome.detail);
    CHECK(outcome.ok);
  }
}

/// [ 1 . 2 ]
/// [ . . . ]    with a duplicate of entry (2, 0)
/// [ 3 4 . ]
Matrix three_by_three() {
  return matrix_from_entries("three_by_three", 3, 3,
                             {{0, 0, 1.0}, {0, 2, 2.0}, {2, 0, 3.0}, {2, 0, 5.0}, {2, 1, 4.0}});
}

WideCsr three_by_three_transposed() {
  WideCsr t(3, 3, 5);
  t.row_ptr = {0, 3, 4, 5};
  t.col_idx = {0, 2, 2, 2, 0};
  t.values = {1.0, 3.0, 5.0, 4.0, 2.0};
  return t;
}

}  // namespace

TEST_CASE("transpose: the reference gives the answer found by hand", "[transpose]") {
  const TransposeProblem problem(three_by_three(), storage("fp64", 64));
  const AnyCsr reference = problem.reference();
  const auto& got = std::get<WideCsr>(reference);
  const WideCsr want = three_by_three_transposed();
  CHECK(got.row_ptr == want.row_ptr);
  CHECK(got.col_idx == want.col_idx);
  CHECK(got.values == want.values);
}

TEST_CASE("transpose: every algorithm gives the reference's answer", "[transpose]") {
  for (const auto& [name, matrix, graph] : battery()) {
    for (const char* value_type : {"fp64", "fp32", "pattern"}) {
      for (const std::int64_t bits : {32, 64}) {
        CAPTURE(name, value_type, bits);
        const TransposeProblem problem(matrix, storage(value_type, bits));
        const AnyCsr reference = problem.reference();
        std::visit([](const auto& t) { CHECK_NOTHROW(t.validate()); }, reference);
        for (const auto& algorithm : transpose_algorithms()) {
          for (const Params& params : cells(algorithm)) {
            if (runs_here(algorithm, problem, params)) {
              check_run(algorithm, problem, reference, params);
            } else {
              CHECK((algorithm.peer || algorithm.backend == Backend::cuda || algorithm.applies));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("transpose: twice is the identity on rows in order", "[transpose]") {
  for (const auto& [name, matrix, graph] : battery()) {
    const WideCsr& a = matrix.csr;
    bool ordered = true;
    for (index_t i = 0; i < a.rows; ++i) {
      ordered = ordered && std::is_sorted(a.col_idx.begin() + a.row_ptr[i],
                                          a.col_idx.begin() + a.row_ptr[i + 1]);
    }
    if (!ordered) {
      continue;
    }
    const Params wide = storage("fp64", 64);
    for (const auto& algorithm : transpose_algorithms()) {
      const Params three = defaults(algorithm, 3);
      if (!runs_here(algorithm, TransposeProblem(matrix, wide), three)) {
        continue;
      }
      CAPTURE(name, algorithm.name);
      Matrix once;
      {
        const TransposeProblem problem(matrix, wide);
        const auto run = algorithm.prepare(problem, three);
        run->preprocess();
        run->execute();
        once.csr = std::get<WideCsr>(run->result());
      }
      const TransposeProblem problem(once, wide);
      const auto run = algorithm.prepare(problem, defaults(algorithm, 2));
      run->preprocess();
      run->execute();
      const AnyCsr twice = run->result();
      const CheckOutcome outcome = problem.check(twice, AnyCsr{a});
      CAPTURE(outcome.detail);
      CHECK(outcome.ok);
    }
  }
}

TEST_CASE("transpose: the checker finds each kind of wrong answer", "[transpose]") {
  const TransposeProblem problem(three_by_three(), storage("fp64", 64));
  const AnyCsr reference = problem.reference();
  const auto outcome_of = [&](auto corrupt) {
    WideCsr answer = three_by_three_transposed();
    corrupt(answer);
    return problem.check(answer, reference);
  };
  CHECK(outcome_of([](WideCsr&) {}).ok);

  const auto pointer = outcome_of([](WideCsr& t) { t.row_ptr[1] = 2; });
  CHECK_FALSE(pointer.ok);
  CHECK(pointer.error > pointer.bound);
  CHECK(pointer.detail == "row_ptr[1] is 2, expected 3");
  const auto index = outcome_of([](WideCsr& t) { t.col_idx[4] = 1; });
  CHECK_FALSE(index.ok);
  CHECK(index.detail == "col_idx[4] is 1, expected 0");
  const auto value = outcome_of([](WideCsr& t) { t.values[0] = 1.0 + 1e-15; });
  CHECK_FALSE(value.ok);
  CHECK(value.detail.find("values[0]") == 0);
  CHECK_FALSE(
      outcome_of([](WideCsr& t) { t.values[0] = std::numeric_limits<double>::quiet_NaN(); }).ok);
  CHECK_FALSE(outcome_of([](WideCsr& t) { std::swap(t.values[1], t.values[2]); }).ok);
  CHECK_FALSE(outcome_of([](WideCsr& t) {  // the same matrix, its entries in another order
                std::swap(t.col_idx[0], t.col_idx[1]);
                std::swap(t.values[0], t.values[1]);
              })
                  .ok);
  CHECK_FALSE(outcome_of([](WideCsr& t) { t.rows = 4; }).ok);
  CHECK_FALSE(outcome_of([](WideCsr& t) { t.cols = 4; }).ok);
  CHECK_FALSE(outcome_of([](WideCsr& t) { t.row_ptr.pop_back(); }).ok);
  CHECK_FALSE(outcome_of([](WideCsr& t) { t.col_idx.pop_back(); }).ok);
  CHECK_FALSE(outcome_of([](WideCsr& t) { t.values.pop_back(); }).ok);
  const TransposeProblem narrow(three_by_three(), storage("fp64", 32));
  CHECK_FALSE(problem.check(narrow.reference(), reference).ok);
}

TEST_CASE("transpose: arrays per thread and column are bounded", "[transpose]") {
  Matrix wide;
  wide.csr = WideCsr(1, std::numeric_limits<index_t>::max(), 0);
  wide.csr.row_ptr = {0, 0};
  const TransposeProblem narrow(wide, storage("pattern", 32));
  const TransposeProblem broad(wide, storage("pattern", 64));
  const auto refusal = [](const char* name, const TransposeProblem& problem, std::int64_t threads) {
    return named(name).refusal(problem, {{"threads", threads}});
  };
  CHECK(refusal("omp_scantrans", narrow, 1) ==
        "1 arrays of 2147483647 columns need 8191 MiB; the limit is 4096 MiB");
  CHECK(refusal("omp_mergetrans", narrow, 1).empty());
  CHECK(refusal("omp_mergetrans", narrow, 2) ==
        "3 arrays of 2147483647 columns need 24575 MiB; the limit is 4096 MiB");
  CHECK(refusal("omp_mergetrans", broad, 2) ==
        "3 arrays of 2147483647 columns need 49151 MiB; the limit is 4096 MiB");
  const TransposeProblem small(three_by_three(), storage("fp64", 32));
  CHECK(refusal("omp_scantrans", small, 128).empty());
  CHECK(refusal("omp_mergetrans", small, 128).empty());
}

TEST_CASE("transpose: model bytes are one read and one write", "[transpose]") {
  const auto bytes = [](const std::string& value_type, std::int64_t bits) {
    return TransposeProblem(three_by_three(), storage(value_type, bits)).model().bytes;
  };
  CHECK(bytes("fp64", 32) == 2 * 5 * 12 + 8 * 4);
  CHECK(bytes("fp32", 32) == 2 * 5 * 8 + 8 * 4);
  CHECK(bytes("pattern", 64) == 2 * 5 * 4 + 8 * 8);
}

TEST_CASE("transpose: a plan's model is one read and one write of the values", "[transpose]") {
  for (const char* const name : {"omp_plan", "cuda_plan"}) {
    const auto model = [&](const std::string& value_type) {
      return named(name).model_of(TransposeProblem(three_by_three(), storage(value_type, 32)));
    };
    CHECK(model("fp64").bytes == 2 * 5 * 8);
    CHECK(model("fp32").bytes == 2 * 5 * 4);
    CHECK(model("fp32").second.name.empty());
  }
  const TransposeProblem problem(three_by_three(), storage("fp64", 32));
  CHECK(named("serial").model_of(problem).bytes == problem.model().bytes);
}
