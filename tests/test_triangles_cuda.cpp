// CUDA triangle counts: every algorithm with every value of its parameters on the battery, closed
// forms, rows beyond shared memory, 64-bit row pointers and counts, renumbered vertices.
#include <algorithm>
#include <string>
#include <vector>

#include "cuda/device_info.hpp"
#include "generate/generate.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "support/graphs.hpp"
#include "support/selection.hpp"
#include "triangles/triangles.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

namespace {

const Params any_graph{{"strict", std::int64_t{0}}};

/// All combinations of parameter values; the default of a parameter with any integer; with
/// `defaults`, the defaults of all parameters.
std::vector<Params> cells(const Algorithm<TrianglesProblem>& algorithm, bool defaults) {
  std::vector<Params> all{Params{}};
  for (const Parameter& parameter : algorithm.parameters) {
    const std::vector<ParamValue> values =
        parameter.allowed.empty() || defaults ? std::vector{parameter.fallback} : parameter.allowed;
    std::vector<Params> longer;
    for (const Params& cell : all) {
      for (const ParamValue& value : values) {
        longer.push_back(cell);
        longer.back().set(parameter.name, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// Checks two counts over poison of every CUDA algorithm; with the default parameters only in a
/// brief run, or if there are so many triangles that others would take seconds.
void check_all(const TrianglesProblem& problem, std::uint64_t triangles, const std::string& name) {
  const bool defaults = brief() || triangles > std::uint64_t{1} << 31;
  for (const auto& algorithm : triangles_algorithms()) {
    if (algorithm.backend != Backend::cuda || !algorithm.unavailable().empty() ||
        !selected(algorithm)) {
      continue;
    }
    for (const Params& params : cells(algorithm, defaults)) {
      if (algorithm.refusal && !algorithm.refusal(problem, params).empty()) {
        continue;
      }
      CAPTURE(name, algorithm.name, to_string(params));
      const auto run = algorithm.prepare(problem, params);
      for (int execution = 1; execution <= 2; ++execution) {
        run->poison();
        run->download();
        CHECK(run->result().triangles != triangles);
        run->preprocess();
        run->execute();
        run->download();
        CAPTURE(execution);
        CHECK(run->result().triangles == triangles);
      }
    }
  }
}

void check_spec(const std::string& spec, std::uint64_t triangles) {
  check_all(TrianglesProblem(generate(spec), any_graph), triangles, spec);
}

}  // namespace

TEST_CASE("CUDA triangle counts: the battery", "[triangles][cuda][battery]") {
  require_device();
  for (const auto& [name, matrix, is_graph] : battery_part()) {
    if (matrix.csr.rows == matrix.csr.cols) {
      const TrianglesProblem problem(matrix, any_graph);
      check_all(problem, problem.reference().triangles, name);
    }
  }
}

TEST_CASE("CUDA triangle counts: small graphs", "[triangles][cuda][small]") {
  require_device();
  check_spec("complete:vertices=33", 33 * 32 * 31 / 6);
  check_spec("wheel:rim=300", 300);
}

TEST_CASE("CUDA triangle counts: 64-bit row pointers", "[triangles][cuda]") {
  require_device();
  for (const char* const spec :
       {"rmat:scale=9", "mesh:width=30,height=20", "complete:vertices=9"}) {
    TrianglesProblem problem(generate(spec), any_graph);
    problem.set_most_narrow_entries(0);
    check_all(problem, problem.reference().triangles, spec);
  }
}

TEST_CASE("CUDA triangle counts: closed forms", "[triangles][cuda]") {
  require_device();
  for (const std::uint64_t n : {3, 4, 31, 32, 33, 64, 65, 127, 129, 500}) {
    check_spec("complete:vertices=" + std::to_string(n), n * (n - 1) * (n - 2) / 6);
  }
  for (const std::uint64_t k : {4, 31, 32, 63, 64, 1000, 4000}) {
    check_spec("wheel:rim=" + std::to_string(k), k);
    check_spec("friendship:triangles=" + std::to_string(k), k);
    check_spec("star:leaves=" + std::to_string(k), 0);
  }
  check_spec("bipartite:left=90,right=700", 0);
  check_spec("road:width=200,height=90,density=1,diagonals=0", 0);
  for (const char* const permute : {"0", "1"}) {
    check_spec(std::string("mesh:width=213,height=100,permute=") + permute, 2 * 212 * 99);
  }
}

TEST_CASE("CUDA triangle counts: rows beyond shared memory and sums beyond 32 bits",
          "[triangles][cuda]") {
  require_device();
  check_spec("complete:vertices=3000", 4495501000);
}

TEST_CASE("CUDA triangle counts: neighbours that share a residue", "[triangles][cuda]") {
  require_device();
  check_all(TrianglesProblem(spread_complete_graph(150, 1024), any_graph), 551300, "steps of 1024");
  check_all(TrianglesProblem(spread_complete_graph(130, 4096), any_graph), 357760, "steps of 4096");
}
