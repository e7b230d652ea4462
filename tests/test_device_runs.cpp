// Two runs of one algorithm on a device at once, with other parameters and on streams of their own:
// what the one sets for its kernels or leaves in memory must not be the other's.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "generate/generate.hpp"
#include "primitives/primitives.hpp"
#include "spmm/spmm.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/selection.hpp"
#include "transpose/transpose.hpp"
#include "triangles/triangles.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

/// The defaults, and for each parameter its first and last allowed value beside them; of block
/// sizes the largest and a small one. Refused cells are left out.
template <class Problem>
std::vector<Params> some_cells(const Algorithm<Problem>& algorithm, const Problem& problem) {
  Params defaults;
  for (const Parameter& parameter : algorithm.parameters) {
    defaults.set(parameter.name, parameter.fallback);
  }
  std::vector<Params> all{defaults};
  for (const Parameter& parameter : algorithm.parameters) {
    std::vector<ParamValue> values = parameter.allowed;
    if (parameter.name == "block_size" && values.empty()) {
      values = {std::int64_t{1024}, std::int64_t{64}};
    }
    if (!values.empty()) {
      for (const ParamValue& value : {values.front(), values.back()}) {
        all.push_back(defaults);
        all.back().set(parameter.name, value);
      }
    }
  }
  std::vector<Params> cells;
  for (const Params& params : all) {
    if (!algorithm.refusal || algorithm.refusal(problem, params).empty()) {
      cells.push_back(params);
    }
  }
  return cells;
}

/// Prepares all cells, executes them in turn without waiting, and checks them, twice.
template <class Problem>
void check_at_once(const Problem& problem, const std::vector<Algorithm<Problem>>& table) {
  const auto reference = problem.reference();
  int checked = 0;
  for (const Algorithm<Problem>& algorithm : table) {
    if (algorithm.backend != Backend::cuda || algorithm.peer || !selected(algorithm) ||
        (algorithm.applies && !algorithm.applies(problem)) || !algorithm.unavailable().empty()) {
      continue;
    }
    const std::vector<Params> cells = some_cells(algorithm, problem);
    std::vector<std::unique_ptr<Run<Problem>>> runs;
    for (const Params& params : cells) {
      runs.push_back(algorithm.prepare(problem, params));
    }
    for (const auto& run : runs) {
      run->preprocess();
    }
    for (int turn = 1; turn <= 2; ++turn) {
      for (const auto& run : runs) {
        run->poison();
      }
      for (int execution = 0; execution < 3; ++execution) {
        for (const auto& run : runs) {
          run->execute();
        }
      }
      for (std::size_t r = 0; r < runs.size(); ++r) {
        CAPTURE(algorithm.name, to_string(cells[r]), turn);
        runs[r]->download();
        const CheckOutcome outcome = problem.check(runs[r]->result(), reference);
        CAPTURE(outcome.detail);
        CHECK(outcome.ok);
        ++checked;
      }
    }
  }
  CHECK(checked > 0);
}

Params array_instance(const char* procedure, std::int64_t segment, std::int64_t bins) {
  return {{"procedure", procedure},
          {"length", std::int64_t{100003}},
          {"segment", segment},
          {"bins", bins}};
}

}  // namespace

TEST_CASE("several runs on the device at once: primitives", "[cuda][runs]") {
  require_device();
  const ArrayInput input = load_array("random");
  check_at_once(PrimitivesProblem(input, array_instance("scan", 1, 1)), primitives_algorithms());
  check_at_once(PrimitivesProblem(input, array_instance("segmented_sort", 129, 1)),
                primitives_algorithms());
  check_at_once(PrimitivesProblem(input, array_instance("merge", 700, 1)), primitives_algorithms());
  check_at_once(PrimitivesProblem(input, array_instance("merge", 20000, 1)),
                primitives_algorithms());
  for (const std::int64_t bins : {31, 12289}) {
    check_at_once(PrimitivesProblem(input, array_instance("index_to_pointers", 1, bins)),
                  primitives_algorithms());
    check_at_once(PrimitivesProblem(input, array_instance("pointers_to_index", 1, bins)),
                  primitives_algorithms());
  }
}

TEST_CASE("several runs on the device at once: transposition", "[cuda][runs]") {
  require_device();
  for (const char* spec : {"uniform:rows=3000,cols=20000,nnz=300000", "rmat:scale=12"}) {
    const Matrix matrix = generate(spec);
    for (const char* value_type : {"fp64", "fp32"}) {
      const TransposeProblem problem(
          matrix, {{"value_type", std::string(value_type)}, {"offset_bits", std::int64_t{32}}});
      check_at_once(problem, transpose_algorithms());
    }
  }
}

TEST_CASE("several runs on the device at once: products", "[cuda][runs]") {
  require_device();
  const Matrix matrix =
      generate("circuit:rows=3000,per_row=5,spread=40,dense_rows=3,dense_cols=2,dense_length=2000");
  for (const std::int64_t k : {1, 20}) {
    const SpmmProblem problem(matrix,
                              {{"k", k}, {"x_range", "signed"}, {"offset_bits", std::int64_t{32}}});
    check_at_once(problem, spmm_algorithms());
  }
}

TEST_CASE("several runs on the device at once: triangles", "[cuda][runs]") {
  require_device();
  const TrianglesProblem problem(generate("rmat:scale=10"), {{"strict", std::int64_t{0}}});
  check_at_once(problem, triangles_algorithms());
}
